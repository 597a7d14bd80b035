"""Swift: Package.swift, of which only literal text is read."""

from __future__ import annotations

import re

from windtunnel.analysis.ecosystems.base import Ecosystem, Found, at
from windtunnel.analysis.listing import Listing

_NAME = re.compile(r"\bPackage\s{0,3}\(\s{0,20}name:\s{0,3}\"([^\"]{1,100})\"")
_PACKAGE = re.compile(
    r"\.package\([^)\n]{0,200}?url:\s{0,3}\"[^\"\n]{0,200}?/([\w.-]{1,80}?)(?:\.git)?\"[^)\n]{0,40}?\"([^\"\n]{1,40})\""
)


def read(listing: Listing, folder: str, names: tuple[str, ...]) -> Found:
    """One package."""
    path = at(folder, "Package.swift")
    text = listing.text(path)[:100_000]
    named = _NAME.search(text)
    found = Found(folder=folder, ecosystem="swift", name=named[1] if named else "", manager="swift", manifests=[path])
    for name, version in _PACKAGE.findall(text):
        found.want(name.lower(), version, file=path)
    found.locks = [at(folder, "Package.resolved")] if "Package.resolved" in names else []
    return found


ECOSYSTEM = Ecosystem(name="swift", read=read, manifests=("Package.swift",))
