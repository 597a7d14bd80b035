"""Ruby: Gemfile, gemspecs (literal lines alone) and Gemfile.lock."""

from __future__ import annotations

import re

from windtunnel.analysis.ecosystems.base import Ecosystem, Found, at
from windtunnel.analysis.listing import Listing

_GEM = re.compile(
    r"^\s{0,20}gem[\s(]{1,5}[\"']([\w.-]{1,100})[\"']((?:\s{0,3},\s{0,3}[\"'][^\"'\n]{1,60}[\"']){0,4})([^\n]{0,300})"
)
_SPEC = re.compile(
    r"\.add_(?:(development|runtime)_)?dependency[\s(]{1,5}[\"']([\w.-]{1,100})[\"']((?:\s{0,3},\s{0,3}[\"'][^\"'\n]{1,60}[\"']){0,4})"
)
_GROUP = re.compile(r"^\s{0,20}group\s{1,5}([^\n]{1,200}?)\s{1,5}do\b")
_LOCKED = re.compile(r"^ {4}([\w.-]{1,100}) \(([^)\s]{1,80})\)")
_QUOTED = re.compile(r"[\"']([^\"']{1,60})[\"']")
_MOST_LINES = 50_000


def read(listing: Listing, folder: str, names: tuple[str, ...]) -> Found | None:
    """One application or gem."""
    specs = [name for name in names if name.endswith(".gemspec")]
    if "Gemfile" not in names and not specs:
        return None
    found = Found(folder=folder, ecosystem="ruby", manager="bundler" if "Gemfile" in names else "gem")
    if "Gemfile" in names:
        _gemfile(listing, found, at(folder, "Gemfile"))
    for name in specs[:5]:
        found.name = found.name or name.removesuffix(".gemspec")
        _gemspec(listing, found, at(folder, name))
    if "Gemfile.lock" in names:
        _lock(listing, found, at(folder, "Gemfile.lock"))
    found.entry_points = [at(folder, name) for name in ("config.ru", "app.rb", "main.rb", "Rakefile") if name in names]
    return found


def _gemfile(listing: Listing, found: Found, path: str) -> None:
    found.manifests.append(path)
    group = "main"
    for line in listing.text(path).split("\n")[:_MOST_LINES]:
        if opened := _GROUP.match(line[:400]):
            group = _kind(opened[1])
        elif line.strip() == "end":
            group = "main"
        elif gem := _GEM.match(line[:600]):
            inline = _kind(gem[3]) if "group" in gem[3] else group
            found.want(gem[1], ", ".join(_QUOTED.findall(gem[2])), file=path, group=inline)


def _kind(words: str) -> str:
    if "test" in words and "development" not in words:
        return "test"
    return "dev" if "development" in words or "test" in words else "main"


def _gemspec(listing: Listing, found: Found, path: str) -> None:
    found.manifests.append(path)
    for kind, name, versions in _SPEC.findall(listing.text(path)[:200_000]):
        found.want(
            name, ", ".join(_QUOTED.findall(versions)), file=path, group="dev" if kind == "development" else "main"
        )


def _lock(listing: Listing, found: Found, path: str) -> None:
    found.locks.append(path)
    found.complete = True
    inside = False
    for line in listing.text(path).split("\n")[:_MOST_LINES]:
        inside = line.strip() == "specs:" or (inside and line.startswith(" "))
        if inside and (match := _LOCKED.match(line[:300])):
            found.lock(match[1], re.sub(r"-(?:x86|arm|aarch|java|universal|x64)[\w-]{0,40}$", "", match[2]), file=path)


ECOSYSTEM = Ecosystem(name="ruby", read=read, manifests=("Gemfile", "*.gemspec"))
