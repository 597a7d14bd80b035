"""How far forecasts can be relied on, whatever the unit: their errors beside those of the naive forecast.

``reliability = N / (N + E)``, where E is the mean absolute error of the predictions and N that of always saying the
value before, over the same cycles. It is 1 for predictions that were always right, 0.5 for those no better than the
naive one, and nears 0 for worse. Without a pair to judge by it is 0.
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from windtunnel.core.series import finite_values
from windtunnel.returns.mixture import seen

Pairs = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """How well a metric was foretold."""

    metric: str
    recorded: bool
    """Whether these predictions were made at the time; else they are a backtest of our own forecast."""
    pairs: int
    error: float
    """The mean absolute error, in the metric's unit."""
    reliability: float


def reliability(pairs: Pairs, *, window: int | None = None) -> float:
    """Of predictions as (foretold, came), in order; only the last ``window`` of them where one is given."""
    judged = [(abs(told - came), abs(came - before))
              for (_, before), (told, came) in itertools.pairwise(pairs)]
    judged = judged[-window:] if window else judged
    if not judged:
        return 0.0
    error, naive = (statistics.fmean(column) for column in zip(*judged, strict=True))
    return 1.0 if error == 0 else naive / (naive + error)


def mean_absolute_error(pairs: Pairs, *, window: int | None = None) -> float:
    """Mean of |foretold - came| over the last ``window`` pairs, or all; 0 where there are none."""
    chosen = pairs[-window:] if window else pairs
    return statistics.fmean(abs(told - came) for told, came in chosen) if chosen else 0.0


def backtest(series: Sequence[float]) -> tuple[tuple[float, float], ...]:
    """What our own forecast would have said of each value from those before it, and what came."""
    values = finite_values(series)
    errors = seen(values).errors
    return tuple((value - error, value) for value, error in zip(values[1:], errors, strict=True))
