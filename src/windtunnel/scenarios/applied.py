"""What a scenario means for a run: its limits, its outside, its walls, and what of it cannot be made real here.

Limits come in this order: what the scenario asks for takes the place of the usual limit, then SECURITY_LEVEL and the
faults that are limits may only lower it.
"""

from __future__ import annotations

import json
from dataclasses import replace

from windtunnel.core.limits import Limits
from windtunnel.core.scenario import NETWORK_FAULTS, Fault, Link, Outside, Scenario
from windtunnel.scenarios.parts import only, parts_of, without
from windtunnel.scenarios.preset import preset
from windtunnel.scenarios.reality import Machine, unreal
from windtunnel.scenarios.security import (
    FEW_OPEN_FILES,
    FULL_DISK_BYTES,
    PRESSURE_BYTES,
    SECURITY_LEVELS,
    has_outside,
)

__all__ = ["Machine", "environment_for", "limits_for", "only", "outside_for", "parts_of", "read_only_for", "unreal",
           "without"]

_LIMITS = ("cores", "memory_bytes", "disk_bytes", "wall_seconds")
_WALLS = ("processes", "open_files", "files", "disk_bytes")
_FAULT_LIMITS = {
    Fault.MEMORY_PRESSURE: ("memory_bytes", PRESSURE_BYTES),
    Fault.DISK_FULL: ("disk_bytes", FULL_DISK_BYTES),
    Fault.FEW_FILE_DESCRIPTORS: ("open_files", FEW_OPEN_FILES),
}
"""Faults that are a limit, or need one; all others are made elsewhere."""


def limits_for(scenario: Scenario, base: Limits) -> Limits:
    """The limits of a run under the scenario; a typed error where a value is none that a limit can have."""
    asked = {name: value for name in _LIMITS if (value := getattr(scenario, name)) is not None}
    made = replace(base, **asked)
    walls = SECURITY_LEVELS.get(scenario.security_level or 0)
    most = [(name, getattr(walls, name)) for name in _WALLS] if walls else []
    most += [limit for fault, limit in _FAULT_LIMITS.items() if fault in scenario.faults]
    for name, value in most:
        made = replace(made, **{name: min(getattr(made, name), value)})
    return made


def read_only_for(scenario: Scenario, *, usual: bool) -> bool:
    """Whether the program may only read its workspace."""
    walls = SECURITY_LEVELS.get(scenario.security_level or 0)
    return Fault.READ_ONLY_DISK in scenario.faults or (usual if walls is None else walls.read_only)


def outside_for(scenario: Scenario, *, seed: int = 0) -> Outside | None:
    """The simulated outside; none where nothing asks for one, or the level leaves none.

    SECURITY_LEVEL 1 to 4 asks for one, as does every field of the network, also with a value that changes nothing.
    """
    if not has_outside(scenario):
        return None
    return Outside(link=scenario.link or Link(), faults=scenario.faults & NETWORK_FAULTS, seed=seed)


def environment_for(scenario: Scenario) -> dict[str, str]:
    """The variables that a program finds: each field of the preset by its name, then those of ENVIRONMENT."""
    fields = {name: value for name, value in preset(scenario).items() if name != "ENVIRONMENT"}
    return {name: _text(value) for name, value in fields.items()} | dict(scenario.environment)


def _text(value: object) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value))
    return json.dumps(value) if isinstance(value, dict) else str(value)
