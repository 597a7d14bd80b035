"""What of a scenario this machine cannot make real, each with the reason: nothing is passed over in silence."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from windtunnel.core.limits import Limits
from windtunnel.core.result import Level
from windtunnel.core.scenario import NETWORK_FAULTS, Condition, Fault, Link, Scenario
from windtunnel.scenarios.parts import FAULT, LINK_PARTS, parts_of
from windtunnel.scenarios.preset import preset
from windtunnel.scenarios.readers import said_size
from windtunnel.scenarios.security import FULL_DISK_BYTES, PRESSURE_BYTES, SECURITY_LEVELS, has_outside


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What there is to run on."""

    processors: int
    memory_bytes: int


def this_machine() -> Machine:
    """Processors that this process may use, and the memory of the machine."""
    return Machine(processors=len(os.sched_getaffinity(0)),
                   memory_bytes=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))


def unreal(
    scenario: Scenario, *, levels: Collection[str], machine: Machine | None = None, base: Limits | None = None,
) -> tuple[Condition, ...]:
    """The conditions that will not hold; ``levels`` are those that sandboxes have here, such as ``process``.

    ``base`` are the limits of a run without the scenario.
    """
    fields = preset(scenario)
    found = [*_systems(scenario, levels), *_sizes(scenario, machine or this_machine(), base or Limits()),
             *_network(scenario, levels), *_ranges(fields)]
    reasons = dict(reversed(found))  # the first reason for each counts
    order = (*parts_of(scenario), "MIN_BANDWIDTH", "MAX_BANDWIDTH")
    return tuple(Condition(name=name, requested=_requested(name, fields), measured="", real=False, reason=reasons[name])
                 for name in order if name in reasons)


def _requested(name: str, fields: dict[str, object]) -> str:
    if name.startswith(FAULT):
        return name.removeprefix(FAULT)
    value = fields.get(name, fields.get("MAX_BANDWIDTH", ""))
    return ", ".join(f"{key}={item}" for key, item in value.items()) if isinstance(value, dict) else str(value)


def _systems(scenario: Scenario, levels: Collection[str]) -> Iterator[tuple[str, str]]:
    system = scenario.os_type
    if system == "linux":
        if scenario.vm_settings:
            yield "VM_SETTINGS", "OS_TYPE is linux, which needs no disk of another system"
        return
    if f"{system}_image" not in scenario.vm_settings:
        reason = f"VM_SETTINGS names no {system}_image; the run is on linux"
    elif Level.VM not in levels:
        reason = "no virtual machine can be started here; the run is on linux"
    else:
        reason = "such a disk can be started, but no function can be called in it; the run is on linux"
    yield "OS_TYPE", reason
    if scenario.vm_settings:
        yield "VM_SETTINGS", reason


def _sizes(scenario: Scenario, machine: Machine, base: Limits) -> Iterator[tuple[str, str]]:
    if (scenario.cores or 0) > machine.processors:
        yield "CPU_LIMIT", f"there are {machine.processors} processors here"
    memory, disk = scenario.memory_bytes or 0, scenario.disk_bytes or 0
    if Fault.MEMORY_PRESSURE in scenario.faults and memory > PRESSURE_BYTES:
        yield "MEMORY_LIMIT", f"memory_pressure leaves {said_size(PRESSURE_BYTES)}"
    if memory > machine.memory_bytes:
        yield "MEMORY_LIMIT", f"there are {machine.memory_bytes >> 20}Mi of memory here"
    yield from (("DISK_LIMIT", reason) for most, reason in _disks(scenario, base) if disk > most)


def _disks(scenario: Scenario, base: Limits) -> Iterator[tuple[int, str]]:
    """What else bounds the disk."""
    if Fault.DISK_FULL in scenario.faults:
        yield FULL_DISK_BYTES, f"disk_full fills a disk of {said_size(FULL_DISK_BYTES)}"
    walls = SECURITY_LEVELS.get(scenario.security_level or 0)
    if walls:
        yield walls.disk_bytes, f"SECURITY_LEVEL {scenario.security_level} leaves {said_size(walls.disk_bytes)}"
    if Fault.MEMORY_PRESSURE in scenario.faults:
        yield PRESSURE_BYTES, f"files lie in memory, of which memory_pressure leaves {said_size(PRESSURE_BYTES)}"
    memory = scenario.memory_bytes or base.memory_bytes
    yield memory, f"files lie in memory, of which there are {said_size(memory)}"


def _network(scenario: Scenario, levels: Collection[str]) -> Iterator[tuple[str, str]]:
    link = scenario.link or Link()
    links = [name for name, attribute in LINK_PARTS.items() if getattr(link, attribute)]
    faults = [f"{FAULT}{fault}" for fault in NETWORK_FAULTS & scenario.faults]
    if not has_outside(scenario):
        yield from ((name, f"SECURITY_LEVEL {scenario.security_level} leaves no network") for name in links + faults)
    elif Level.PROCESS not in levels:
        yield from ((name, "only sandboxes of the level process have a simulated network, and there are none here")
                    for name in links + faults)
    elif Fault.PARTITION in scenario.faults:
        yield from ((name, "partition lets nothing arrive") for name in links)
    elif link.reordering and not link.delay_seconds:
        yield "PACKET_REORDERING", "without NETWORK_LATENCY_MS nothing can be overtaken"


def _ranges(fields: dict[str, object]) -> Iterator[tuple[str, str]]:
    if "BANDWIDTH_LIMIT" in fields:
        yield from ((name, "BANDWIDTH_LIMIT takes its place") for name in ("MIN_BANDWIDTH", "MAX_BANDWIDTH")
                    if name in fields)
