"""Known vulnerabilities, from advisories in the OSV format that somebody put into a folder or a zip; never fetched.

Such data is at osv.dev, one zip for each ecosystem. A version is affected where an advisory lists it, or where it lies
in a range that the advisory gives. Ranges of commits (``GIT``) tell nothing about versions and are passed over, and so
are withdrawn advisories.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from windtunnel.analysis.ecosystems.base import Found, list_in, table_in, text_in
from windtunnel.analysis.ecosystems.python import normal
from windtunnel.analysis.ranges import version_of
from windtunnel.core.analysis import Vulnerability
from windtunnel.core.errors import UsageError

NAMES = {"python": "PyPI", "node": "npm", "go": "Go", "rust": "crates.io", "java": "Maven", "ruby": "RubyGems",
         "php": "Packagist", "dotnet": "NuGet", "elixir": "Hex", "dart": "Pub"}
_NAMED = re.compile(rb'"name"\s{0,4}:\s{0,4}"([^"\\]{1,200})"')
_ECOSYSTEM = re.compile(rb'"ecosystem"\s{0,4}:\s{0,4}"([^":\\]{1,40})')
_PINNED = re.compile(r"\s{0,3}(?:={1,3}\s{0,3})?v?(\d[\w.+-]{0,80})\s{0,3}$")
_MOST_ADVISORY = 2 * 1024**2
_MOST_ADVISORIES = 1_000_000
_MOST_ALL = 4 * 1024**3
_NO_DATA = ("not audited: no advisory data was given (name a folder or zip of OSV advisories with --advisories, or set "
            "analysis_advisories)")


@dataclass(slots=True)
class Audit:
    """What was found, and for each ecosystem whether anybody looked."""

    vulnerabilities: list[Vulnerability] = field(default_factory=list)
    audited: dict[str, str] = field(default_factory=dict)


def audit(parts: Sequence[Found], advisories: Path | None) -> Audit:
    """Look up every version that is known; without data, say so."""
    used = _used(parts)
    if advisories is None:
        return Audit(audited=dict.fromkeys(sorted(used), _NO_DATA))
    wanted = {name.encode() for versions in used.values() for name in versions}
    found = Audit()
    counted: dict[str, int] = defaultdict(int)
    for told in _advisories(advisories, wanted, counted):
        for one in list_in(told, "affected"):
            ecosystem = text_in(one, "package", "ecosystem").split(":")[0]
            _match(told, one, used=used, ecosystem=ecosystem, found=found)
    for ecosystem, versions in sorted(used.items()):
        found.audited[ecosystem] = _told(ecosystem, versions, counted, advisories)
    found.vulnerabilities = sorted(set(found.vulnerabilities), key=lambda one: (one.name, one.version, one.id))
    return found


def _told(
    ecosystem: str, versions: Mapping[str, set[str]], counted: Mapping[str, int], advisories: Path,
) -> str:
    """Whether it was audited; a source with nothing about an ecosystem is as good as none."""
    if ecosystem not in NAMES:
        return "not audited: OSV has no data for it"
    without = sum(1 for one in versions.values() if not one)
    known = sum(len(one) for one in versions.values())
    if not known:
        return "not audited: no version is known (there is no lock file and nothing is pinned)"
    left = f"; {without} without a known version were not" if without else ""
    seen = counted.get(NAMES[ecosystem], 0)
    if not seen:
        return f"not audited: {advisories.name} has no advisories about {NAMES[ecosystem]}"
    return f"audited by {advisories.name}: {known} versions looked up in {seen} advisories{left}"


def _used(parts: Sequence[Found]) -> dict[str, dict[str, set[str]]]:
    """By ecosystem and name, the versions in use."""
    used: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for part in parts:
        for one in part.locked:
            used[part.ecosystem][one.name].add(one.version)
        for wish in part.wanted:
            match = _PINNED.match(wish.wanted.split(";")[0])
            versions = used[part.ecosystem][wish.name]
            if match and not versions and (part.ecosystem != "rust" or "=" in wish.wanted) and "." in match[1]:
                versions.add(match[1])
    return {ecosystem: dict(names) for ecosystem, names in used.items()}


def _advisories(path: Path, wanted: set[bytes], counted: dict[str, int]) -> Iterator[dict[str, Any]]:
    """Those about names that are wanted; all are counted, by ecosystem."""
    for content in _contents(path):
        for ecosystem in set(_ECOSYSTEM.findall(content)):
            counted[ecosystem.decode("utf-8", "replace")] += 1
        if any(
            name in wanted or normal(name.decode("utf-8", "replace")).encode() in wanted
            for name in _NAMED.findall(content)
        ):
            try:
                told = json.loads(content)
            except (ValueError, RecursionError):
                continue
            if isinstance(told, dict) and not told.get("withdrawn"):
                yield told


def _contents(path: Path) -> Iterator[bytes]:
    """The advisories of a folder or of a zip, with a bound on each and on all."""
    left = _MOST_ALL
    for number, content in enumerate(_in_zip(path) if path.is_file() else _in_folder(path)):
        left -= len(content)
        if number >= _MOST_ADVISORIES or left < 0:
            raise UsageError(
                f"advisories: more than {_MOST_ALL // 1024**3} GiB or {_MOST_ADVISORIES} of them in {path} (name "
                "the data of fewer ecosystems)",
                field="advisories",
            )
        yield content


def _in_zip(path: Path) -> Iterator[bytes]:
    try:
        with zipfile.ZipFile(path) as opened:
            for entry in opened.infolist():
                if entry.filename.endswith(".json") and entry.file_size <= _MOST_ADVISORY:
                    with opened.open(entry) as file:
                        yield file.read(_MOST_ADVISORY)
    except (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise UsageError(f"advisories: {path} cannot be read: {error} (a folder or a zip of OSV advisories would do)",
                         field="advisories") from error


def _in_folder(path: Path) -> Iterator[bytes]:
    if not path.is_dir():
        raise UsageError(
            f"advisories: {path} is neither a folder nor a zip (see osv.dev for the data)", field="advisories"
        )
    for file in sorted(path.rglob("*.json")):
        try:
            if not file.is_symlink() and file.stat().st_size <= _MOST_ADVISORY:
                yield file.read_bytes()
        except OSError:
            continue


def _match(
    told: Mapping[str, Any], affected: Mapping[str, Any], *, used: Mapping[str, Mapping[str, set[str]]], ecosystem: str,
    found: Audit,
) -> None:
    mine = next((name for name, theirs in NAMES.items() if theirs == ecosystem), "")
    name = text_in(affected, "package", "name")
    name = normal(name) if mine == "python" else name.lower() if mine == "php" else name
    for version in sorted(used.get(mine, {}).get(name, ())):
        if version and _is_affected(affected, version):
            found.vulnerabilities.append(Vulnerability(
                name=name, version=version, id=text_in(told, "id")[:80], fixed_in=_fixed(affected),
                summary=(text_in(told, "summary") or text_in(told, "details"))[:300]))


def _is_affected(affected: Mapping[str, Any], version: str) -> bool:
    plain = version.removeprefix("v")
    if any(isinstance(one, str) and one.removeprefix("v") == plain for one in list_in(affected, "versions")):
        return True
    return any(_in_range(list_in(one, "events"), plain) for one in list_in(affected, "ranges")
               if text_in(one, "type") in ("SEMVER", "ECOSYSTEM"))


def _in_range(events: Iterable[object], version: str) -> bool:
    """Whether the last event at or before the version leaves it affected, as OSV defines it."""
    mine = _key(version)
    if mine is None:
        return False
    inside = False
    for kind, at in sorted(_events(events), key=lambda one: (one[1], one[0] != "introduced")):
        if kind == "introduced" and mine >= at:
            inside = True
        elif (kind == "fixed" and mine >= at) or (kind == "last_affected" and mine > at):
            inside = False
    return inside


def _events(events: Iterable[object]) -> Iterator[tuple[str, Any]]:
    for event in events:
        for kind, version in table_in(event).items():
            at = _key(str(version).removeprefix("v")) if kind in ("introduced", "fixed", "last_affected") else None
            if at is not None:
                yield kind, at


def _key(version: str) -> tuple[Any, ...] | None:
    """By what versions of any ecosystem sort: semantic where they are, else Python's, else by numbers and words."""
    if version == "0":
        return ((-1,),)
    if made := version_of(version):
        return _plain(f"{'.'.join(map(str, made.numbers))}{'-' + made.pre if made.pre else ''}")
    return _plain(version)


def _plain(version: str) -> tuple[Any, ...] | None:
    """Numbers count as numbers; a word (a pre-release) comes before nothing, and nothing before a number."""
    parts = re.findall(r"\d{1,15}|[A-Za-z]{1,30}", version.split("+", maxsplit=1)[0])
    if not parts:
        return None
    key = [
        (2, int(one), "") if one.isdigit() else (0 if one.lower() not in _LATER else 3, 0, one.lower()) for one in parts
    ]
    while key and key[-1] == (2, 0, ""):
        key.pop()
    return (*key, (1, 0, ""))


_LATER = frozenset({"post", "sp", "patch", "pl", "final", "ga", "release"})


def _fixed(affected: Mapping[str, Any]) -> tuple[str, ...]:
    found = [str(version) for one in list_in(affected, "ranges") if text_in(one, "type") in ("SEMVER", "ECOSYSTEM")
             for event in list_in(one, "events") for kind, version in table_in(event).items() if kind == "fixed"]
    return tuple(dict.fromkeys(found))[:10]
