"""What faults say of a program: how much still works, whether more of them make it better, and how it recovers."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from windtunnel.core.metric import Direction, Metric, MetricExample, Observation, UnderFault, Value, missing
from windtunnel.metrics.calls import returned

_NO_FAULT = "no fault was injected"
_NO_CALM = "no call returned without a fault, so there is nothing to compare with"


def _resilience(seen: Observation) -> Value:
    calls = sum(one.calls for one in seen.faults)
    if not calls:
        return missing(_NO_FAULT)
    useful = returned(seen)
    if not seen.calls or not useful:
        return missing(_NO_CALM)
    return Value(value=sum(one.returned for one in seen.faults) / calls / (useful / seen.calls))


def _points(seen: Observation) -> list[tuple[float, float, int]]:
    """(intensity, share that returned, calls), calm first where it is known."""
    useful = returned(seen)
    calm = [(0.0, useful / seen.calls, seen.calls)] if seen.calls and useful is not None else []
    return calm + [(one.intensity, one.returned / one.calls, one.calls) for one in seen.faults if one.calls]


def _slope(points: Sequence[tuple[float, float, int]]) -> float:
    """Of the least-squares line, each point counting by its calls."""
    weight = sum(calls for _, _, calls in points)
    middle = sum(x * calls for x, _, calls in points) / weight
    mean = sum(y * calls for _, y, calls in points) / weight
    spread = sum(calls * (x - middle) ** 2 for x, _, calls in points)
    return sum(calls * (x - middle) * (y - mean) for x, y, calls in points) / spread


def _antifragility(seen: Observation) -> Value:
    points = _points(seen)
    if not any(one.calls for one in seen.faults):
        return missing(_NO_FAULT)
    low, high = min(x for x, _, _ in points), max(x for x, _, _ in points)
    if high <= low:
        return missing("faults had one intensity only, and nothing was called without them")
    return Value(value=_slope(points) * (high - low))


def _recovery(seen: Observation) -> Value:
    watched = [one.recovery_seconds for one in seen.faults if one.watched or one.recovery_seconds is not None]
    if not watched:
        return missing("nobody watched for a recovery" if seen.faults else _NO_FAULT)
    middle = statistics.median(math.inf if one is None else one for one in watched)
    if math.isinf(middle):
        never = sum(one is None for one in watched)
        return missing(f"after {never} of {len(watched)} faults there was no recovery while it was watched")
    return Value(value=middle)


def _storm(intensity: float, *, returned: int, calls: int = 10) -> UnderFault:
    return UnderFault(fault="disk_full", intensity=intensity, calls=calls, returned=returned)


RESILIENCE = Metric(
    name="resilience", unit="ratio", direction=Direction.HIGHER, high=1.0, measure=_resilience,
    formula="share of calls that returned under faults / share that returned without, held to 1",
    source="calls under injected faults",
    examples=(
        MetricExample(observation=Observation(calls=10, raised=2, faults=(_storm(1.0, returned=4),)), value=0.5),
        MetricExample(observation=Observation(calls=10, raised=10, faults=(_storm(1.0, returned=4),)), value=None),
        MetricExample(observation=Observation(calls=10, raised=2), value=None),
    ))
ANTIFRAGILITY = Metric(
    name="antifragility", unit="change of share", direction=Direction.HIGHER, low=-1.0, high=1.0,
    measure=_antifragility, source="calls under injected faults of several intensities",
    formula="slope of the least-squares line of the share that returned over the intensity of the fault (calm is 0), "
            "weighted by calls, times the span of intensities: what is gained from the mildest to the worst, "
            "held to -1 and 1",
    examples=(
        MetricExample(observation=Observation(
            calls=10, raised=0, faults=(_storm(0.5, returned=5), _storm(1.0, returned=0))), value=-1.0),
        MetricExample(observation=Observation(faults=(_storm(0.2, returned=2), _storm(1.0, returned=6))), value=0.4),
        MetricExample(observation=Observation(faults=(_storm(1.0, returned=2), _storm(1.0, returned=6))), value=None),
    ))
RECOVERY_TIME = Metric(
    name="recovery_time", unit="s", direction=Direction.LOWER, measure=_recovery,
    formula="median over faults of the seconds from its end to the first call that returned; "
            "none where half of them or more had no recovery",
    source="calls after an injected fault ended",
    examples=(
        MetricExample(observation=Observation(faults=(
            UnderFault(fault="partition", recovery_seconds=2.0, watched=True),
            UnderFault(fault="disk_full", recovery_seconds=4.0, watched=True),
            UnderFault(fault="dns_failure", watched=True))), value=4.0),
        MetricExample(observation=Observation(faults=(UnderFault(fault="partition", watched=True),)), value=None),
        MetricExample(observation=Observation(faults=(UnderFault(fault="partition"),)), value=None),
    ))
