"""What a short series is expected to be next, and how far off that may be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from windtunnel.core.errors import UsageError
from windtunnel.core.series import Forecast, finite_values
from windtunnel.returns.guests import Guest, speaker
from windtunnel.returns.intervals import half_width
from windtunnel.returns.mixture import seen

MOST_POINTS = 120
"""Only so many of the last values are looked at."""
MOST_STEPS = 1000


def forecast(
    series: Iterable[float], *, steps: int = 1, level: float = 0.95, least: float | None = None,
    most: float | None = None, guests: Mapping[str, Guest] | None = None,
) -> Forecast:
    """The value ``steps`` after the last, and the interval it lies in with the chance ``level``.

    ``least`` and ``most`` are the ends of the metric's own range, where it has any. An empty series is foretold to be
    0, one value to stay; both without an interval. What is no finite number is left out and counted. ``guests`` take
    part beside our own mixture; where none are given, those of statsforecast do, if it is installed.
    """
    _check(steps, level)
    given = list(series)
    values = finite_values(given)
    said = {"level": level, "steps": steps, "points": len(values), "skipped": len(given) - len(values)}
    if len(values) < 2:  # noqa: PLR2004 -- one value says nothing of the spread
        return Forecast(value=_within(values[0] if values else 0.0, least, most), low=None, high=None, **said)  # type: ignore[arg-type]
    mixture = seen(values[-MOST_POINTS:])
    best = speaker(values[-MOST_POINTS:], mixture.errors, steps=steps, guests=guests)
    value, errors, weights = (mixture.ahead(steps), mixture.errors, mixture.weights()) if best is None else (
        best.value, best.errors, {best.name: 1.0})
    half = half_width(errors, level=level) * math.sqrt(steps)
    return Forecast(value=_within(value, least, most), low=_within(value - half, least, most),
                    high=_within(value + half, least, most), weights=weights, **said)  # type: ignore[arg-type]


def _within(value: float, least: float | None, most: float | None) -> float:
    if least is not None:
        value = max(least, value)
    return value if most is None else min(most, value)


def _check(steps: int, level: float) -> None:
    if not 1 <= steps <= MOST_STEPS:
        raise UsageError(f"steps: {steps} is not from 1 to {MOST_STEPS}", field="steps")
    if not 0 < level < 1:
        raise UsageError(f"level: {level} is not between 0 and 1 (try 0.95)", field="level")
