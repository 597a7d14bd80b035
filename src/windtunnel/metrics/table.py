"""All metrics, and all of them at once.

What holds: ``measure_all`` has one value for each metric, whatever the observation; none is outside its range, and a
figure that cannot be (not a number, negative, more errors than calls) counts as not measured and is named.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace

from windtunnel.core.metric import Metric, Observation, UnderFault, Value, missing, usable
from windtunnel.metrics import calls, code, energy, faults, money, network, risk, security

METRICS: Mapping[str, Metric] = {metric.name: metric for metric in (
    security.SECURITY_SCORE, calls.SAFETY_RATING, code.ADAPTABILITY, code.FLEXIBILITY, faults.ANTIFRAGILITY,
    faults.RESILIENCE, code.SHANNON_ENTROPY, calls.EFFICIENCY, energy.ENERGY_CONSUMPTION, network.NETWORK_LATENCY,
    calls.THROUGHPUT, risk.RISK_INDEX, faults.RECOVERY_TIME, code.PATCH_COMPLEXITY, code.MAINTAINABILITY,
    code.CODE_QUALITY, money.PROFITABILITY, money.REVENUE, money.PROJECTED_LUCRATIVITY, code.DISCREPANCY_COUNT,
    calls.ERROR_RATE, calls.LATENCY, calls.CPU_SECONDS, calls.PEAK_MEMORY, calls.NETWORK_TRAFFIC, code.COVERAGE,
    code.CYCLOMATIC_COMPLEXITY)}
_WITHIN = {"raised": "calls", "unsafe": "calls", "modules_called": "modules", "functions_returned": "functions"}
"""What cannot be more than what."""
_SHARES = {"line_coverage": 1.0, "branch_coverage": 1.0, "maintainability": 100.0}
_MOST_ENTRIES = 100_000


def measure_all(observation: Observation) -> dict[str, Value]:
    """One value for each metric, by name."""
    believed, odd = _believed(observation)
    return {name: _measured(metric, believed, odd) for name, metric in METRICS.items()}


def _measured(metric: Metric, seen: Observation, odd: tuple[str, ...]) -> Value:
    try:
        found = metric.measure(seen)
    except ArithmeticError:
        return missing("the figures are too large or too small to reckon with")
    if found.value is None:
        return replace(found, reason=f"{found.reason} (not believed: {', '.join(odd)})") if odd else found
    if not math.isfinite(found.value):
        return missing("the figures are too large to reckon with")
    return replace(found, value=float(min(metric.high, max(metric.low, found.value))))


def _believed(seen: Observation) -> tuple[Observation, tuple[str, ...]]:
    """The observation without odd figures, and their names."""
    kept: dict[str, object] = {}
    for field in fields(seen):
        value = getattr(seen, field.name)
        kept[field.name] = _kept(field.name, value)
    for part, whole in _WITHIN.items():
        if usable(kept[part]) and usable(kept[whole]) and getattr(seen, part) > getattr(seen, whole):
            kept[part] = None
    odd = tuple(name for name, value in kept.items() if value != getattr(seen, name))
    return Observation(**kept), odd  # type: ignore[arg-type]  # each is of its own field


def _kept(name: str, value: object) -> object:
    """As it is, or what stands for an odd one."""
    if name in {"prices", "sources"} or value is None:
        return value
    if name == "faults" and isinstance(value, tuple):
        return tuple(one for one in value[:_MOST_ENTRIES] if _sound_fault(one))
    if name == "patch" and isinstance(value, tuple):
        return value if len(value) <= _MOST_ENTRIES and all(map(_sound, value)) else None
    if isinstance(value, tuple):
        return tuple(one for one in value[:_MOST_ENTRIES] if _sound(one))
    if is_dataclass(value):
        return value if _sound(value) else None
    return value if usable(value, high=_SHARES.get(name, 1e15)) else None


def _sound(value: object) -> bool:
    if not is_dataclass(value):
        return usable(value)
    return all(usable(found) for field in fields(value)
               if not isinstance(found := getattr(value, field.name), str | bool)
               and not (found is None and field.default is None))


def _sound_fault(one: UnderFault) -> bool:
    return _sound(one) and one.intensity <= 1 and one.returned <= one.calls
