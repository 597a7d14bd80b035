"""Rust: Cargo.toml and Cargo.lock."""

from __future__ import annotations

from windtunnel.analysis.ecosystems.base import Ecosystem, Found, at, list_in, table_in, text_in, toml_of
from windtunnel.analysis.listing import Listing

_GROUPS = (("dependencies", "main"), ("dev-dependencies", "dev"), ("build-dependencies", "build"))


def read(listing: Listing, folder: str, names: tuple[str, ...]) -> Found:
    """One crate or workspace."""
    path = at(folder, "Cargo.toml")
    told = toml_of(listing, path)
    found = Found(
        folder=folder, ecosystem="rust", name=text_in(told, "package", "name"), manager="cargo", manifests=[path]
    )
    found.workspace = "workspace" in told
    tables = [told, *table_in(told, "target").values()]
    for section, group in _GROUPS:
        for table in tables:
            for name, given in table_in(table, section).items():
                _wish(found, name, given, group=group, path=path)
    for name, given in table_in(told, "workspace", "dependencies").items():
        _wish(found, name, given, group="main", path=path)
    found.entry_points = [at(folder, one) for one in ("src/main.rs", "src/lib.rs") if listing.has(at(folder, one))]
    found.entry_points += [at(folder, text_in(one, "path")) for one in list_in(told, "bin") if text_in(one, "path")]
    if "Cargo.lock" in names:
        lock = at(folder, "Cargo.lock")
        found.locks.append(lock)
        found.complete = True
        for one in list_in(toml_of(listing, lock), "package"):
            if text_in(one, "source"):
                found.lock(text_in(one, "name"), text_in(one, "version"), file=lock)
    return found


def _wish(found: Found, name: str, given: object, *, group: str, path: str) -> None:
    """A dependency by its real name; one that is a folder or that the workspace pins has no wish of its own."""
    if isinstance(given, str):
        found.want(name, given, file=path, group=group)
        return
    real = text_in(given, "package") or name
    outside = table_in(given).get("path") is None and table_in(given).get("git") is None
    wanted = text_in(given, "version")
    if outside or wanted:
        found.want(real, wanted, file=path, group=group)


ECOSYSTEM = Ecosystem(name="rust", read=read, manifests=("Cargo.toml",))
