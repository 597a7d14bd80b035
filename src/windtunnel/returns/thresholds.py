"""Bounds that follow the noise: which change is too small to count.

An exponential moving average over n values takes each with ``alpha = 2 / (n + 1)``:
``mean ← alpha · x + (1 - alpha) · mean``, and the same of the squares; the variance is the mean of squares less the
square of the mean.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence

from windtunnel.core.errors import UsageError
from windtunnel.core.series import finite_values

FACTOR = 2.0
_LEAST_SHARE = 0.1
_SYNERGY, _PREDICTED = "synergy_", "pred_"


def moving_average(values: Sequence[float]) -> tuple[float, float]:
    """The exponentially weighted mean and standard deviation; (0, 0) of nothing."""
    known = finite_values(values)
    if not known:
        return 0.0, 0.0
    alpha, origin = 2.0 / (len(known) + 1), known[0]
    mean = square = 0.0
    for value in known[1:]:
        mean += alpha * (value - origin - mean)
        square += alpha * ((value - origin) ** 2 - square)
    return origin + mean, math.sqrt(max(0.0, square - mean * mean))


def adaptive_threshold(values: Sequence[float], window: int, *, factor: float = FACTOR) -> float:
    """``factor`` times the exponentially weighted standard deviation of the last ``window``; 0 below two values."""
    known = finite_values(values)[-_positive(window):]
    return factor * moving_average(known)[1] if len(known) > 1 else 0.0


def adaptive_synergy_threshold(
    history: Sequence[Mapping[str, float]], window: int, *, factor: float = FACTOR, weight: float = 1.0,
    predictions: Sequence[Mapping[str, float]] = (),
) -> float:
    """``factor`` times the weighted standard deviation of (actual - predicted) synergy; 0 below two differences.

    A difference of i cycles ago weighs ``weight^i``, so a weight below 1 makes newer ones count more. What was
    predicted is looked for in ``predictions`` and under ``pred_<name>`` in the entry; without either it is 0.
    """
    if not 0 < weight <= 1:
        raise UsageError(f"weight: {weight} is not above 0 and at most 1", field="weight")
    pairs = list(_differences(history[-_positive(window):], predictions[-window:], weight))
    if len(pairs) < 2:  # noqa: PLR2004 -- one difference has no spread
        return 0.0
    total = math.fsum(share for share, _ in pairs)
    mean = math.fsum(share * value for share, value in pairs) / total
    return factor * math.sqrt(math.fsum(share * (value - mean) ** 2 for share, value in pairs) / total)


def adaptive_tolerance(tolerance: float, reliability: float) -> float:
    """``tolerance · max(0.1, 1 - reliability)``: what is foretold well is told from nothing by less."""
    return tolerance * max(_LEAST_SHARE, 1.0 - min(1.0, max(0.0, reliability)))


def still_modules(
    deltas: Mapping[str, Sequence[float]], *, threshold: float, consecutive: int = 3, spread: float = 1e-3,
) -> tuple[str, ...]:
    """Modules whose last gains neither moved nor varied.

    The mean of the last ``consecutive`` is within ``threshold`` and their standard deviation below ``spread``.
    """
    _positive(consecutive)
    return tuple(sorted(name for name, values in deltas.items() if _still(
        finite_values(values)[-consecutive:], count=consecutive, threshold=threshold, spread=spread)))


def _still(values: Sequence[float], *, count: int, threshold: float, spread: float) -> bool:
    return (len(values) == count and abs(statistics.fmean(values)) <= threshold
            and statistics.pstdev(values) < spread)


def _differences(
    history: Sequence[Mapping[str, float]], predictions: Sequence[Mapping[str, float]], weight: float,
) -> list[tuple[float, float]]:
    foretold = [*({} for _ in range(len(history) - len(predictions))), *predictions][-len(history):]
    found = []
    for age, (came, told) in enumerate(zip(reversed(history), reversed(foretold), strict=False)):
        for name, value in came.items():
            if name.startswith(_SYNERGY):
                wanted = told.get(name, came.get(f"{_PREDICTED}{name}", 0.0))
                found += [(weight**age, difference) for difference in finite_values([value - wanted])]
    return found


def _positive(count: int) -> int:
    if count < 1:
        raise UsageError(f"window: {count} is not at least 1", field="window")
    return count
