"""Which template: that of the metric that fell, else that of fading returns, else any, drawn from a seed.

A metric falls when, over its last 5 values (at least 3), the median of the slopes between all pairs of values points
the worse way, at least 70 of 100 pairs do, and the line of that slope has lost 2 % of the median's size or more from
its first value to its last. Efficiency is poor below 0.9 of what it was. Returns stagnate when the mean of the last 5
(at least 3) is 5 % of the largest gain so far, or less.
"""

from __future__ import annotations

import itertools
import math
import random
import statistics
from collections.abc import Mapping, Sequence

from windtunnel.core.metric import Direction
from windtunnel.metrics.table import METRICS

FOCUS: Mapping[str, tuple[str, ...]] = {
    "security": ("security_score", "safety_rating", "risk_index"),
    "efficiency": ("efficiency", "throughput", "latency", "cpu_seconds", "peak_memory", "energy_consumption",
                   "profitability", "revenue", "projected_lucrativity"),
    "resilience": ("resilience", "antifragility", "recovery_time", "network_latency", "error_rate"),
    "maintainability": ("maintainability", "code_quality", "patch_complexity", "cyclomatic_complexity",
                        "discrepancy_count"),
    "coverage": ("coverage", "adaptability", "flexibility"),
}
"""Which metrics each template is for; a template of another name is for the metric of its name."""
ROI = "roi"
_WINDOW, _FEWEST = 5, 3
_SIGNIFICANT, _AGREEING = 0.02, 0.7
_POOR = 0.9
_FADED = 0.05
_TINY = 1e-12


def loss(values: Sequence[float], *, lower_is_better: bool = False) -> float:
    """Share of the median's size that was lost over the window; zero where it does not fall."""
    recent = [float(value) for value in values[-_WINDOW:] if math.isfinite(value)]
    if len(recent) < _FEWEST:
        return 0.0
    sign = 1.0 if lower_is_better else -1.0
    slopes = [sign * (recent[later] - recent[first]) / (later - first)
              for first, later in itertools.combinations(range(len(recent)), 2)]
    lost = statistics.median(slopes) * (len(recent) - 1)
    size = max(abs(statistics.median(recent)), _TINY)
    agreeing = sum(slope > 0 for slope in slopes) >= _AGREEING * len(slopes)
    return lost / size if agreeing and lost >= _SIGNIFICANT * size else 0.0


def falling(history: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Metrics that fall, with what each lost, the most first; metrics that nothing is gained by never do."""
    found = {}
    for name, values in history.items():
        known = METRICS.get(name)
        if known is None or known.direction is not Direction.NEITHER:
            worse = known is not None and known.direction is Direction.LOWER
            found[name] = loss(values, lower_is_better=worse)
    return {name: lost for name, lost in sorted(found.items(), key=lambda one: (-one[1], one[0])) if lost > 0}


def stagnating(returns: Sequence[float]) -> bool:
    """Whether what was gained lately is next to nothing beside the largest gain."""
    known = [float(value) for value in returns if math.isfinite(value)]
    if len(known) < _FEWEST:
        return False
    return statistics.fmean(known[-_WINDOW:]) <= _FADED * max(0.0, *known)


def choose(
    templates: Sequence[str], history: Mapping[str, Sequence[float]], *, returns: Sequence[float] = (), seed: int = 0,
) -> str:
    """The name of one of the templates: security first, then efficiency, then what lost most, then returns."""
    fallen = falling(history)
    for name in ("security", "efficiency"):
        if name in templates and (set(fallen) & set(FOCUS[name]) or (name == "efficiency" and _poor(history))):
            return name
    for metric in fallen:
        for name in templates:
            if metric in FOCUS.get(name, (name,)):
                return name
    if ROI in templates and stagnating(returns):
        return ROI
    return random.Random(seed).choice(sorted(templates))  # noqa: S311 -- a repeatable draw


def _poor(history: Mapping[str, Sequence[float]]) -> bool:
    values = history.get("efficiency", ())
    return bool(values) and math.isfinite(values[-1]) and values[-1] < _POOR
