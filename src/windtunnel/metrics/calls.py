"""What calls say of themselves: how many returned, how fast, at what cost to the machine."""

from __future__ import annotations

import statistics

from windtunnel.core.metric import Direction, Metric, MetricExample, Observation, Value, missing

NO_CALLS = "no call was made"
_MEBIBYTE = 1024 * 1024


def returned(seen: Observation) -> int | None:
    """Calls that returned, of those without faults; none where it is not known how many were made, or raised."""
    return None if seen.calls is None or seen.raised is None else max(0, seen.calls - seen.raised)


def _error_rate(seen: Observation) -> Value:
    if not seen.calls or seen.raised is None:
        return missing(NO_CALLS)
    return Value(value=seen.raised / seen.calls)


def _safety(seen: Observation) -> Value:
    if not seen.calls:
        return missing(NO_CALLS)
    if seen.unsafe is None:
        return missing("nobody watched how the calls ended")
    return Value(value=1 - seen.unsafe / seen.calls)


def _throughput(seen: Observation) -> Value:
    useful = returned(seen)
    if not seen.calls or useful is None:
        return missing(NO_CALLS)
    return Value(value=useful / seen.wall_seconds) if seen.wall_seconds else missing("the run was not timed")


def _efficiency(seen: Observation) -> Value:
    useful = returned(seen)
    if not seen.calls or useful is None:
        return missing(NO_CALLS)
    if not seen.cpu_seconds:
        return missing("CPU time was not measured")
    if not seen.baseline_calls_per_cpu_second:
        return missing("there is no run to compare with")
    return Value(value=useful / seen.cpu_seconds / seen.baseline_calls_per_cpu_second)


def _latency(seen: Observation) -> Value:
    if not seen.call_seconds:
        return missing("no call was timed")
    return Value(value=1000 * statistics.median(seen.call_seconds))


def _cpu(seen: Observation) -> Value:
    return missing("CPU time was not measured") if seen.cpu_seconds is None else Value(value=seen.cpu_seconds)


def _memory(seen: Observation) -> Value:
    if seen.peak_memory_bytes is None:
        return missing("memory was not measured")
    return Value(value=seen.peak_memory_bytes / _MEBIBYTE)


def _traffic(seen: Observation) -> Value:
    if seen.bytes_in is None or seen.bytes_out is None:
        return missing("bytes on the network were not counted")
    return Value(value=(seen.bytes_in + seen.bytes_out) / _MEBIBYTE)


ERROR_RATE = Metric(
    name="error_rate", unit="share", direction=Direction.LOWER, high=1.0, measure=_error_rate,
    formula="raised / calls", source="calls without faults",
    examples=(
        MetricExample(observation=Observation(calls=8, raised=2), value=0.25),
        MetricExample(observation=Observation(calls=0, raised=0), value=None),
    ))
SAFETY_RATING = Metric(
    name="safety_rating", unit="share", direction=Direction.HIGHER, high=1.0, measure=_safety,
    formula="1 - unsafe / calls, unsafe being calls that a signal or a limit ended, or that reached for the forbidden",
    source="how the sandbox saw calls end",
    examples=(
        MetricExample(observation=Observation(calls=10, unsafe=1), value=0.9),
        MetricExample(observation=Observation(calls=10), value=None),
    ))
THROUGHPUT = Metric(
    name="throughput", unit="calls/s", direction=Direction.HIGHER, measure=_throughput,
    formula="(calls - raised) / wall seconds", source="the clock outside the sandbox",
    examples=(
        MetricExample(observation=Observation(calls=12, raised=2, wall_seconds=2.0), value=5.0),
        MetricExample(observation=Observation(calls=12, raised=2), value=None),
    ))
EFFICIENCY = Metric(
    name="efficiency", unit="ratio", direction=Direction.HIGHER, measure=_efficiency,
    formula="(calls - raised) / CPU seconds, divided by the same of the run to compare with; 1 is as before",
    source="CPU seconds of the sandbox",
    examples=(
        MetricExample(observation=Observation(
            calls=100, raised=0, cpu_seconds=2.0, baseline_calls_per_cpu_second=25.0), value=2.0),
        MetricExample(observation=Observation(calls=100, raised=0, cpu_seconds=2.0), value=None),
    ))
LATENCY = Metric(
    name="latency", unit="ms", direction=Direction.LOWER, measure=_latency,
    formula="median of the seconds of each call, times 1000", source="the clock inside the sandbox",
    examples=(
        MetricExample(observation=Observation(call_seconds=(0.5, 0.25, 9.0)), value=500.0),
        MetricExample(observation=Observation(), value=None),
    ))
CPU_SECONDS = Metric(
    name="cpu_seconds", unit="s", direction=Direction.LOWER, measure=_cpu,
    formula="user and system time of all processes of the run", source="CPU seconds of the sandbox",
    examples=(
        MetricExample(observation=Observation(cpu_seconds=1.5), value=1.5),
        MetricExample(observation=Observation(), value=None),
    ))
PEAK_MEMORY = Metric(
    name="peak_memory", unit="MiB", direction=Direction.LOWER, measure=_memory,
    formula="most bytes in memory at one time / 1048576", source="the memory group of the sandbox",
    examples=(
        MetricExample(observation=Observation(peak_memory_bytes=3 * _MEBIBYTE), value=3.0),
        MetricExample(observation=Observation(), value=None),
    ))
NETWORK_TRAFFIC = Metric(
    name="network_traffic", unit="MiB", direction=Direction.NEITHER, measure=_traffic,
    formula="(bytes in + bytes out) / 1048576", source="counters of the sandbox's own network",
    examples=(
        MetricExample(observation=Observation(bytes_in=_MEBIBYTE, bytes_out=_MEBIBYTE), value=2.0),
        MetricExample(observation=Observation(bytes_in=5), value=None),
    ))
