"""A scenario as a place where sections are called: limits, an outside, variables, and the faults around each call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources

from windtunnel.core.limits import MIB, Limits
from windtunnel.core.ports import Network
from windtunnel.core.scenario import NETWORK_FAULTS, Fault, Outside, Scenario
from windtunnel.engine.simulate.calling import Place
from windtunnel.scenarios.applied import limits_for, outside_for, read_only_for
from windtunnel.scenarios.security import SECURITY_LEVELS

CALM = Scenario(name="calm")
"""No condition at all, but an outside that answers: what every other scenario is compared with."""
_MEMORY_BYTES, _PROCESSES = 1024 * MIB, 256
PRIVATE = {name: f"sqlite:////tmp/{name.lower()}.db" if name == "DATABASE_URL" else f"/tmp/{name.lower()}.db"  # noqa: S108
           for name in ("DATABASE_URL", "BOT_DB_PATH", "BOT_PERFORMANCE_DB", "MAINTENANCE_DB")}
"""Variables by which programs find their databases: a run finds its own, inside the sandbox, which go with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Where, with which faults, and how long one call may take."""

    place: Place
    faults: Mapping[str, object]
    seconds: float


def surroundings(
    scenario: Scenario, *, project: str, seconds: float, wall_seconds: float, seed: int, caps: Limits,
) -> Surroundings:
    """Of one scenario; ``TIMEOUT`` is the time of one call, ``wall_seconds`` that of all of them together.

    What is above the operator's caps is cut down to them, which the probe of that condition then shows.
    """
    base = Limits(wall_seconds=wall_seconds, memory_bytes=_MEMORY_BYTES, processes=_PROCESSES)
    few = frozenset({Fault.FEW_FILE_DESCRIPTORS})  # made around each call: who makes the calls needs descriptors too
    limits = capped(limits_for(replace(scenario, wall_seconds=None, faults=scenario.faults - few), base),
                     replace(caps, wall_seconds=wall_seconds))
    faults = {str(fault): True for fault in Fault if fault in scenario.faults - NETWORK_FAULTS}
    if read_only_for(scenario, usual=False):
        faults[str(Fault.READ_ONLY_DISK)] = True
    place = Place(project=project, limits=limits, env={**PRIVATE, **scenario.environment},
                  network=Network(outside=outside_of(scenario, seed=seed)), files=fault_files() if faults else {})
    return Surroundings(place=place, faults=faults, seconds=min(seconds, scenario.wall_seconds or seconds))


def capped(limits: Limits, caps: Limits) -> Limits:
    """Cut down to the operator's caps."""
    while (name := limits.over(caps)) is not None:
        limits = replace(limits, **{name: getattr(caps, name)})
    return limits


def outside_of(scenario: Scenario, *, seed: int) -> Outside | None:
    """The simulated outside, which is there unless the scenario's walls leave none."""
    walls = SECURITY_LEVELS.get(scenario.security_level or 0)
    if walls is not None and not walls.outside:
        return None
    return outside_for(scenario, seed=seed) or Outside(seed=seed)


@cache
def fault_files() -> Mapping[str, bytes]:
    """The module that makes faults, and what it needs beside it."""
    folder = resources.files("windtunnel.scenarios") / "inside"
    return {one.name: one.read_bytes() for one in folder.iterdir() if one.name.endswith(".py")}
