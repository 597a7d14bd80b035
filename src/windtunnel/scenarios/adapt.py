"""Presets that follow what runs gained: one step along the ladder of a field at a time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from windtunnel.core.errors import UsageError
from windtunnel.core.limits import MIB
from windtunnel.core.scenario import Edge, Scenario
from windtunnel.scenarios.bisection import bisect, middle_of
from windtunnel.scenarios.fields import FIELDS
from windtunnel.scenarios.names import is_readable_name, unique_names
from windtunnel.scenarios.preset import preset, scenario

__all__ = ["Edge", "adapt_presets", "bisect", "next_rung"]
WINDOW = 3
"""How many of the latest values are looked at."""
TOLERANCE = 0.01
"""A mean that is no further from zero than this counts as nothing."""
RESOURCES = ("CPU_LIMIT", "MEMORY_LIMIT", "BANDWIDTH_LIMIT", "MIN_BANDWIDTH", "MAX_BANDWIDTH")


@dataclass(frozen=True, slots=True)
class _Step:
    name: str
    up: bool = field(kw_only=True)
    floored: bool = field(default=False, kw_only=True)
    """Whether it goes no lower than where the run began."""


def adapt_presets(
    presets: Sequence[Scenario], returns: Sequence[float], synergy: Sequence[float] = (), *,
    first: Sequence[Scenario] | None = None, tolerance: float = TOLERANCE, seed: int = 0, edges: Sequence[Edge] = (),
) -> tuple[Scenario, ...]:
    """The presets of the next run.

    With ``m`` the mean of the last ``WINDOW`` returns, gains stall where ``m <= tolerance``: CPU_LIMIT, MEMORY_LIMIT
    and the bandwidths go up one rung; else they go down one. With ``s`` the mean of the last ``WINDOW`` values of
    synergy, ``s > tolerance`` takes NETWORK_LATENCY_MS down one rung and MAX_BANDWIDTH up one; ``s < -tolerance`` the
    opposite. Fewer values than ``WINDOW`` change nothing. ``first`` are the presets that the run began with: gains that
    resume lower nothing below theirs. Only fields that a preset has are moved, and none past the ends of its ladder.

    ``edges`` are those that the last run found. A field that has one takes no rung: it goes half of the way (the middle
    that ``bisect`` takes) from its value to the mildest value that breaks, of the edge whose such value is nearest;
    sizes in whole MiB. So presets close in on where behaviour changes, and the first gain there shows.
    """
    if first is not None and len(first) != len(presets):
        raise UsageError(f"first: {len(first)} presets, but there are {len(presets)} to adapt", field="first")
    steps = _steps(_mean(returns, name="returns"), _mean(synergy, name="synergy"), tolerance)
    floors: list[dict[str, object]] = [preset(one) for one in first] if first is not None else [{} for _ in presets]
    return unique_names(_moved(one, steps, floor=floor, seed=seed, edges=edges)
                        for one, floor in zip(presets, floors, strict=True))


def next_rung(name: str, value: float, *, up: bool) -> float:
    """The next value of the field's ladder in that direction; the value itself past its end."""
    ladder = FIELDS[name].ladder
    beyond = [rung for rung in ladder if (rung > value if up else rung < value)]
    return value if not beyond else min(beyond) if up else max(beyond)


def _mean(values: Sequence[float], *, name: str) -> float | None:
    last = list(values)[-WINDOW:]
    if any(isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) for value in last):
        raise UsageError(f"{name}: not all of the last {WINDOW} values are numbers", field=name)
    return sum(last) / WINDOW if len(last) == WINDOW else None


def _steps(gained: float | None, together: float | None, tolerance: float) -> list[_Step]:
    steps = [] if gained is None else [_Step(name, up=gained <= tolerance, floored=True) for name in RESOURCES]
    if together is not None and abs(together) > tolerance:
        steps += [_Step("NETWORK_LATENCY_MS", up=together < 0), _Step("MAX_BANDWIDTH", up=together > 0)]
    return steps


def _moved(
    one: Scenario, steps: Sequence[_Step], *, floor: Mapping[str, object], seed: int, edges: Sequence[Edge],
) -> Scenario:
    fields = preset(one)
    closer = {edge.field: _closer(edge.field, _number(edge.field, fields), edges) for edge in edges
              if edge.field in fields and edge.breaks is not None}
    moved = closer | {step.name: _number(step.name, fields) for step in steps
                      if step.name in fields and step.name not in closer}
    for step in steps:
        if step.name in moved and step.name not in closer:
            now = moved[step.name]
            least = _number(step.name, floor) if step.floored and step.name in floor else 0.0
            moved[step.name] = max(next_rung(step.name, now, up=step.up), min(least, now))
    if "MIN_BANDWIDTH" in fields and "MAX_BANDWIDTH" in moved:
        moved["MIN_BANDWIDTH"] = min(_number("MIN_BANDWIDTH", fields | moved), moved["MAX_BANDWIDTH"])
    if is_readable_name(one):
        fields.pop("SCENARIO_NAME")
    made = scenario(fields | moved, seed=seed)
    return replace(made, fields=preset(made))


def _closer(name: str, value: float, edges: Sequence[Edge]) -> float:
    """Half of the way to the nearest edge."""
    breaking = [edge.breaks for edge in edges if edge.field == name and edge.breaks is not None]
    middle = middle_of(FIELDS[name], value, min(breaking, key=lambda one: abs(one - value)))
    return middle // MIB * MIB if FIELDS[name].unit == "bytes" else middle


def _number(name: str, fields: Mapping[str, object]) -> float:
    value = FIELDS[name].read(fields[name], field=name)
    assert isinstance(value, int | float)
    return float(value)
