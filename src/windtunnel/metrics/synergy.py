"""What modules do together beyond what they do alone, and to which of them it is owed.

What holds: the shares of modules add up to the whole, up to the rounding of floating-point sums.
"""

from __future__ import annotations

import itertools
import math
import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from windtunnel.core.errors import UsageError
from windtunnel.metrics.table import METRICS

PREFIX = "synergy_"
EXACT_UP_TO = 10
_MOST_MODULES = 1000
_FEWEST_ORDERS, _MOST_ORDERS = 2, 100_000

NAMES = (f"{PREFIX}roi", *(f"{PREFIX}{name}" for name in METRICS))
"""Of everything that is compared, alone and combined."""

Coalition = Callable[[frozenset[str]], float]
"""What comes out when these modules take part, and no others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """What each module is owed of the whole."""

    shares: Mapping[str, float]
    errors: Mapping[str, float]
    """Standard error of each; zero where the shares are exact."""
    exact: bool
    asked: int
    """How many different coalitions were measured."""


def synergies(combined: Mapping[str, float | None], alone: Sequence[Mapping[str, float | None]]) -> dict[str, float]:
    """By ``synergy_<metric>``: combined minus the average of alone.

    A metric that is not known of the combined run, or of any one alone, has none: an average over others would compare
    different things.
    """
    found: dict[str, float] = {}
    for name, value in combined.items():
        parts = [one.get(name) for one in alone]
        known = [part for part in parts if part is not None and math.isfinite(part)]
        if value is not None and math.isfinite(value) and known and len(known) == len(parts):
            found[name if name.startswith(PREFIX) else f"{PREFIX}{name}"] = value - statistics.fmean(known)
    return found


def shapley(modules: Sequence[str], worth: Coalition, *, seed: int = 0, orders: int = 400) -> Shares:
    """The Shapley value of each: the mean, over all orders of joining, of what it adds to those before it.

    Exact up to ten modules, from all coalitions; above, the mean over ``orders`` drawn from the seed, each beside its
    reverse. ``worth`` is asked once for each coalition.
    """
    _check(modules, orders)
    asked: dict[frozenset[str], float] = {}

    def remembered(coalition: frozenset[str]) -> float:
        if coalition not in asked:
            asked[coalition] = _finite(worth(coalition))
        return asked[coalition]

    exact = len(modules) <= EXACT_UP_TO
    shares, errors = _exact(modules, remembered) if exact else _drawn(
        modules, remembered, generator=random.Random(seed), pairs=orders // 2)  # noqa: S311 -- a repeatable draw
    return Shares(shares=shares, errors=errors, exact=exact, asked=len(asked))


def _check(modules: Sequence[str], orders: int) -> None:
    if len(set(modules)) != len(modules):
        raise UsageError("modules: one of them is there twice", field="modules")
    if len(modules) > _MOST_MODULES:
        raise UsageError(f"modules: {len(modules)} are too many (at most {_MOST_MODULES} are)", field="modules")
    if not _FEWEST_ORDERS <= orders <= _MOST_ORDERS:
        raise UsageError(f"orders: {orders} (a number from {_FEWEST_ORDERS} to {_MOST_ORDERS} would do)",
                         field="orders")


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise UsageError(f"worth: {value!r} is no worth of a coalition (a finite number is)", field="worth")
    return value


def _exact(modules: Sequence[str], worth: Coalition) -> tuple[dict[str, float], dict[str, float]]:
    """By the formula: each gain weighted by the share of orders in which exactly those others come before."""
    number = len(modules)
    shares: dict[str, float] = {}
    for module in modules:
        others = [one for one in modules if one != module]
        shares[module] = math.fsum(
            (worth(frozenset(before) | {module}) - worth(frozenset(before))) / (number * math.comb(number - 1, size))
            for size in range(number) for before in itertools.combinations(others, size))
    return shares, dict.fromkeys(modules, 0.0)


def _drawn(
    modules: Sequence[str], worth: Coalition, *, generator: random.Random, pairs: int,
) -> tuple[dict[str, float], dict[str, float]]:
    gains: dict[str, list[float]] = {module: [] for module in modules}
    for _ in range(pairs):
        order = generator.sample(list(modules), len(modules))
        there, back = _gains(order, worth), _gains(order[::-1], worth)
        for module in modules:
            gains[module].append((there[module] + back[module]) / 2)
    errors = {module: statistics.stdev(each) / math.sqrt(pairs) if pairs > 1 else math.inf
              for module, each in gains.items()}
    return {module: math.fsum(each) / pairs for module, each in gains.items()}, errors


def _gains(order: Sequence[str], worth: Coalition) -> dict[str, float]:
    """What each adds when it joins those before it."""
    found: dict[str, float] = {}
    before: frozenset[str] = frozenset()
    for module in order:
        found[module] = worth(before | {module}) - worth(before)
        before |= {module}
    return found
