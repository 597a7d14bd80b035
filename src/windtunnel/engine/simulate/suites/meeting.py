"""Which conditions a test command meets, which it cannot, and how the former are made around it.

Limits and the network hold for every process of a sandbox. Of the faults, those of the disk's room, the processor and
the environment outlive the start of another program, and are made by a program of ours that starts the command. What
needs Python inside the process that is looked at is not made, which is said with the reason.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from windtunnel.core.language import Toolchain, usual_env
from windtunnel.core.limits import MIB, Limits
from windtunnel.core.ports import Network
from windtunnel.core.scenario import Condition, Fault, Scenario
from windtunnel.engine.simulate.surroundings import PRIVATE, capped, outside_of
from windtunnel.scenarios.applied import limits_for
from windtunnel.scenarios.parts import FAULT, parts_of, without
from windtunnel.scenarios.preset import preset
from windtunnel.scenarios.security import PRESSURE_BYTES, SECURITY_LEVELS

LEFT_BYTES = 64 * 1024
"""What DISK_FULL leaves where a runner does not start without a file of its own."""
OPEN_FILES = 64
"""What FEW_FILE_DESCRIPTORS leaves a process of a test command: a runner needs some two dozen for itself."""
_BY_STARTER = frozenset({Fault.DISK_FULL, Fault.CPU_SPIKE, Fault.MISSING_ENVIRONMENT, Fault.WRONG_LOCALE,
                         Fault.WRONG_TIME_ZONE})
_INSIDE = frozenset({Fault.SLOW_DISK, Fault.READ_ONLY_DISK, Fault.CORRUPTED_READS, Fault.CLOCK_JUMP, Fault.CLOCK_SKEW,
                     Fault.SIGNALS})
_NEEDS_PYTHON = "made inside a Python process that makes a call; a test command does not meet it"
_UNMET = {
    "THREAT_INTENSITY": "the inputs are the test's own; a test command does not meet it",
    "OS_TYPE": "the run is on this system; a test command does not meet it",
    "VM_SETTINGS": "no other system is started; a test command does not meet it"}
_WALLS = "its limits hold; that the workspace can only be read is not made for a test command"


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """What is put around one test command."""

    limits: Limits
    network: Network
    env: Mapping[str, str]
    faults: Mapping[str, object]
    """Those that the program which starts the command begins."""
    probed: Mapping[str, object]
    """Those of the file of faults that can be measured here."""
    seconds: float | None
    """Of one test, at most; longer, it counts as one that never returned."""


def unmet(scenario: Scenario) -> dict[str, str]:
    """The conditions that a test command does not meet at all, with the reason."""
    found = {name: reason for name, reason in _UNMET.items() if name in parts_of(scenario)}
    return found | {f"{FAULT}{fault}": _NEEDS_PYTHON for fault in sorted(scenario.faults & _INSIDE)}


def met(scenario: Scenario) -> Scenario:
    """The scenario as a test command meets it."""
    return without(scenario, list(unmet(scenario)))


def unmet_conditions(scenario: Scenario) -> tuple[Condition, ...]:
    """The same as rows beside what was measured, with walls that are made in part."""
    told = unmet(scenario)
    walls = SECURITY_LEVELS.get(scenario.security_level or 0)
    if walls is not None and walls.read_only:
        told["SECURITY_LEVEL"] = _WALLS
    fields = preset(scenario)
    return tuple(Condition(name=name, requested=str(fields.get(name, name.removeprefix(FAULT)))[:200], measured="",
                           real=False, reason=f"tests: {reason}") for name, reason in told.items())


def as_limits(scenario: Scenario) -> tuple[Scenario, dict[str, str]]:
    """The same with memory pressure as what a test command meets, a limit of memory; and what that limit stands for.

    Where the scenario asks for less memory already, that is the limit, and the pressure changes nothing.
    """
    pressed = Fault.MEMORY_PRESSURE in scenario.faults
    if not pressed or (scenario.memory_bytes or PRESSURE_BYTES + 1) <= PRESSURE_BYTES:
        return scenario, {}
    made = replace(scenario, faults=scenario.faults - {Fault.MEMORY_PRESSURE}, memory_bytes=PRESSURE_BYTES, fields={})
    return made, {"MEMORY_LIMIT": f"{FAULT}{Fault.MEMORY_PRESSURE}"}


def meeting(
    scenario: Scenario, *, base: Limits, caps: Limits, seed: int, kept: Collection[str], built_bytes: int,
    left_bytes: int = 0,
) -> Meeting:
    """Of a scenario that ``met`` made; a runner lives by the variables ``kept`` and ``left_bytes`` of a full disk.

    What a compiler left before lies in the sandbox too: ``built_bytes`` come on top of the limits of disk and memory.
    """
    calm = replace(scenario, wall_seconds=None, faults=scenario.faults - {Fault.FEW_FILE_DESCRIPTORS})
    limits = limits_for(calm, base)
    limits = replace(limits, disk_bytes=limits.disk_bytes + built_bytes, memory_bytes=limits.memory_bytes + built_bytes)
    probed: dict[str, object] = {}
    if Fault.FEW_FILE_DESCRIPTORS in scenario.faults:
        limits = replace(limits, open_files=min(limits.open_files, OPEN_FILES))
        probed[str(Fault.FEW_FILE_DESCRIPTORS)] = {"left": OPEN_FILES}
    env = {**PRIVATE, **scenario.environment}
    faults: dict[str, object] = {str(fault): True for fault in sorted(scenario.faults & _BY_STARTER)}
    if str(Fault.MISSING_ENVIRONMENT) in faults:
        faults[str(Fault.MISSING_ENVIRONMENT)] = {"names": _gone(env, kept)}
    if str(Fault.DISK_FULL) in faults:
        faults[str(Fault.DISK_FULL)] = {"most_bytes": 128 * MIB + 2 * built_bytes, "left_bytes": left_bytes}
    return Meeting(
        limits=capped(limits, replace(caps, wall_seconds=base.wall_seconds)), env=env, faults=faults,
        network=Network(outside=outside_of(scenario, seed=seed)), probed={**faults, **probed},
        seconds=scenario.wall_seconds)


def _gone(env: Mapping[str, str], kept: Collection[str]) -> list[str]:
    usual = usual_env(Toolchain(run=()), cores=1.0)
    return sorted({*usual, *env} - set(kept))
