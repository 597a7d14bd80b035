"""Whoever foretells metrics: a registry of them, each with its own errors so far."""

from __future__ import annotations

import statistics
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from windtunnel.core.series import finite_values
from windtunnel.returns.forecasts import forecast

KEPT_ERRORS = 50
MOST_SOURCES = 100

Source = Callable[[str], Sequence[float]]
"""The values of a metric so far."""


class ForecastBot:
    """Our own forecast of what its sources know of a metric; 0 where none knows anything."""

    prediction_profile: Mapping[str, Iterable[str]] = {}

    def __init__(self) -> None:
        """Knows nothing until it is shown a source."""
        self._sources: list[Source] = []

    def watch(self, source: Source) -> None:
        """Ask this source before those it knew already."""
        self._sources = [source, *(known for known in self._sources if known != source)][:MOST_SOURCES]

    def predict_metric(self, name: str, features: Iterable[float] | None = None) -> float:  # noqa: ARG002 -- it goes by the past alone
        """What the metric is expected to be next."""
        known = next((values for source in self._sources if (values := finite_values(source(name)))), [])
        return forecast(known).value


@dataclass(slots=True, kw_only=True)
class Entry:
    """One bot of the registry."""

    id: str
    bot: Any
    profile: Mapping[str, Iterable[str]]
    """What it is for, as {"scope": ["security_score"]}; empty is for everything."""
    errors: dict[str, deque[float]] = field(default_factory=dict)
    """Its absolute errors by metric, the newest last."""
    problems: list[str] = field(default_factory=list)

    def serves(self, profile: Mapping[str, Iterable[str]]) -> bool:
        """Whether its profile has something of each part that is asked for."""
        return all(not self.profile.get(part) or set(self.profile[part]) & set(wanted)
                   for part, wanted in profile.items())

    def missed(self, metric: str, error: float) -> None:
        """Remember how far off it was."""
        self.errors.setdefault(metric, deque(maxlen=KEPT_ERRORS)).append(abs(error))

    def rolling_mae(self, metric: str, window: int | None = None) -> float:
        """The mean absolute error of its last predictions of a metric; 0 before any came true."""
        known = list(self.errors.get(metric, ()))
        return statistics.fmean(known[-window:] if window else known) if known else 0.0
