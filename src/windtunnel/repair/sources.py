"""All that propose fixes, by language, and one stream of their proposals, the likeliest first."""

from __future__ import annotations

import heapq
import importlib
import itertools
from collections.abc import Callable, Iterator, Sequence

from windtunnel.core.problem import Problem
from windtunnel.core.repair import Proposal, Scene, Source
from windtunnel.repair.order import Order

_FOREIGN = ("foreign:rules", "foreign:search")
_BY_LANGUAGE = {
    "python": ("syntax:propose", "rules:propose", "search:search", "search:pairs"),
    "javascript": _FOREIGN, "typescript": _FOREIGN, "java": _FOREIGN, "go": _FOREIGN, "rust": _FOREIGN}
LANGUAGES = tuple(_BY_LANGUAGE)
_AHEAD = 64
"""Proposals that are seen of each source before one is given out."""
_COSTLY = "search:pairs"
_BEFORE_COSTLY = 96
"""Proposals of the others that are given out before that source is asked: its first one takes as long as hundreds of
single edits, and most faults are mended before."""


def sources_of(language: str) -> tuple[Source, ...]:
    """Those that know a language, loaded when first asked for; none where nobody does."""
    return tuple(getattr(importlib.import_module(f"windtunnel.repair.{module}"), name) for module, _, name in (
        place.partition(":") for place in _BY_LANGUAGE.get(language, ())))


def proposals_for(
    scene: Scene, language: str, *, order: Order | None = None, problem: Problem | None = None,
    more: Sequence[Source] = (), tell: Callable[[str], object] = str,
) -> Iterator[Proposal]:
    """Every proposal once, the best of the next few of each source first; ``more`` are sources of the caller's.

    ``tell`` hears of a source that failed, of which nothing more comes.
    """
    order, first = order or Order(), problem or (scene.problems[0] if scene.problems else None)
    heap: list[tuple[float, int, int, Proposal]] = []
    streams = [_guarded(source, scene, tell) for source in (*more, *sources_of(language))]
    costly = {len(more) + place for place, name in enumerate(_BY_LANGUAGE.get(language, ())) if name == _COSTLY}
    ahead, count, told = [0] * len(streams), itertools.count(), set[str]()
    while True:
        for number, stream in enumerate(streams):
            if number in costly and heap and len(told) < _BEFORE_COSTLY:
                continue
            for proposal in itertools.islice(stream, _AHEAD - ahead[number]):
                ahead[number] += 1
                heapq.heappush(heap, (-order.score(proposal, first), next(count), number, proposal))
        if not heap:
            return
        *_, number, best = heapq.heappop(heap)
        ahead[number] -= 1
        if best.key not in told:
            told.add(best.key)
            yield best


def _guarded(source: Source, scene: Scene, tell: Callable[[str], object]) -> Iterator[Proposal]:
    """What it proposes; one that fails over some file must not take the others with it."""
    try:
        yield from source(scene)
    except Exception as error:  # noqa: BLE001 -- whatever it is, the others go on
        name = getattr(source, "__module__", "") or type(source).__name__
        tell(f"{name} failed and proposes nothing more: {type(error).__name__}: {error}"[:500])
