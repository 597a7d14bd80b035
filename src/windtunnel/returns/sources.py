"""Where gains may come from: a steady source, one that grows, fades, dries up at once, or pays in bursts.

Each guess says how likely it makes the gains that were seen (its evidence), the chance that it still yields more than
the cost each cycle, and what it yields next.

A **smooth** source gives ``a · h(t)`` plus normal noise. With ``a`` from ``N(0, n · s² / Σh²)`` and ``s²`` as if one
cycle had been off by the cost c, its evidence is ``(1+n)^-½ · Γ((n+1)/2) / Γ(½) · π^(-n/2) · c · R^(-(n+1)/2)`` with
``R = c² + Σy² - n/(n+1) · (Σhy)² / Σh²``; what it yields next is Student's t with n+1 degrees of freedom around
``n/(n+1) · Σhy / Σh² · h(n)``.

A **bursty** source gives small noise with the chance 1-p and a gain of the size of those seen with the chance p; after
it dried up, small noise alone. So d gainless cycles speak for its end by ``(1-p)^-d``, with the p that went before.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from windtunnel.returns.student import below

SMOOTH_ENDS, BURSTS_END = 0.05, 0.012
"""The chance beforehand that a source dries up at any one cycle."""
_FADING, _GROWING = 0.3, 0.1
_LIVES = (2, 3, 4, 6, 8, 12, 16, 24, 40)
"""Cycles in which a fading source falls to 37 %."""
_POWERS = (1, 2)
RATES = (0.15, 0.2, 0.3, 0.5, 0.8)
"""Chances of a burst; what pays more rarely than every sixth cycle or so is not waited for."""
_QUIET = 0.25
"""Noise below this share of the cost does not count."""
_LOSSES = 0.025
"""The share of bursts that may be losses."""
_HALF_LOG = 0.5 * math.log(2 * math.pi)
_NORMAL_MEDIAN = 0.6745


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """One source that the gains may come from."""

    evidence: float
    """The logarithm of how likely it makes the gains, times how likely it was beforehand."""
    pays: float
    """The chance that it yields more than the cost each cycle."""
    expected: float
    """Of the next cycle."""


def smooth(gains: Sequence[float], *, cost: float) -> Iterator[Guess]:
    """Steady, growing, fading, and dried up before any of the cycles."""
    fit = _Fit(gains, cost)
    n = len(gains)
    yield fit.guess([1.0] * n, after=1.0, before=1.0)
    for power in _POWERS:
        yield fit.guess([((at + 1) / n) ** power for at in range(n)], after=((n + 1) / n) ** power,
                        before=_GROWING / len(_POWERS))
    for life in _LIVES:
        yield fit.guess([math.exp(-at / life) for at in range(n)], after=math.exp(-n / life),
                        before=_FADING / len(_LIVES))
    for count, total in enumerate(itertools.accumulate(gains[:-1], initial=0.0)):
        yield fit.ended(count, total)


class _Fit:
    """The sums that all smooth guesses share."""

    def __init__(self, gains: Sequence[float], cost: float) -> None:
        self._gains, self._cost, self._count = gains, cost, len(gains)
        self._squares = cost * cost + math.fsum(gain * gain for gain in gains)
        self._freedom = self._count + 1
        self._share = self._count / (self._count + 1)
        self._front = (math.lgamma(self._freedom / 2) - math.lgamma(0.5) - self._count / 2 * math.log(math.pi)
                       + math.log(cost) - 0.5 * math.log(1 + self._count))

    def guess(self, shape: Sequence[float], *, after: float, before: float) -> Guess:
        """A source of this shape that goes on with ``after``."""
        weight = math.fsum(height * height for height in shape)
        product = math.fsum(height * gain for height, gain in zip(shape, self._gains, strict=True))
        left = self._left(product, weight)
        expected = self._share * product / weight * after
        spread = math.sqrt(self._share * left / self._freedom / weight) * after
        pays = 1 - below((self._cost - expected) / spread, freedom=self._freedom) if spread else 0.0
        return Guess(evidence=self._evidence(left, before), pays=pays, expected=expected)

    def ended(self, count: int, total: float) -> Guess:
        """Steady for so many cycles, with this total, and nothing but noise since."""
        left = self._left(total, count) if count else self._squares
        return Guess(evidence=self._evidence(left, SMOOTH_ENDS), pays=0.0, expected=0.0)

    def _left(self, product: float, weight: float) -> float:
        return max(self._squares - self._share * product * product / weight, self._cost * self._cost)

    def _evidence(self, left: float, before: float) -> float:
        return self._front - self._freedom / 2 * math.log(left) + math.log(before)


def bursty(gains: Sequence[float], *, cost: float) -> Iterator[Guess]:
    """Bursts at each of the rates: still coming, or ended before any of the cycles."""
    noise = _noise(gains, cost)
    bursts = [gain for gain in gains if gain > max(cost, 2 * noise)]
    size = statistics.fmean(bursts) if bursts else max(10 * cost, 3 * noise)
    wide = math.hypot(math.sqrt(statistics.fmean(gain * gain for gain in bursts)) if bursts else size, noise)
    quiet = [_normal(gain, noise) for gain in gains]
    burst = [_normal(gain, wide) + math.log(2 * (1 - _LOSSES if gain > 0 else _LOSSES)) for gain in gains]
    silent = list(itertools.accumulate(reversed(quiet), initial=0.0))[::-1]
    """Of the cycles from each one on."""
    for rate in RATES:
        alive = itertools.accumulate((_either(math.log1p(-rate) + calm, math.log(rate) + loud)
                                      for calm, loud in zip(quiet, burst, strict=True)), initial=0.0)
        before = math.log(1 / len(RATES))
        for at, seen in enumerate(alive):
            if at == len(gains):
                yield Guess(evidence=seen + before, pays=float(rate * size > cost), expected=rate * size)
            else:
                yield Guess(evidence=seen + silent[at] + before + math.log(BURSTS_END), pays=0.0, expected=0.0)


def _noise(gains: Sequence[float], cost: float) -> float:
    """Of a cycle without a burst: from the median absolute first difference, which rare bursts leave alone."""
    steps = [abs(after - before) for before, after in itertools.pairwise(gains)]
    typical = statistics.median_high(steps) if steps else 0.0
    return max(_QUIET * cost, typical / (_NORMAL_MEDIAN * math.sqrt(2)))


def _normal(value: float, spread: float) -> float:
    return -_HALF_LOG - math.log(spread) - 0.5 * (value / spread) ** 2


def _either(one: float, other: float) -> float:
    """The logarithm of the sum of two, of which the logarithms are given."""
    high, low = (one, other) if one > other else (other, one)
    return high + math.log1p(math.exp(low - high))
