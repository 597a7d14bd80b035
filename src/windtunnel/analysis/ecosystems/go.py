"""Go: go.mod and go.sum."""

from __future__ import annotations

import re

from windtunnel.analysis.ecosystems.base import Ecosystem, Found, at
from windtunnel.analysis.listing import Listing

_MODULE = re.compile(r"^module\s{1,5}\"?([^\s\"]{1,300})", re.MULTILINE)
_REQUIRED = re.compile(
    r"^(?:require\s{1,5})?\s{0,8}([\w.~-]{1,200}(?:/[\w.~-]{1,100}){0,12})\s{1,5}(v\d\S{0,100})(\s{0,5}// indirect)?"
)
_MOST_LINES = 100_000


def read(listing: Listing, folder: str, names: tuple[str, ...]) -> Found:
    """One module. What go.mod requires is the version that is used, or a later one that another requires."""
    path = at(folder, "go.mod")
    text = listing.text(path)
    named = _MODULE.search(text)
    found = Found(folder=folder, ecosystem="go", name=named[1] if named else "", manager="go", manifests=[path])
    section = ""
    for line in text.split("\n")[:_MOST_LINES]:
        word = line.split("(")[0].strip()
        if line.rstrip().endswith("("):
            section = word
        elif line.startswith(")"):
            section = ""
        elif section in ("", "require") and (match := _REQUIRED.match(line[:600])):
            if section == "" and not line.startswith("require"):
                continue
            if match[3]:
                found.lock(match[1], match[2], file=path)
            else:
                found.want(match[1], match[2], file=path)
    if "go.sum" in names:
        found.locks.append(at(folder, "go.sum"))
        _sums(listing, found, at(folder, "go.sum"))
    found.entry_points = _mains(listing, folder)
    return found


def _sums(listing: Listing, found: Found, path: str) -> None:
    """Only whether a module is in it: go.sum has checksums of versions that were looked at, not of those chosen."""
    summed = {line.split(" ", 1)[0] for line in listing.text(path).split("\n")[:_MOST_LINES]}
    known = {one.name for one in found.locked}
    for one in found.wanted:
        if one.name in summed and one.name not in known:
            found.lock(one.name, one.wanted, file=path)
    found.complete = True


def _mains(listing: Listing, folder: str) -> list[str]:
    own = [at(folder, "main.go")] if listing.has(at(folder, "main.go")) else []
    return own + [name for name in listing.below(at(folder, "cmd")) if name.endswith("/main.go")][:50]


ECOSYSTEM = Ecosystem(name="go", read=read, manifests=("go.mod",))
