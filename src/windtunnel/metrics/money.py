"""Cost models over measured time and resources, at stated prices; business-sounding names, plain arithmetic."""

from __future__ import annotations

from windtunnel.core.metric import Direction, Metric, MetricExample, Observation, Prices, Value, missing
from windtunnel.metrics.calls import NO_CALLS, returned

_GIBIBYTE = 1024**3
_COST = "CPU time, memory or the time of the clock was not measured"
_PRICES = Prices(price_cpu_second=0.25, price_gib_second=0.5, value_of_call=1.0, horizon_seconds=10.0)


def cost(seen: Observation) -> float | None:
    """CPU seconds and GiB seconds at their prices; none where one was not measured."""
    if seen.cpu_seconds is None or seen.peak_memory_bytes is None or seen.wall_seconds is None:
        return None
    held = seen.peak_memory_bytes / _GIBIBYTE * seen.wall_seconds
    return seen.cpu_seconds * seen.prices.price_cpu_second + held * seen.prices.price_gib_second


def worth(seen: Observation) -> float | None:
    """Calls that returned, at their value; none where none was made."""
    useful = returned(seen)
    return None if not seen.calls or useful is None else useful * seen.prices.value_of_call


def _revenue(seen: Observation) -> Value:
    earned = worth(seen)
    return missing(NO_CALLS) if earned is None else Value(value=earned, estimated=True)


def _profitability(seen: Observation) -> Value:
    earned, spent = worth(seen), cost(seen)
    if earned is None:
        return missing(NO_CALLS)
    if spent is None:
        return missing(_COST)
    larger = max(earned, spent)
    return Value(value=(earned - spent) / larger, estimated=True) if larger else missing("all prices are zero")


def _lucrativity(seen: Observation) -> Value:
    earned, spent = worth(seen), cost(seen)
    if earned is None:
        return missing(NO_CALLS)
    if spent is None or not seen.wall_seconds:
        return missing(_COST)
    return Value(value=(earned - spent) / seen.wall_seconds * seen.prices.horizon_seconds, estimated=True)


def _run(*, calls: int = 4, raised: int = 0) -> Observation:
    """A run that costs 2: four CPU seconds, and one GiB for two seconds."""
    return Observation(calls=calls, raised=raised, cpu_seconds=4.0, wall_seconds=2.0, peak_memory_bytes=_GIBIBYTE,
                       prices=_PRICES)


REVENUE = Metric(
    name="revenue", unit="currency", direction=Direction.HIGHER, measure=_revenue,
    formula="(calls - raised) value_of_call", source="calls without faults, at the configured prices",
    examples=(
        MetricExample(observation=_run(calls=5, raised=2), value=3.0, estimated=True),
        MetricExample(observation=Observation(), value=None),
    ))
PROFITABILITY = Metric(
    name="profitability", unit="share", direction=Direction.HIGHER, low=-1.0, high=1.0, measure=_profitability,
    formula="(revenue - cost) / the larger of the two, cost = CPU seconds price_cpu_second + peak GiB wall seconds "
            "price_gib_second; with a gain this is the margin",
    source="measured time and memory, at the configured prices",
    examples=(
        MetricExample(observation=_run(calls=4), value=0.5, estimated=True),
        MetricExample(observation=_run(calls=4, raised=3), value=-0.5, estimated=True),
        MetricExample(observation=Observation(calls=4, raised=0), value=None),
    ))
PROJECTED_LUCRATIVITY = Metric(
    name="projected_lucrativity", unit="currency", direction=Direction.HIGHER, low=-1e15, high=1e15,
    measure=_lucrativity, source="measured time and memory, at the configured prices",
    formula="(revenue - cost) / wall seconds, times horizon_seconds: what a day like this run would leave",
    examples=(
        MetricExample(observation=_run(calls=4), value=10.0, estimated=True),
        MetricExample(observation=Observation(calls=4, raised=0, cpu_seconds=1.0), value=None),
    ))
