"""What becomes of numbers over time: a forecast with its interval, a cycle of a run, what a run is for."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from windtunnel.core.errors import UsageError
from windtunnel.core.metric import Direction

LARGEST = 1e300
"""No value is further from zero: sums of a hundred thousand of them are still numbers."""
MOST_NAME = 200
"""Characters of a name of a metric, module or scenario."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """What a series is expected to be next."""

    value: float
    low: float | None
    """None where nothing is known of the spread: below two values."""
    high: float | None
    level: float
    """How often the truth is meant to lie from ``low`` to ``high``."""
    steps: int = 1
    points: int = 0
    """Finite values that it was made from."""
    skipped: int = 0
    """Values left out since they were not finite numbers."""
    weights: Mapping[str, float] = field(default_factory=dict)
    """The share of each method; together 1, empty where there were too few values to weigh any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cycle:
    """One cycle of a run: what it gained, and all that was measured in it."""

    roi: float
    """What the cycle added: its value less the value before it."""
    time: float = 0.0
    """Seconds since 1970, when it ended; zero where nobody knows."""
    scenario: str = ""
    modules: Mapping[str, float] = field(default_factory=dict)
    """The share of each module in what the cycle added."""
    metrics: Mapping[str, float] = field(default_factory=dict)
    resources: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what is not a finite number, and names beyond all reason."""
        finite(self.roi, field="roi")
        finite(self.time, field="time")
        named(self.scenario, field="scenario", empty=True)
        for part in ("modules", "metrics", "resources"):
            for name, value in getattr(self, part).items():
                finite(value, field=f"{part}.{named(name, field=part)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Which run a history is of."""

    id: str = ""
    seed: int = 0
    started: float = 0.0
    """Seconds since 1970; zero where nobody knows."""

    def __post_init__(self) -> None:
        """Refuse what names no run."""
        named(self.id, field="run.id", empty=True)
        finite(self.seed, field="run.seed")
        finite(self.started, field="run.started")


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """One metric that counts, how much, and which way."""

    weight: float = 1.0
    direction: Direction = Direction.HIGHER
    scale: float = 1.0
    """How much of the metric is worth one weight; the metric's own unit."""

    def __post_init__(self) -> None:
        """Refuse weights that turn the direction around, and scales that divide by nothing."""
        if self.direction is Direction.NEITHER:
            raise UsageError("direction: nothing is gained by moving this metric either way", field="direction")
        if finite(self.weight, field="weight") < 0:
            raise UsageError(f"weight: {self.weight} is below zero (turn the direction instead)", field="weight")
        if finite(self.scale, field="scale") <= 0:
            raise UsageError(f"scale: {self.scale} is not above zero", field="scale")


@dataclass(frozen=True, slots=True, kw_only=True)
class Objective:
    """What a run is for: value = sum over its metrics of sign · weight · metric / scale.

    The sign is +1 where higher is better and -1 where lower is. A metric that was not measured adds nothing, and
    ``missing`` names it.
    """

    aims: Mapping[str, Aim]
    cost: float = 0.01
    """The least gain of value that pays for one more cycle."""

    def __post_init__(self) -> None:
        """Refuse an objective of nothing."""
        if not any(aim.weight for aim in self.aims.values()):
            raise UsageError("aims: no metric has a weight (name at least one, such as error_rate)", field="aims")
        if finite(self.cost, field="cost") < 0:
            raise UsageError(f"cost: {self.cost} is below zero", field="cost")

    def value(self, metrics: Mapping[str, float]) -> float:
        """Of one cycle."""
        return math.fsum(
            (1 if aim.direction is Direction.HIGHER else -1) * aim.weight * metrics[name] / aim.scale
            for name, aim in self.aims.items() if name in metrics and math.isfinite(metrics[name]))

    def missing(self, metrics: Mapping[str, float]) -> tuple[str, ...]:
        """The metrics that count and were not measured."""
        return tuple(sorted(name for name in self.aims if not math.isfinite(metrics.get(name, math.nan))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """Whether one more cycle is expected to pay."""

    stop: bool
    expected: float
    """The gain of the next cycle that is expected, from all that is known."""
    cost: float
    dried: float
    """The chance that nothing worth its cost comes any more, from 0 to 1."""
    drought: int
    """Cycles since the last gain that was worth its cost."""
    reason: str


def finite(value: object, *, field: str) -> float:
    """The number; ``UsageError`` for whatever is none, or beyond ``LARGEST``."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f"{field}: {type(value).__name__} is not a number", field=field)
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise UsageError(f"{field}: {number} is not a finite number", field=field)
    if abs(number) > LARGEST:
        raise UsageError(f"{field}: {number} is not from -{LARGEST:g} to {LARGEST:g}", field=field)
    return number


def named(name: object, *, field: str, empty: bool = False) -> str:
    """The name; ``UsageError`` where it is none, too long, or has signs that a line cannot show."""
    if not isinstance(name, str) or not (name or empty):
        raise UsageError(f"{field}: a name is a text, not {type(name).__name__}", field=field)
    if len(name) > MOST_NAME or not name.isprintable():
        raise UsageError(f"{field}: {name[:60]!r} is no name (at most {MOST_NAME} printable characters)", field=field)
    return name


def finite_values(series: Iterable[float]) -> list[float]:
    """Those that are finite numbers, in order."""
    return [float(value) for value in series if _is_finite(value)]


def _is_finite(value: object) -> bool:
    try:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False
