"""From the words of an error to diffs that may mend it, likeliest first; nothing is run, and nothing is proven."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from windtunnel.checks.project import Folder
from windtunnel.core.problem import Problem
from windtunnel.core.repair import Source
from windtunnel.core.tool import PLACE
from windtunnel.diagnosis import Sources, problems_in
from windtunnel.diagnosis.clusters import clusters
from windtunnel.engine.fix.base import Base, Files, Texts
from windtunnel.engine.fix.bench import Seen
from windtunnel.engine.fix.node import scene_of
from windtunnel.engine.fix.places import Places, language_of
from windtunnel.engine.fix.validate import Validator
from windtunnel.repair.order import Order
from windtunnel.repair.sources import proposals_for

_MOST_LOOKED = 2000
"""Proposals that are looked at for the best few."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedDiff:
    """One edit that may mend an error."""

    diff: str
    reason: str
    name: str
    origin: str
    place: str
    """``path:line``."""
    confidence: float
    """How often such an edit turned out right, from 0 to 1; no test was asked."""


def problems_of_text(error: str, files: Files, *, root: str = "") -> tuple[Problem, ...]:
    """What the words say, root causes first."""
    sources = Sources(read=files.read, find=lambda tail: files.glob(f"**/{tail}"),
                      roots=(PLACE, *((root,) if root else ())))
    return tuple(group.first for group in clusters(problems_in(error, sources=sources, failed=True)))


def suggest(
    error: str, *, project: str | Path | None = None, files: Mapping[str, str] | None = None, most: int = 5,
    allow: Sequence[str] = (), forbid: Sequence[str] = (), order: Order | None = None, more: Sequence[Source] = (),
) -> tuple[RankedDiff, ...]:
    """The likeliest diffs for a project on disk, or for texts by path."""
    place: Files = Texts(files) if files is not None else Folder(project or ".")
    root = str(Path(project).resolve()) if project is not None else ""
    base, order = Base(folder=place), order or Order()
    problems = problems_of_text(error, place, root=root)
    language = language_of(problems, tools=[problem.tool for problem in problems], folder=place)
    scene = scene_of(base, Seen(problems=problems), Places(allow=allow, forbid=forbid), language=language)
    validator = Validator(base, may=frozenset(scene.paths).__contains__)
    first = problems[0] if problems else None
    stream = validator(proposals_for(scene, language, order=order, problem=first, more=more))
    best = sorted(itertools.islice(stream, _MOST_LOOKED if most > 1 else 64), key=lambda one: -order.score(one, first))
    return tuple(RankedDiff(
        diff=one.diff(base.read), reason=one.reason, name=one.name, origin=one.origin,
        place=f"{one.place.file}:{one.place.line}" if one.place.line else one.place.file,
        confidence=round(order.confidence(one, first), 4)) for one in best[:most])
