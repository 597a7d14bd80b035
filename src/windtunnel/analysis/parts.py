"""The parts of a tree: each folder with a manifest, and what is concluded from it. Nothing of the project is run."""

from __future__ import annotations

import collections
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from windtunnel.analysis.commands import commands_of
from windtunnel.analysis.ecosystems import ECOSYSTEMS
from windtunnel.analysis.ecosystems.base import Found, at
from windtunnel.analysis.equipment import TESTS, TOOLS
from windtunnel.analysis.frameworks import FRAMEWORKS, Row
from windtunnel.analysis.linguist.places import state_of
from windtunnel.analysis.listing import Listing
from windtunnel.core.analysis import Framework, Part

_MOST_PARTS = 2000
_ASIDE = frozenset({"testdata", "fixtures", "__fixtures__", "examples", "example", "samples", "corpus", "templates"})
"""Folders whose manifests are not the project's own."""
_LOCK_SHARED = {"node", "rust", "python"}
_MAKE = {"python", "node", "go", "rust", "java", "ruby", "php", "dotnet", "elixir", "dart", "swift"}


@dataclass(frozen=True, slots=True)
class Portion:
    """A part, and all that its manifests and locks say."""

    part: Part
    found: Found


def portions(listing: Listing) -> tuple[Portion, ...]:
    """The parts of a tree, the top first, then by folder."""
    folders: dict[str, list[str]] = collections.defaultdict(list)
    for path in listing.names:
        folder, _, name = path.rpartition("/")
        folders[folder].append(name)
    found = list(_found(listing, folders))
    _share_locks(found)
    return tuple(Portion(_part(one, folders[one.folder], listing), one) for one in found)


def _found(listing: Listing, folders: dict[str, list[str]]) -> Iterator[Found]:
    made = aside = 0
    for folder in sorted(folders, key=lambda one: (one.count("/") if one else -1, one)):
        names = tuple(folders[folder])
        for ecosystem in ECOSYSTEMS.values():
            if not ecosystem.matches(names):
                continue
            if folder and (state_of(f"{folder}/x") == "vendored" or _ASIDE & set(folder.split("/"))):
                aside += 1
                continue
            told = ecosystem.read(listing, folder, names)
            if told is not None and made < _MOST_PARTS and _is_part(told, names, folder):
                made += 1
                yield told
    if aside:
        listing.notes.append(
            f"{aside} manifests in folders for examples, fixtures or other people's code were left out"
        )
    if made == _MOST_PARTS:
        listing.notes.append(f"only the first {_MOST_PARTS} parts were looked at")


def _is_part(told: Found, names: Sequence[str], folder: str) -> bool:
    """Whether it stands for itself: requirements files deep inside, or a Makefile beside another manifest, do not."""
    if told.ecosystem == "python":
        return bool(told.manifests) or "manage.py" in names
    if told.ecosystem == "c" and told.manager == "make":
        return not any(ECOSYSTEMS[other].matches(names) for other in _MAKE)
    return bool(told.manifests) or not folder


def _share_locks(found: list[Found]) -> None:
    """The lock and the manager of a workspace hold for its members, which have none of their own."""
    for one in found:
        if one.ecosystem not in _LOCK_SHARED or one.locks:
            continue
        above = [other for other in found if other.ecosystem == one.ecosystem and other.locks and other is not one
                 and other.workspace and (not other.folder or one.folder.startswith(f"{other.folder}/"))]
        if above:
            nearest = max(above, key=lambda other: len(other.folder))
            one.locks, one.lender, one.complete = list(nearest.locks), nearest, nearest.complete
            one.manager = nearest.manager if one.manager in ("", "pip") else one.manager
    for one in found:
        if one.ecosystem == "node" and not one.manager:
            one.manager = "npm"


def _part(found: Found, names: Sequence[str], listing: Listing) -> Part:
    frameworks = tuple(Framework(name=name, kind=kind, why=why)
                       for name, kind, why in _told(found, FRAMEWORKS.get(found.ecosystem, ()), listing))
    tests = [name for name, _, _ in _told(found, TESTS.get(found.ecosystem, ()), listing)]
    runner = tests and (found.ecosystem != "ruby" or {"rspec", "minitest", "test-unit"} & set(tests))
    part = Part(
        folder=found.folder,
        ecosystem=found.ecosystem,
        name=found.name,
        manager=found.manager,
        manifests=tuple(found.manifests),
        locks=tuple(found.locks),
        scripts=found.scripts | _targets(found, names, listing),
        frameworks=frameworks,
        tests=tuple(tests if runner else (*_usual_tests(found, listing), *tests)),
        tools=tuple(name for name, _, _ in _told(found, TOOLS.get(found.ecosystem, ()), listing)),
        entry_points=tuple(dict.fromkeys(found.entry_points))[:50],
    )
    return with_commands(part, listing)


def with_commands(part: Part, listing: Listing) -> Part:
    """The part with the commands that it knows; the one place where ``analysis.commands`` is asked."""
    return replace(part, commands=commands_of(part, listing.known))


def _told(found: Found, rows: Iterable[Row], listing: Listing) -> Iterator[tuple[str, str, str]]:
    wanted = {one.name: one.file for one in found.wanted}
    for name, kind, tells in rows:
        why = next(filter(None, (_why(tell, found, wanted, listing) for tell in tells)), "")
        if why:
            yield name, kind, why


def _why(tell: str, found: Found, wanted: dict[str, str], listing: Listing) -> str:
    kind, colon, rest = tell.partition(":")
    if colon and kind == "file":
        path = at(found.folder, rest)
        return f"{path} is there" if listing.has(path) else ""
    if colon and kind == "key":
        return f"{found.manifests[0]} sets up {rest}" if rest in found.keys and found.manifests else ""
    if colon and kind == "script":
        return next((f"the script {name}" for name, line in found.scripts.items() if rest in line), "")
    if tell.endswith("*"):
        return next((f"{file} needs {name}" for name, file in wanted.items() if name.startswith(tell[:-1])), "")
    return f"{wanted[tell]} needs {tell}" if tell in wanted else ""


def _usual_tests(found: Found, listing: Listing) -> list[str]:
    """What tests are written for where no dependency says so, by the names of files."""
    prefix = f"{found.folder}/" if found.folder else ""
    below = listing.below(found.folder)
    if found.ecosystem == "go":
        return ["go test"] if any(name.endswith("_test.go") for name in below) else []
    if found.ecosystem == "rust":
        return ["cargo test"] if any(name.endswith(".rs") for name in below) else []
    if found.ecosystem == "python":
        named = (name.rpartition("/")[2] for name in below if name.endswith(".py"))
        return ["unittest"] if any(name.startswith("test") for name in named) else []
    if found.ecosystem == "ruby":
        return ["minitest"] if any("/test/" in f"/{name}" and name.endswith("_test.rb") for name in below) else []
    if found.ecosystem == "swift":
        return ["xctest"] if any(name.startswith(f"{prefix}Tests/") for name in below) else []
    return []


def _targets(found: Found, names: Sequence[str], listing: Listing) -> dict[str, str]:
    """Targets of a Makefile that stands beside the manifest."""
    if found.ecosystem == "c" or "Makefile" not in names:
        return {}
    aside = ECOSYSTEMS["c"].read(_only(listing, at(found.folder, "Makefile")), found.folder, ("Makefile",))
    return {f"make {name}": line for name, line in aside.scripts.items()} if aside else {}


def _only(listing: Listing, path: str) -> Listing:
    """The one file, with a source beside it, so that its targets are read as those of any Makefile."""
    return Listing((path, f"{path}.c"), listing.read_bytes)
