"""Where a fault may lie: functions that failing tests ran and passing ones did not, by Ochiai.

The score of a function is ``f / sqrt(F * (f + p))``, where ``f`` failing and ``p`` passing tests ran it and ``F`` tests
failed. Baselines keep which functions each test ran, where its runner can be traced; so this is at the level of
functions, not of statements. A function that a failing test's own trace names comes before others of the same score.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from windtunnel.core.problem import Place, Suspect
from windtunnel.core.trial import CheckReport
from windtunnel.diagnosis.sources import Sources
from windtunnel.tamper import is_test

MOST_SUSPECTS = 10
_FEW = 5


def suspects(reports: Sequence[CheckReport], sources: Sources) -> tuple[Suspect, ...]:
    """The most suspicious functions outside of the tests; none where nothing failed or nothing was traced."""
    failing: dict[str, list[str]] = {}
    passing: dict[str, int] = {}
    failed = 0
    for report in reports:
        status = {test.id: test.status for test in report.tests}
        for name, places in report.touched.items():
            if name not in status or not status[name].ran:
                continue
            failed += status[name].bad
            for place in _product(places):
                if status[name].bad:
                    failing.setdefault(place, []).append(name)
                else:
                    passing[place] = passing.get(place, 0) + 1
    made = [_suspect(place, names, passed=passing.get(place, 0), failed=failed, sources=sources)
            for place, names in failing.items()]
    return tuple(sorted(made, key=lambda one: (-one.score, one.place.file, one.place.line or 0))[:MOST_SUSPECTS])


def _product(places: Iterable[str]) -> set[str]:
    """``path:line`` of code that is no test; line 0 stands for a whole file, which says too little."""
    return {place for place in places if not place.endswith(":0") and not is_test(place.rpartition(":")[0])}


def _suspect(place: str, names: Sequence[str], *, passed: int, failed: int, sources: Sources) -> Suspect:
    path, _, line = place.rpartition(":")
    where = Place(file=path, line=int(line) if line.isdecimal() and len(line) < 10 else None)  # noqa: PLR2004 -- digits
    where = Place(file=path, line=where.line, symbol=sources.symbol(where))
    score = len(names) / math.sqrt(failed * (len(names) + passed))
    return Suspect(place=where, score=round(score, 4), failing=len(names), passing=passed,
                   tests=tuple(sorted(names)[:_FEW]))
