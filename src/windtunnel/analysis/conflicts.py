"""Where wishes and locks do not fit together, within each part.

What is looked for: wishes of one part that no version meets, over all its files and groups; a lock file whose version
is outside of what the manifest allows, or which lacks what the manifest wants; locks of two managers side by side; one
dependency pinned at two versions. What is not: whether the dependencies of dependencies fit, which takes the data of a
registry, and wishes that hold only for some machines (markers), which are left out.
"""

from __future__ import annotations

import collections
from collections.abc import Iterable, Iterator, Mapping, Sequence

from windtunnel.analysis import pep440
from windtunnel.analysis.ecosystems.base import Found
from windtunnel.analysis.ranges import Range, cargo_range, common, composer_range, holds, npm_range, version_of
from windtunnel.core.analysis import Conflict, Dependency

_RANGES = {"node": npm_range, "rust": cargo_range, "php": composer_range, "elixir": None, "dart": npm_range}
_PEP440 = frozenset({"python", "ruby"})
_UNLOCKED = frozenset({"peer", "optional", "build", "constraints", "managed", "provided"})
"""Groups that a lock file need not have."""
_MANAGERS = {"package-lock.json": "npm", "npm-shrinkwrap.json": "npm", "yarn.lock": "yarn", "pnpm-lock.yaml": "pnpm",
             "bun.lock": "bun", "bun.lockb": "bun", "uv.lock": "uv", "poetry.lock": "poetry", "pdm.lock": "pdm",
             "Pipfile.lock": "pipenv"}


def conflicts(parts: Sequence[Found]) -> tuple[Conflict, ...]:
    """All of them, in the order of the parts."""
    return tuple(one for part in parts for one in (*_wishes(part), *_locks(part), *_managers(part)))


def _wishes(part: Found) -> Iterator[Conflict]:
    by_name: dict[str, list[Dependency]] = collections.defaultdict(list)
    for one in part.wanted:
        if one.wanted and ";" not in one.wanted and one.group != "build":
            by_name[one.name].append(one)
    for name, wishes in by_name.items():
        different = {one.wanted: one for one in wishes}
        if len(different) > 1 and (kind := _clash(part.ecosystem, list(different))):
            places = tuple(f"{one.file} ({one.group}): {one.wanted}" for one in different.values())
            reason = "it is pinned at two versions" if kind == "duplicated" else "no version meets all of these wishes"
            yield Conflict(
                name=name,
                ecosystem=part.ecosystem,
                kind=kind,
                reason=f"{reason}: {' and '.join(different)}",
                places=places,
            )


def _clash(ecosystem: str, wishes: Sequence[str]) -> str:
    """The kind of conflict between wishes that differ in their text; empty where there is none or nobody can tell."""
    if ecosystem in _PEP440:
        pins = pep440.pins(wishes)
        if len(pins) > 1:
            return "duplicated"
        return "unsatisfiable" if pep440.clash(wishes) else ""
    read = _RANGES.get(ecosystem)
    if read is None:
        return "duplicated" if ecosystem == "java" and _plain(wishes) else ""
    ranges = [made for wish in wishes if (made := read(wish)) is not None]
    if len(ranges) != len(wishes) or common(ranges):
        return ""
    return "duplicated" if all(_is_pin(one) for one in ranges) else "unsatisfiable"


def _is_pin(wanted: Range) -> bool:
    return len(wanted) == 1 and wanted[0].low == wanted[0].high


def _plain(wishes: Iterable[str]) -> bool:
    """Whether all are versions, none a property or a range."""
    return all(wish[:1].isdigit() for wish in wishes)


def _locks(part: Found) -> Iterator[Conflict]:
    if not part.locks:
        return
    chosen: dict[str, list[str]] = collections.defaultdict(list)
    for one in part.chosen:
        chosen[one.name].append(one.version)
    own, lock = {part.name}, next((one.file for one in part.chosen), part.locks[0])
    for wish in {(one.name, one.wanted): one for one in part.wanted}.values():
        if wish.group in _UNLOCKED or wish.group.startswith("optional:") or ";" in wish.wanted or wish.name in own:
            continue
        if part.ecosystem == "python" and not wish.file.endswith(("pyproject.toml", "Pipfile")):
            continue  # the lock was not made from this file
        versions = chosen.get(wish.name, [])
        if not versions and part.complete and not _is_local(wish.wanted):
            yield Conflict(name=wish.name, ecosystem=part.ecosystem, kind="missing-from-lock",
                           reason=f"{wish.file} wants it, and {lock} does not have it", places=(wish.file, lock))
        elif versions and _outside(part.ecosystem, wish.wanted, versions):
            yield Conflict(name=wish.name, ecosystem=part.ecosystem, kind="locked-outside",
                           reason=f"{wish.file} wants {wish.wanted}, and {lock} has {', '.join(sorted(set(versions)))}",
                           places=(wish.file, lock))


def _is_local(wanted: str) -> bool:
    return wanted.startswith(("file:", "link:", "workspace:", "portal:", "@", ".", "git", "http", "patch:", "catalog:"))


def _outside(ecosystem: str, wanted: str, versions: Sequence[str]) -> bool:
    """Whether none of the versions is allowed; no where either cannot be read."""
    if ecosystem in _PEP440:
        return pep440.outside(wanted, versions)
    read = _RANGES.get(ecosystem)
    made = read(wanted) if read is not None and wanted else None
    known = [one for one in map(version_of, versions) if one is not None]
    return made is not None and bool(known) and not any(holds(made, one) for one in known)


def _managers(part: Found) -> Iterator[Conflict]:
    if part.lender is not None:
        return
    seen: Mapping[str, str] = {_MANAGERS[name]: lock for lock in part.locks
                               if (name := lock.rpartition("/")[2]) in _MANAGERS}
    if len(seen) > 1:
        yield Conflict(name=part.name or part.folder or ".", ecosystem=part.ecosystem, kind="two-managers",
                       reason=f"locks of {' and '.join(sorted(seen))} side by side: they will drift apart",
                       places=tuple(seen.values()))
