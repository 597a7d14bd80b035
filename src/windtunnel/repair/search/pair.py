"""Two edits at once, where one alone does not do: the best ones of one function, best pairs first."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from itertools import islice

from windtunnel.repair.search.bench import Bench
from windtunnel.repair.search.natural import NEUTRAL
from windtunnel.repair.search.queue import Found
from windtunnel.repair.search.splice import Splice

_SINGLES = 300


def paired(singles: Iterator[Found]) -> Iterator[tuple[Found, Found, float]]:
    """Each two of the best few hundred that can be done together, with their common score."""
    best = list(islice(singles, _SINGLES))
    bench = Bench()
    heap = [(-one.score * best[index + 1].score, index, index + 1) for index, one in enumerate(best[:-1])]
    heapq.heapify(heap)
    while heap:
        _, first, second = heapq.heappop(heap)
        one, two = best[first], best[second]
        if second + 1 < len(best):
            heapq.heappush(heap, (-one.score * best[second + 1].score, first, second + 1))
        if one.site.module is two.site.module and one.site.function is two.site.function and _apart(one, two):
            natural = bench.rated(one.site, one.edit.splices + two.edit.splices, whole=True)
            if natural:
                yield one, two, one.score * two.score * natural / NEUTRAL


def _apart(first: Found, second: Found) -> bool:
    """Whether their splices touch different bytes."""
    return not any(_meet(one, two) for one in first.edit.splices for two in second.edit.splices)


def _meet(one: Splice, two: Splice) -> bool:
    return one.start == two.start or (one.start < two.end and two.start < one.end)
