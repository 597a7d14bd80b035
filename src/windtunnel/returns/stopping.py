"""When to stop: when the source of gains has very likely dried up, or yields less than a cycle costs.

All sources that the gains may come from are weighed by their evidence (Bayes). The run stops when the chance that the
next cycles still pay, on average, falls below ``DOUBT``. A smooth history is left a few cycles after its gains end; a
bursty one gets as many more as its bursts were rare.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from windtunnel.core.errors import UsageError
from windtunnel.core.series import Advice, finite_values
from windtunnel.returns.sources import bursty, smooth

DOUBT = 0.05
LEAST_CYCLES = 8
"""Before so many cycles nothing is advised but to go on."""
MOST_CYCLES = 120
"""Only so many of the last cycles are looked at."""
_MOST_COSTS = 1e9
"""A gain of more than so many costs counts as so many."""


def advise(gains: Iterable[float], *, cost: float = 0.01, doubt: float = DOUBT) -> Advice:
    """Whether one more cycle pays; ``cost`` is the least gain that is worth one.

    A gain that is no finite number counts as none.
    """
    _check(cost, doubt)
    given = [gain if finite_values([gain]) else 0.0 for gain in gains][-MOST_CYCLES:]
    drought = _drought(given, cost)
    if len(given) < LEAST_CYCLES:
        expected = math.fsum(given) / len(given) if given else 0.0
        words = "cycle is" if len(given) == 1 else "cycles are"
        return Advice(stop=False, expected=expected, cost=cost, dried=0.0, drought=drought,
                      reason=f"{len(given)} {words} too few to tell (at least {LEAST_CYCLES})")
    pays, expected = _weighed([min(_MOST_COSTS, max(-_MOST_COSTS, gain / cost)) for gain in given])
    expected *= cost
    return Advice(stop=pays < doubt, expected=expected, cost=cost, dried=1 - pays, drought=drought,
                  reason=f"the chance that a cycle still gains {cost:g} is {100 * pays:.0f} %, "
                         f"{drought} cycles after the last that did")


def _weighed(gains: list[float]) -> tuple[float, float]:
    """The chance that cycles still pay, and what the next is expected to gain; gains are in units of the cost."""
    guesses = [*smooth(gains, cost=1.0), *bursty(gains, cost=1.0)]
    best = max(guess.evidence for guess in guesses)
    weights = [math.exp(guess.evidence - best) for guess in guesses]
    total = math.fsum(weights)
    pays = math.fsum(weight * guess.pays for weight, guess in zip(weights, guesses, strict=True)) / total
    expected = math.fsum(weight * guess.expected for weight, guess in zip(weights, guesses, strict=True)) / total
    return min(1.0, max(0.0, pays)), expected


def _drought(gains: list[float], cost: float) -> int:
    return next((at for at, gain in enumerate(reversed(gains)) if gain >= cost), len(gains))


def _check(cost: float, doubt: float) -> None:
    if not (math.isfinite(cost) and cost > 0):
        raise UsageError(f"cost: {cost} is not above zero (what is the least gain that pays for a cycle?)",
                         field="cost")
    if not 0 < doubt < 1:
        raise UsageError(f"doubt: {doubt} is not between 0 and 1 (try {DOUBT})", field="doubt")
