"""Seven simple ways to say what comes next; each sees the values one by one and can be asked at any time.

Where a way has a constant to choose, all of a short list run side by side, and the one whose squared one-step errors
add up to least so far speaks.
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Mapping
from typing import Protocol

_ALPHAS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_LEVELS, _TRENDS, _DAMPINGS = (0.3, 0.5, 0.7, 0.9), (0.1, 0.3, 0.5), (0.7, 0.85)
_RECENT = 5


class Expert(Protocol):
    """One way to say what comes next."""

    def see(self, value: float) -> None:
        """Take in one more value."""

    def ahead(self, steps: int) -> float:
        """The value so many steps after the last; at least one was seen."""


class Naive:
    """The last value: f = y[n]."""

    def __init__(self) -> None:
        """Nothing seen."""
        self.last = 0.0

    def see(self, value: float) -> None:
        """Only the last counts."""
        self.last = value

    def ahead(self, steps: int) -> float:  # noqa: ARG002 -- the same at every distance
        """The last."""
        return self.last


class Smoothing:
    """Simple exponential smoothing: level = a·y + (1-a)·level, f = level; a from a list of ten."""

    def __init__(self) -> None:
        """Nothing seen."""
        self._levels: list[float] = []
        self._errors = [0.0] * len(_ALPHAS)

    def see(self, value: float) -> None:
        """Each constant errs, then learns."""
        if not self._levels:
            self._levels = [value] * len(_ALPHAS)
            return
        for at, alpha in enumerate(_ALPHAS):
            error = value - self._levels[at]
            self._errors[at] += error * error
            self._levels[at] += alpha * error

    def ahead(self, steps: int) -> float:  # noqa: ARG002 -- the same at every distance
        """The level of the constant that erred least; of equals the quickest."""
        return self._levels[min(reversed(range(len(_ALPHAS))), key=self._errors.__getitem__)]


class Drift:
    """The line through the first and the last value: f = y[n] + h·(y[n] - y[1]) / (n - 1)."""

    def __init__(self) -> None:
        """Nothing seen."""
        self._first = self._last = 0.0
        self._count = 0

    def see(self, value: float) -> None:
        """The first stays."""
        if not self._count:
            self._first = value
        self._last = value
        self._count += 1

    def ahead(self, steps: int) -> float:
        """As far on as it went each step so far."""
        return self._last + steps * (self._last - self._first) / max(1, self._count - 1)


class Theta:
    """Smoothing plus half of the straight line's slope a step: f = level + h·slope / 2, least squares."""

    def __init__(self) -> None:
        """Nothing seen."""
        self._smoothing = Smoothing()
        self._count, self._sum, self._moment = 0, 0.0, 0.0

    def see(self, value: float) -> None:
        """Sums for the slope."""
        self._smoothing.see(value)
        self._sum += value
        self._moment += self._count * value
        self._count += 1

    def ahead(self, steps: int) -> float:
        """Half the slope, since the other half is taken to be chance."""
        return self._smoothing.ahead(steps) + steps * self._slope() / 2

    def _slope(self) -> float:
        n = self._count
        return 0.0 if n < 2 else 12 * (self._moment - (n - 1) / 2 * self._sum) / (n * (n * n - 1))  # noqa: PLR2004


class Damped:
    """Holt's trend that fades: level and trend smoothed, f = level + (p + p² + … + p^h)·trend."""

    _GRID = tuple(itertools.product(_LEVELS, _TRENDS, _DAMPINGS))

    def __init__(self) -> None:
        """Nothing seen."""
        self._states: list[tuple[float, float, float]] = []
        """Level, trend and squared errors so far, of each choice of constants."""

    def see(self, value: float) -> None:
        """Each choice errs, then learns."""
        if not self._states:
            self._states = [(value, 0.0, 0.0)] * len(self._GRID)
            return
        learned = []
        for (level, trend, errors), (alpha, beta, phi) in zip(self._states, self._GRID, strict=True):
            error = value - level - phi * trend
            learned.append((level + phi * trend + alpha * error, phi * trend + alpha * beta * error,
                            errors + error * error))
        self._states = learned

    def ahead(self, steps: int) -> float:
        """The choice that erred least."""
        at = min(range(len(self._states)), key=lambda at: self._states[at][2])
        (level, trend, _), phi = self._states[at], self._GRID[at][2]
        return level + trend * sum(phi**step for step in range(1, steps + 1))


class RecentMedian:
    """The median of the last five: f = median(y[n-4] … y[n])."""

    def __init__(self) -> None:
        """Nothing seen."""
        self._recent: list[float] = []

    def see(self, value: float) -> None:
        """The oldest goes."""
        self._recent = [*self._recent[-_RECENT + 1:], value]

    def ahead(self, steps: int) -> float:  # noqa: ARG002 -- the same at every distance
        """Their median."""
        return statistics.median(self._recent)


class Mean:
    """The mean of all: f = (y[1] + … + y[n]) / n."""

    def __init__(self) -> None:
        """Nothing seen."""
        self._mean, self._count = 0.0, 0

    def see(self, value: float) -> None:
        """Step by step, so that large values lose no digits."""
        self._count += 1
        self._mean += (value - self._mean) / self._count

    def ahead(self, steps: int) -> float:  # noqa: ARG002 -- the same at every distance
        """The mean."""
        return self._mean


EXPERTS: Mapping[str, Callable[[], Expert]] = {
    "naive": Naive, "smoothing": Smoothing, "drift": Drift, "theta": Theta, "damped": Damped, "median": RecentMedian,
    "mean": Mean}
