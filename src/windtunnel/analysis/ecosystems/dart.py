"""Dart and Flutter: pubspec.yaml and pubspec.lock."""

from __future__ import annotations

from windtunnel.analysis.ecosystems.base import Ecosystem, Found, at, table_in, text_in, yaml_of
from windtunnel.analysis.listing import Listing


def read(listing: Listing, folder: str, names: tuple[str, ...]) -> Found:
    """One package."""
    path = at(folder, "pubspec.yaml")
    told = yaml_of(listing, path)
    found = Found(folder=folder, ecosystem="dart", name=text_in(told, "name"), manager="pub", manifests=[path])
    for section, group in (("dependencies", "main"), ("dev_dependencies", "dev")):
        for name, wanted in table_in(told, section).items():
            if isinstance(name, str):
                found.want(name, wanted, file=path, group=group)
    if "pubspec.lock" in names:
        lock = at(folder, "pubspec.lock")
        found.locks.append(lock)
        found.complete = True
        for name, one in table_in(yaml_of(listing, lock), "packages").items():
            found.lock(name, text_in(one, "version"), file=lock)
    found.entry_points = [at(folder, one) for one in ("lib/main.dart", "bin/main.dart") if listing.has(at(folder, one))]
    return found


ECOSYSTEM = Ecosystem(name="dart", read=read, manifests=("pubspec.yaml",))
