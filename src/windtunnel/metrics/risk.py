"""One figure for what can go wrong, from all that was measured of it."""

from __future__ import annotations

from windtunnel.core.metric import (
    Direction,
    Findings,
    Metric,
    MetricExample,
    Observation,
    UnderFault,
    Value,
    missing,
)
from windtunnel.metrics.calls import ERROR_RATE, SAFETY_RATING
from windtunnel.metrics.faults import RESILIENCE
from windtunnel.metrics.security import SECURITY_SCORE


def _sound(seen: Observation) -> dict[str, float | None]:
    """Of each kind of trouble, the share that is free of it."""
    failing = ERROR_RATE.measure(seen).value
    return {"errors": None if failing is None else 1 - failing, "safety": SAFETY_RATING.measure(seen).value,
            "faults": RESILIENCE.measure(seen).value, "security": SECURITY_SCORE.measure(seen).value}


def _risk(seen: Observation) -> Value:
    parts = _sound(seen)
    known = {name: share for name, share in parts.items() if share is not None}
    if not known:
        return missing("neither errors, safety, faults nor security were measured")
    free = 1.0
    for share in known.values():
        free *= min(1.0, max(0.0, share))
    without = [name for name in parts if name not in known]
    return Value(value=1 - free, reason=f"not measured: {', '.join(without)}" if without else "")


RISK_INDEX = Metric(
    name="risk_index", unit="share", direction=Direction.LOWER, high=1.0, measure=_risk,
    formula="1 - (1 - error_rate) safety_rating resilience security_score, "
            "over those of the four that were measured; the others are named",
    source="the four metrics it is made of",
    examples=(
        MetricExample(observation=Observation(
            calls=10, raised=0, unsafe=0, findings=Findings(lines=1000),
            faults=(UnderFault(fault="disk_full", calls=10, returned=5),)), value=0.5),
        MetricExample(observation=Observation(calls=4, raised=1), value=0.25),
        MetricExample(observation=Observation(), value=None),
    ))
