"""PHP: composer.json and composer.lock."""

from __future__ import annotations

from windtunnel.analysis.ecosystems.base import Ecosystem, Found, at, json_of, list_in, table_in, text_in
from windtunnel.analysis.listing import Listing


def read(listing: Listing, folder: str, names: tuple[str, ...]) -> Found | None:
    """One package."""
    path = at(folder, "composer.json")
    told = json_of(listing, path)
    if not told:
        return None
    found = Found(folder=folder, ecosystem="php", name=text_in(told, "name"), manager="composer", manifests=[path])
    for section, group in (("require", "main"), ("require-dev", "dev")):
        for name, wanted in table_in(told, section).items():
            if "/" in name:
                found.want(name.lower(), wanted, file=path, group=group)
    for name, line in table_in(told, "scripts").items():
        lines = line if isinstance(line, list) else [line]
        found.scripts[name] = " && ".join(one for one in lines if isinstance(one, str))
    if "composer.lock" in names:
        lock = at(folder, "composer.lock")
        found.locks.append(lock)
        locked = json_of(listing, lock)
        found.complete = bool(locked)
        for section, group in (("packages", "main"), ("packages-dev", "dev")):
            for one in list_in(locked, section):
                found.lock(
                    text_in(one, "name").lower(), text_in(one, "version").removeprefix("v"), file=lock, group=group
                )
    found.entry_points = [at(folder, one) for one in ("artisan", "bin/console", "public/index.php", "index.php")
                          if listing.has(at(folder, one))]
    return found


ECOSYSTEM = Ecosystem(name="php", read=read, manifests=("composer.json",))
