"""The search itself: edits of all sorts at all places, best first, each thought of only when its turn comes."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count

from windtunnel.core.problem import Place
from windtunnel.core.repair import FileEdit, Proposal
from windtunnel.repair.search.bench import Bench
from windtunnel.repair.search.natural import NEUTRAL
from windtunnel.repair.search.site import Edit, Kind, Site
from windtunnel.repair.search.splice import Splice


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """An edit that compiles, with how good it is."""

    site: Site
    kind: Kind
    edit: Edit
    natural: float
    score: float


def ranked(places: Iterable[Site], kinds: tuple[Kind, ...]) -> Iterator[Found]:
    """Every edit once, best first; sorts of edits are opened when nothing better is left."""
    turn, bench = count(), Bench()
    heap: list[tuple[float, int, Site, Kind, Edit | None, float]] = [
        (-site.suspicion * kind.bound, next(turn), site, kind, None, 0.0) for site in places for kind in kinds
    ]
    heapq.heapify(heap)
    while heap:
        score, _, site, kind, edit, natural = heapq.heappop(heap)
        if edit is None:
            for one in _opened(site, kind):
                heapq.heappush(heap, (-site.suspicion * one.prior, next(turn), site, kind, one, 0.0))
        elif natural:
            yield Found(site, kind, edit, natural, -score)
        elif natural := bench.rated(site, edit.splices, whole=kind.whole):
            heapq.heappush(heap, (score * natural, next(turn), site, kind, edit, natural))


def _opened(site: Site, kind: Kind) -> list[Edit]:
    try:
        return list(kind.edits(site))
    except RecursionError:
        return []


def proposal(found: Found, splices: tuple[Splice, ...], *, name: str = "", reason: str = "") -> Proposal:
    """An edit as the loop wants it."""
    module, statement = found.site.module, found.site.statement
    symbol = found.site.function.node.name if found.site.function else None
    prior = min(1.0, found.score / NEUTRAL)
    return Proposal(
        edits=(FileEdit(path=module.path, text=module.text.spliced(splices)),),
        origin="search",
        name=name or found.kind.name,
        reason=reason or found.edit.explained(),
        place=Place(file=module.path, line=statement.lineno, symbol=symbol),
        prior=prior,
        features={
            "suspicion": found.site.suspicion,
            "naturalness": found.natural,
            "commonness": min(1.0, found.edit.prior * 10),
        },
    )
