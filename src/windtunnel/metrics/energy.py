"""Energy: by the machine's own meter where it has one that may be read, else reckoned from CPU seconds.

What does not hold: the meter (RAPL) counts for the whole processor, so whatever else runs at the same time is in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from windtunnel.core.metric import Direction, Metric, MetricExample, Observation, Prices, Value, missing, usable

_FOLDER = Path("/sys/class/powercap")
_PACKAGES = "intel-rapl:[0-9]*"
_MILLION = 1e6
_MOST_PACKAGES = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the meters stood at, in millionths of a joule, and where each begins anew."""

    stands: Mapping[str, int]
    wraps: Mapping[str, int]


def read_meter(folder: Path = _FOLDER) -> Reading | None:
    """Of every processor package; none where there is no meter, or it may not be read (on most systems: as root)."""
    stands: dict[str, int] = {}
    wraps: dict[str, int] = {}
    for zone in sorted(folder.glob(_PACKAGES))[:_MOST_PACKAGES]:
        if zone.name.count(":") != 1:
            continue
        try:
            stands[zone.name] = int((zone / "energy_uj").read_text("ascii"))
            wraps[zone.name] = int((zone / "max_energy_range_uj").read_text("ascii"))
        except (OSError, ValueError):
            return None
    return Reading(stands=stands, wraps=wraps) if stands else None


def joules_between(before: Reading | None, after: Reading | None) -> float | None:
    """What was used in between; a meter that began anew once is allowed for. None where nothing was read."""
    if before is None or after is None or before.stands.keys() != after.stands.keys():
        return None
    used = 0
    for name, start in before.stands.items():
        rise = after.stands[name] - start
        used += rise if rise >= 0 else rise + after.wraps[name]
    return used / _MILLION if usable(used) else None


def _energy(seen: Observation) -> Value:
    if seen.energy_joules is not None:
        return Value(value=seen.energy_joules, reason="by the machine's meter, whatever else ran included")
    if seen.cpu_seconds is None:
        return missing("neither a meter nor CPU time could be read")
    return Value(value=seen.cpu_seconds * seen.prices.watts, estimated=True,
                 reason=f"CPU seconds at {seen.prices.watts:g} W for a busy core")


ENERGY_CONSUMPTION = Metric(
    name="energy_consumption", unit="J", direction=Direction.LOWER, measure=_energy,
    formula="rise of the machine's energy meters during the run; without one, CPU seconds watts, marked estimated",
    source="RAPL (powercap), else CPU seconds at the configured watts",
    examples=(
        MetricExample(observation=Observation(cpu_seconds=2.0, energy_joules=30.0), value=30.0),
        MetricExample(observation=Observation(cpu_seconds=2.0, prices=Prices(watts=5.0)), value=10.0, estimated=True),
        MetricExample(observation=Observation(), value=None),
    ))
