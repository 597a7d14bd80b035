"""What a tree needs: wishes and locks put together, with their conflicts and the audit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from windtunnel.analysis import pep440
from windtunnel.analysis.advisories import audit
from windtunnel.analysis.conflicts import conflicts
from windtunnel.analysis.ecosystems.base import Found
from windtunnel.core.analysis import Dependencies, Dependency

_MOST = 50_000


def dependencies(parts: Sequence[Found], *, advisories: Path | None, notes: Sequence[str]) -> Dependencies:
    """Direct ones with what was chosen for them, then those that only a lock file has."""
    every = [one for part in parts for one in _of(part)]
    looked = audit(parts, advisories)
    told = list(notes)
    if len(every) > _MOST:
        told.append(f"only the first {_MOST} of {len(every)} dependencies are listed")
    if any(part.ecosystem in ("python", "ruby") for part in parts) and not pep440.available():
        told.append(pep440.MISSING)
    return Dependencies(dependencies=tuple(every[:_MOST]), conflicts=conflicts(parts), audited=looked.audited,
                        vulnerabilities=tuple(looked.vulnerabilities), notes=tuple(told))


def _of(part: Found) -> Iterator[Dependency]:
    chosen: dict[str, str] = {}
    for one in part.chosen:
        chosen.setdefault(one.name, one.version)
    direct = set()
    for wish in part.wanted:
        direct.add(wish.name)
        yield replace(wish, version=chosen.get(wish.name, ""))
    seen = set()
    for one in part.locked:
        if one.name not in direct and (one.name, one.version) not in seen:
            seen.add((one.name, one.version))
            yield Dependency(
                name=one.name,
                ecosystem=part.ecosystem,
                version=one.version,
                group=one.group,
                direct=False,
                file=one.file,
            )
