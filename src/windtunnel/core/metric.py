"""What can be measured of a run, a source or a change: the nouns that all metrics share.

An observation is what programs said and what was measured of them, so any figure in it may be odd; ``measure_all``
takes an odd one for a missing one. A value that cannot be told is none, with the reason, never a guess.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum

from windtunnel.core.errors import UsageError

MOST = 1e15
"""Figures beyond this are not believed."""
_MOST_CURRENCY = 8


class Direction(StrEnum):
    """Which way is better."""

    HIGHER = "higher"
    LOWER = "lower"
    NEITHER = "neither"
    """It is told, and nothing is gained by moving it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """What resources cost and calls are worth, in one currency; assumptions, to be set to one's own.

    The defaults: AWS Fargate (Linux, x86, us-east-1) asks 0.04048 USD for an hour of a core and 0.004445 for an hour of
    a GiB; AWS Lambda asks 0.20 USD for a million calls, which is taken for what a call is worth; Cloud Carbon
    Footprint gives 3.5 W for a busy core of AWS.
    """

    price_cpu_second: float = 0.04048 / 3600
    price_gib_second: float = 0.004445 / 3600
    value_of_call: float = 0.20 / 1e6
    """Of one that returned."""
    watts: float = 3.5
    """Of one busy core; used only where the machine's own meter cannot be read."""
    horizon_seconds: float = 86_400.0
    """How long ``projected_lucrativity`` looks ahead."""
    currency: str = "USD"

    def __post_init__(self) -> None:
        """Refuse what is no price."""
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name != "currency" and not usable(value):
                raise UsageError(f"{each.name}: {value!r} is no price (a number from 0 to {MOST:g} is)",
                                 field=each.name)


def prices_of(table: Mapping[str, object]) -> Prices:
    """From a table of the configuration; what is no price, or of no price's name, is refused."""
    names = [each.name for each in fields(Prices)]
    for name, value in table.items():
        if name not in names:
            raise UsageError(f"prices: {str(name)[:50]!r} is none ({', '.join(names)} are)", field=str(name)[:50])
        if name == "currency" and not (isinstance(value, str) and value.isalpha() and len(value) <= _MOST_CURRENCY):
            raise UsageError(f"currency: {str(value)[:50]!r} is none (USD is)", field="currency")
    return Prices(**dict(table))  # type: ignore[arg-type]  # checked at birth


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderFault:
    """How calls went while one fault was there."""

    fault: str
    intensity: float = 1.0
    """From 0, hardly there, to 1, the worst that is injected."""
    calls: int = 0
    returned: int = 0
    recovery_seconds: float | None = None
    """From the end of the fault to the first call that returned."""
    watched: bool = False
    """Whether anybody looked for a recovery; then none of ``recovery_seconds`` means that there was none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What a security scanner found, by severity, and over how many lines."""

    low: int = 0
    medium: int = 0
    high: int = 0
    lines: int = 0
    """Of code, without blank ones and comments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchedFile:
    """How many lines a change adds to one file, and takes away."""

    path: str
    added: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What is known of one run; none is not known."""

    calls: int | None = None
    """As usual, without faults."""
    raised: int | None = None
    """Of those, how many did not return."""
    unsafe: int | None = None
    """Of those, how many were ended by a signal or a limit, or reached for what is forbidden."""
    call_seconds: tuple[float, ...] = ()
    """Of the clock, of each call that was timed."""
    wall_seconds: float | None = None
    cpu_seconds: float | None = None
    peak_memory_bytes: int | None = None
    bytes_in: int | None = None
    bytes_out: int | None = None
    round_trip_seconds: tuple[float, ...] = ()
    """Of a probe on the network of the run."""
    baseline_calls_per_cpu_second: float | None = None
    """Calls that returned for each CPU second, before the change."""
    faults: tuple[UnderFault, ...] = ()
    line_coverage: float | None = None
    """Share of lines run, from 0 to 1."""
    branch_coverage: float | None = None
    modules: int | None = None
    modules_called: int | None = None
    functions: int | None = None
    functions_returned: int | None = None
    """How many functions returned at least once."""
    findings: Findings | None = None
    complexities: tuple[int, ...] = ()
    """Cyclomatic, of each function."""
    maintainability: float | None = None
    """Index from 0 to 100."""
    sources: tuple[str, ...] = ()
    """Texts of Python files."""
    token_entropy: float | None = None
    """Of those texts, in bits a token, where it was reckoned before."""
    patch: tuple[PatchedFile, ...] | None = None
    energy_joules: float | None = None
    """By the machine's own meter."""
    discrepancies: int | None = None
    prices: Prices = field(default_factory=Prices)


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """What came out; none where it cannot be told, and then ``reason`` says why."""

    value: float | None
    reason: str = ""
    """Of a figure, what it rests on, where that differs from run to run."""
    estimated: bool = False
    """Whether something was assumed where nothing was measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricExample:
    """An observation, and what is measured of it."""

    observation: Observation
    value: float | None
    estimated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One thing that can be measured."""

    name: str
    unit: str
    direction: Direction
    formula: str
    source: str
    """Where the figures come from."""
    measure: Callable[[Observation], Value]
    low: float = 0.0
    high: float = math.inf
    examples: tuple[MetricExample, ...] = ()


def usable(number: object, *, high: float = MOST) -> bool:
    """Whether it is a number that can be reckoned with: finite, not negative, not beyond belief."""
    return isinstance(number, int | float) and not isinstance(number, bool) and 0 <= number <= high


def missing(reason: str) -> Value:
    """None, because."""
    return Value(value=None, reason=reason)
