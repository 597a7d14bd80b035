"""Whether metrics have settled: near zero, without a trend, and no more restless than before.

Three questions are asked of the last values of each metric; it has settled when all say yes.

* **near**: the t-interval of the mean, ``mean ± t(level, n-1) · s / √n``, lies within the threshold.
* **without a trend**: the correlation r of value and cycle is no sign of one, by ``t = r · √((n-2) / (1-r²))``; with
  statsmodels, the Augmented Dickey-Fuller test must also reject a random walk where there are enough values for it.
* **steady**: the spread of the second half is not larger than that of the first; with scipy by Levene's test, otherwise
  by whether the ratio of the variances stays below 4.
"""

from __future__ import annotations

import importlib
import math
import statistics
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windtunnel.core.errors import UsageError
from windtunnel.core.series import finite_values
from windtunnel.returns.student import quantile, two_sided

LEAST = 4
_LEAST_FOR_ROOTS = 12
_MOST_RATIO = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """Whether one metric has settled, and by which tests that was said."""

    settled: bool
    mean: float
    half_width: float
    """Of the t-interval of the mean."""
    correlation: float
    """Of value and cycle, from -1 to 1."""
    confidence: float
    """The least of the three answers, as a chance from 0 to 1."""
    tests: tuple[str, ...]
    reason: str


def settled(
    values: Sequence[float], *, threshold: float, window: int = 10, level: float = 0.95,
) -> Settled:
    """Of the last ``window`` values of one metric."""
    if window < LEAST:
        raise UsageError(f"window: {window} is below {LEAST}", field="window")
    last = finite_values(values)[-window:]
    if len(last) < window:
        return Settled(settled=False, mean=0.0, half_width=0.0, correlation=0.0, confidence=0.0, tests=(),
                       reason=f"{len(last)} of {window} values")
    mean = statistics.fmean(last)
    half = quantile(level, freedom=window - 1) * statistics.stdev(last) / math.sqrt(window)
    correlation = rolling_correlation(last)
    answers = [("t-interval", abs(mean) + half <= threshold, _near(last, threshold), "the mean is not near zero"),
               *_trend(last, correlation, level), _steady(last, level)]
    failed = [why for _, held, _, why in answers if not held]
    return Settled(settled=not failed, mean=mean, half_width=half, correlation=correlation,
                   confidence=min(chance for _, _, chance, _ in answers), tests=tuple(name for name, *_ in answers),
                   reason="; ".join(failed) or "settled")


def all_settled(
    history: Sequence[Mapping[str, float]], *, threshold: float, window: int = 10, level: float = 0.95,
) -> dict[str, Settled]:
    """Each metric of the entries by its name."""
    names = sorted({name for entry in history for name in entry})
    return {name: settled([entry[name] for entry in history if name in entry], threshold=threshold, window=window,
                          level=level) for name in names}


def rolling_correlation(values: Sequence[float]) -> float:
    """Pearson's r of the values and their places; 0 where either does not vary."""
    if len(values) < 2 or statistics.pstdev(values) == 0:  # noqa: PLR2004
        return 0.0
    return min(1.0, max(-1.0, statistics.correlation(range(len(values)), values)))


def _near(values: Sequence[float], threshold: float) -> float:
    """The chance, by the t distribution, that the mean is within the threshold."""
    spread = statistics.stdev(values) / math.sqrt(len(values))
    room = threshold - abs(statistics.fmean(values))
    if spread == 0:
        return float(room >= 0)
    beyond = two_sided(room / spread, freedom=len(values) - 1) / 2
    return 1 - beyond if room > 0 else beyond


def _trend(values: Sequence[float], r: float, level: float) -> list[tuple[str, bool, float, str]]:
    n = len(values)
    chance = 0.0 if abs(r) >= 1 else two_sided(r * math.sqrt((n - 2) / (1 - r * r)), freedom=n - 2)
    found = [("correlation", chance > 1 - level, chance, f"a trend: correlation {r:+.2f} with the cycle")]
    roots = _optional("statsmodels.tsa.stattools")
    if roots is not None and n >= _LEAST_FOR_ROOTS and statistics.pstdev(values) > 0:
        walk = _chance(lambda: roots.adfuller(list(values), maxlag=1))
        if walk is not None:
            found.append(("augmented Dickey-Fuller", walk < 1 - level, 1 - walk, "a random walk is not ruled out"))
    return found


def _steady(values: Sequence[float], level: float) -> tuple[str, bool, float, str]:
    early, late = values[:len(values) // 2], values[len(values) // 2:]
    why = "more restless than before"
    grown = statistics.pvariance(late) > statistics.pvariance(early)
    tests = _optional("scipy.stats")
    chance = _chance(lambda: tests.levene(early, late)) if tests is not None else None
    if chance is not None:
        return "Levene", not grown or not chance < 1 - level, chance if grown else 1.0, why
    ratio = statistics.pvariance(late) / statistics.pvariance(early) if statistics.pvariance(early) else math.inf
    held = not grown or ratio <= _MOST_RATIO
    return "ratio of variances", held, 1.0 if not grown else min(1.0, 1 / ratio), why


def _chance(test: Callable[[], Any]) -> float | None:
    """What a library's test says, as an object or as the second of several; none where it cannot say."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            answer = test()
            chance = float(answer.pvalue if hasattr(answer, "pvalue") else answer[1])
        except (ValueError, ArithmeticError):
            return None
    return chance if math.isfinite(chance) else None


def _optional(name: str) -> Any:  # noqa: ANN401 -- a module that may not be installed
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
