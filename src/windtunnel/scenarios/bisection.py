"""Where one field begins to break something: halving the way between a value that does and one that does not."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from windtunnel.core.errors import UsageError
from windtunnel.core.scenario import Edge, Scenario
from windtunnel.scenarios.fields import FIELDS, Field, field_named
from windtunnel.scenarios.names import is_readable_name
from windtunnel.scenarios.preset import preset, scenario

MOST_STEPS = 64
_WHOLE = ("MEMORY_LIMIT", "DISK_LIMIT", "BANDWIDTH_LIMIT", "SECURITY_LEVEL", "THREAT_INTENSITY")
_LOGARITHMIC = ("CPU_LIMIT", "MEMORY_LIMIT", "DISK_LIMIT", "TIMEOUT", "BANDWIDTH_LIMIT")
_DIGITS = 3


def bisect(
    one: Scenario, field: str, *, breaks: Callable[[Scenario], bool], steps: int, mildest: float | None = None,
) -> Edge:
    """The edge of a field that the scenario has, by at most ``steps`` halvings after a look at both ends.

    One end is the scenario's own value, the other the mildest rung of the field's ladder where that value breaks (or
    ``mildest``, where that is known), else the harshest. The middle of sizes, rates, processors and seconds is
    ``sqrt(low * high)``, that of all others ``(low + high) / 2``. What breaks must break at every harsher value too, or
    some edge is found rather than the only.
    """
    row = _ordered(field)
    if isinstance(steps, bool) or not isinstance(steps, int) or not 1 <= steps <= MOST_STEPS:
        raise UsageError(f"steps: not a whole number from 1 to {MOST_STEPS}", field="steps")
    own = _value(one, row)
    broken = breaks(one)
    other = mildest if broken and mildest is not None else _end(row, own, mild=broken)
    if other == own or breaks(with_field(one, field, other)) == broken:
        return Edge(field=field, holds=None if broken else other, breaks=other if broken else None,
                    probes=1 if other == own else 2)
    holds, bad = (other, own) if broken else (own, other)
    return _halved(one, row, breaks, Edge(field=field, holds=holds, breaks=bad, probes=2), steps=steps)


def with_field(one: Scenario, field: str, value: float) -> Scenario:
    """The scenario with another value of one field."""
    fields = _pinned(one) | {field: value}
    if is_readable_name(one):
        fields.pop("SCENARIO_NAME")
    made = scenario(fields)
    return replace(made, fields=preset(made))


def _halved(one: Scenario, row: Field, breaks: Callable[[Scenario], bool], edge: Edge, *, steps: int) -> Edge:
    holds, bad, probes = edge.holds, edge.breaks, edge.probes
    assert holds is not None
    assert bad is not None
    for _ in range(steps):
        middle = middle_of(row, holds, bad)
        if middle in (holds, bad):
            break
        probes += 1
        if breaks(with_field(one, row.name, middle)):
            bad = middle
        else:
            holds = middle
    return Edge(field=row.name, holds=holds, breaks=bad, probes=probes)


def _ordered(field: str) -> Field:
    row = field_named(field)
    if row.harsher is None:
        known = ", ".join(name for name, other in FIELDS.items() if other.harsher)
        raise UsageError(f"{field}: its values have no order to search (try one of {known})", field=field)
    return row


def _pinned(one: Scenario) -> dict[str, object]:
    """The preset with its rate said, so that none is drawn anew."""
    rate = one.link.rate_bits if one.link else None
    return preset(one) | ({"BANDWIDTH_LIMIT": rate} if rate else {})


def _value(one: Scenario, row: Field) -> float:
    fields = _pinned(one)
    if row.name not in fields:
        raise UsageError(f"{row.name}: the scenario does not have it (it has {', '.join(fields)})", field=row.name)
    value = row.read(fields[row.name], field=row.name)
    assert isinstance(value, int | float)
    return float(value)


def _end(row: Field, own: float, *, mild: bool) -> float:
    """The end of the ladder in that direction; the value itself where it lies beyond it."""
    upward = (row.harsher == "less") == mild
    return max(own, row.ladder[-1]) if upward else min(own, row.ladder[0])


def middle_of(row: Field, low: float, high: float) -> float:
    """Half of the way between two values, as the field is halved."""
    middle = math.sqrt(low * high) if row.name in _LOGARITHMIC else (low + high) / 2
    return float(round(middle)) if row.name in _WHOLE else round(middle, _DIGITS)
