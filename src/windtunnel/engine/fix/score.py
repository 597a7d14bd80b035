"""One number for an attempt, against those before it: what usually varies little counts more.

Each measure is put in standard deviations from the mean of the last attempts, bounded to three, and weighed by how
steady it is: ``weight = 1 / (1 + deviation / (|mean| + 1))``. What should grow (tests that pass, errors that go, gain)
is added; the complexity of the edit is taken off, the more the steadier it usually is. Before there is a history, the
values count as they are.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field, fields

_FARTHEST = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """What is measured of one attempt."""

    coverage: float = 0.0
    """Change in the share of tests that run to their end."""
    errors: float = 0.0
    """Share of the errors that are gone; negative where there are more."""
    gain: float = 0.0
    """Change in the share of tests that pass."""
    complexity: float = 0.0
    """Words and signs that the edit changes, in hundreds."""


@dataclass(slots=True)
class Scores:
    """A rolling history of measures."""

    window: int = 20
    _past: deque[Measures] = field(default_factory=deque)

    def add(self, measures: Measures) -> float:
        """The score against those before it, of which it is one from now on."""
        score = self.score(measures)
        self._past.append(measures)
        while len(self._past) > self.window:
            self._past.popleft()
        return score

    def score(self, measures: Measures) -> float:
        """More is better."""
        total = 0.0
        for name in (each.name for each in fields(Measures)):
            mean, deviation = self.statistics(name)
            value = getattr(measures, name)
            sign = -1.0 if name == "complexity" else 1.0
            total += sign * self.weight(name) * _standard(value, mean, deviation)
        return total

    def statistics(self, name: str) -> tuple[float, float]:
        """Mean and standard deviation of one measure over the window; zeros before there is a history."""
        values = [getattr(one, name) for one in self._past]
        if not values:
            return 0.0, 0.0
        mean = sum(values) / len(values)
        return mean, math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))

    def weight(self, name: str) -> float:
        """From 0 to 1: the steadier a measure was, the nearer to 1."""
        mean, deviation = self.statistics(name)
        return 1.0 / (1.0 + deviation / (abs(mean) + 1.0))


def _standard(value: float, mean: float, deviation: float) -> float:
    """In deviations from the mean; as far from it as it is where nothing ever varied."""
    distance = (value - mean) / deviation if deviation > 0 else value - mean
    return min(max(distance, -_FARTHEST), _FARTHEST)
