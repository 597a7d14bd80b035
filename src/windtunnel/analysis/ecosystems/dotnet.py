""".NET: project files of MSBuild, of which only literal references are read."""

from __future__ import annotations

import re

from windtunnel.analysis.ecosystems.base import Ecosystem, Found, at
from windtunnel.analysis.listing import Listing

_REFERENCE = re.compile(r"<PackageReference\s{1,20}Include=\"([\w.-]{1,150})\"(?:\s{1,20}Version=\"([^\"]{1,60})\")?")
_SDK = re.compile(r"<Project\s{1,10}Sdk=\"([\w.]{1,100})\"")
_PROJECTS = (".csproj", ".fsproj", ".vbproj")


def read(listing: Listing, folder: str, names: tuple[str, ...]) -> Found:
    """The projects of one folder."""
    found = Found(folder=folder, ecosystem="dotnet", manager="dotnet")
    for name in sorted(names):
        if not name.endswith((*_PROJECTS, ".sln")):
            continue
        path = at(folder, name)
        found.manifests.append(path)
        found.name = found.name or name.rpartition(".")[0]
        text = listing.text(path)[:500_000] if name.endswith(_PROJECTS) else ""
        found.keys |= {f"sdk:{one}" for one in _SDK.findall(text)}
        for package, version in _REFERENCE.findall(text):
            found.want(package, version, file=path)
    found.locks = [at(folder, "packages.lock.json")] if "packages.lock.json" in names else []
    found.entry_points = [at(folder, "Program.cs")] if "Program.cs" in names else []
    return found


ECOSYSTEM = Ecosystem(name="dotnet", read=read, manifests=("*.csproj", "*.fsproj", "*.vbproj", "*.sln"))
