"""What a probe saw of the network of a run."""

from __future__ import annotations

import statistics

from windtunnel.core.metric import Direction, Metric, MetricExample, Observation, Value, missing


def _latency(seen: Observation) -> Value:
    if not seen.round_trip_seconds:
        return missing("no probe went over the network of the run")
    return Value(value=1000 * statistics.median(seen.round_trip_seconds))


NETWORK_LATENCY = Metric(
    name="network_latency", unit="ms", direction=Direction.LOWER, measure=_latency,
    formula="median round trip of a probe, times 1000", source="a probe on the network of the sandbox",
    examples=(
        MetricExample(observation=Observation(round_trip_seconds=(0.25, 0.5, 8.0)), value=500.0),
        MetricExample(observation=Observation(), value=None),
    ))
