"""Forecasters of statsforecast, where that is installed, and when one of them speaks in the place of our own mixture.

The rule: of the last values, at most ``WINDOW`` and at least ``LEAST``, each is foretold from those before it, by every
guest and by the mixture. Let d be the mixture's absolute error less the guest's, value by value. A guest is better by
enough where ``mean(d) > SURE · stdev(d) / sqrt(n)`` and ``mean(d) > MARGIN · mean of the mixture's absolute errors``.
Of those, the one with the least mean absolute error speaks; where there is none, the mixture does. A guest that fails
or says no finite number once is left out.

What holds: the library is loaded when a series that is long enough is asked about and not before, its warnings stay
here, and it prints nothing and writes nothing.
"""

from __future__ import annotations

import functools
import importlib
import math
import statistics
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

WINDOW, LEAST, FIRST = 24, 8, 4
"""Values to judge by, at most and at least; those before the first of them."""
SURE, MARGIN = 2.5, 0.1
ABSENT = "statsforecast is not installed (pip install 'windtunnel[forecasts]'), so our own methods alone took part"
_KEPT = 4096
_FAILURES = (ValueError, ArithmeticError, RuntimeError, TypeError, LookupError, AttributeError)
"""What models raise on series that they cannot fit."""
_OPTIONS: Mapping[str, Mapping[str, int]] = {
    "AutoARIMA": {"season_length": 1, "max_p": 1, "max_q": 1, "max_order": 2}, "AutoETS": {"season_length": 1},
    "AutoTheta": {"season_length": 1}}
"""Short series have no seasons that can be seen; higher orders fit noise, in three times as long."""

Guest = Callable[[tuple[float, ...], int], float]
"""All values so far and a number of steps: the value so many steps after the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """The guest that was best on a series by enough."""

    name: str
    value: float
    errors: tuple[float, ...]
    """Truth less forecast, of the values it was judged by."""


@functools.cache
def installed() -> Mapping[str, Guest]:
    """The guests by name; none where the library is not there, or does not load."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            models = importlib.import_module("statsforecast.models")
            return {name: _guest(getattr(models, name), options) for name, options in _OPTIONS.items()}
        except (ImportError, AttributeError):
            return {}


def _guest(model: Callable[..., Any], options: Mapping[str, int]) -> Guest:
    @functools.lru_cache(_KEPT)
    def foretell(values: tuple[float, ...], steps: int) -> float:
        import numpy  # noqa: PLC0415, ICN001 -- comes with the library

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return float(model(**options).forecast(y=numpy.asarray(values, dtype=float), h=steps)["mean"][-1])

    return foretell


def speaker(
    values: Sequence[float], errors: Sequence[float], *, steps: int = 1, guests: Mapping[str, Guest] | None = None,
) -> Speaker | None:
    """Who speaks for a series in the place of the mixture, whose one-step ``errors`` these are; none where it speaks.

    ``guests`` are those installed where none are given.
    """
    judged = min(WINDOW, len(values) - FIRST)
    if judged < LEAST or not any(errors[-judged:]):
        return None
    asked = installed() if guests is None else guests
    known = {name: _errors(guest, values, judged) for name, guest in asked.items()}
    better = [name for name, some in known.items() if some and _is_better(some, errors[-judged:])]
    for name in sorted(better, key=lambda name: statistics.fmean(map(abs, known[name]))):
        value = _told(asked[name], values, steps)
        if value is not None:
            return Speaker(name=name, value=value, errors=known[name])
    return None


def _is_better(errors: Sequence[float], ours: Sequence[float]) -> bool:
    """Whether a guest's errors are smaller than ours of the same values, by more than chance makes them."""
    scale = max(map(abs, (*ours, *errors)))
    gains = [abs(own) / scale - abs(its) / scale for own, its in zip(ours, errors, strict=True)]
    gain = statistics.fmean(gains)
    return (gain > SURE * statistics.stdev(gains) / math.sqrt(len(gains))
            and gain > MARGIN * statistics.fmean(abs(own) / scale for own in ours))


def _errors(guest: Guest, values: Sequence[float], judged: int) -> tuple[float, ...]:
    """Of the last values, each foretold from those before it; empty where it failed once."""
    found = []
    for at in range(len(values) - judged, len(values)):
        told = _told(guest, values[:at], 1)
        if told is None or not math.isfinite(values[at] - told):
            return ()
        found.append(values[at] - told)
    return tuple(found)


def _told(guest: Guest, values: Sequence[float], steps: int) -> float | None:
    try:
        found = guest(tuple(values), steps)
    except _FAILURES:
        return None
    return found if math.isfinite(found) else None
