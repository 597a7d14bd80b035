"""What the conditions of a scenario come to: each measured inside a sandbox of the same making, beside what was asked.

Limits, faults and the network each have a probe of their own. What has none says how it is held, or that it does not.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from windtunnel.core.limits import said
from windtunnel.core.ports import Network, Rig
from windtunnel.core.scenario import Condition, Scenario
from windtunnel.engine.simulate.calling import run_program
from windtunnel.engine.simulate.surroundings import Surroundings, fault_files
from windtunnel.sandbox.outside import fault_probe, probe
from windtunnel.sandbox.outside.conditions import conditions as link_conditions
from windtunnel.scenarios.parts import FAULT, LINK_PARTS, parts_of
from windtunnel.scenarios.preset import preset
from windtunnel.scenarios.reality import unreal

LIMITS_PROGRAM, NETWORK_PROGRAM = "windtunnel_probe_limits.py", "windtunnel_probe_network.py"
_LIMITS = {"CPU_LIMIT": ("cores", "cores"), "DISK_LIMIT": ("disk", "disk_bytes"),
           "MEMORY_LIMIT": ("memory", "memory_bytes")}
_NEAR = 0.25
"""How far what is measured may be from what is asked: of memory, an interpreter's own is not counted."""
_OWN_MEMORY = 32 << 20
_NOTHING = "nothing was measured"
_HELD = {"TIMEOUT": "each call is ended by the supervisor of calls", "ENVIRONMENT": "set before the program starts",
         "SECURITY_LEVEL": "its limits and walls are those of the run", "THREAT_INTENSITY": "so many of the calls",
         "OS_TYPE": "the run is on this system", "VM_SETTINGS": "no other system is started"}


def conditions(
    rig: Rig, scenario: Scenario, at: Surroundings, *, faults: Mapping[str, object], levels: tuple[str, ...],
) -> tuple[Condition, ...]:
    """All conditions of the scenario; ``faults`` is what the probe of faults told."""
    parts = parts_of(scenario)
    known = {one.name: one for one in unreal(scenario, levels=levels)}
    for one in (*_limits(rig, scenario, at, parts=parts), *_network(rig, at, parts=parts), *_faults(faults)):
        known.setdefault(one.name, one)
    return tuple(known.get(part) or _unmeasured(part, scenario) for part in parts)


def _limits(rig: Rig, scenario: Scenario, at: Surroundings, *, parts: Iterable[str]) -> Iterator[Condition]:
    wanted = [name for name in _LIMITS if name in parts]
    if not wanted:
        return
    order = json.dumps([_LIMITS[name][0] for name in sorted(wanted, key=lambda name: name == "MEMORY_LIMIT")])
    report, _ = run_program(rig, at.place, program=LIMITS_PROGRAM, order=order.encode(), files=fault_files())
    told = _told(report)
    for name in wanted:
        short, field = _LIMITS[name]
        asked = float(getattr(scenario, field))
        found = told.get(short)
        yield _limit(name, field, asked=asked, found=found)


def _limit(name: str, field: str, *, asked: float, found: float | None) -> Condition:
    if found is None:
        return Condition(name=name, requested=said(field, asked), measured="", real=False, reason=_NOTHING)
    room = _NEAR * asked + (_OWN_MEMORY if field == "memory_bytes" else 0)
    near = abs(found - asked) <= room or (field == "cores" and found <= asked)
    shown = f"{found:.2f}" if field == "cores" else said(field, round(found))
    return Condition(name=name, requested=said(field, asked), measured=shown, real=near,
                     reason="" if near else "the probe met another limit")


def _told(report: bytes) -> dict[str, float]:
    """The last figure of each name; a program that was killed leaves what it said before."""
    found: dict[str, float] = {}
    for line in report.splitlines():
        try:
            record = json.loads(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            found |= {str(name): float(value) for name, value in record.items() if isinstance(value, int | float)}
    return found


def _network(rig: Rig, at: Surroundings, *, parts: Iterable[str]) -> Iterator[Condition]:
    """The link by packets that come back, without faults of the network; then each such fault as a program meets it."""
    outside = at.place.network.outside
    if outside is None:
        return
    if any(part in LINK_PARTS for part in parts):
        calm = replace(at.place, network=Network(outside=probe.probed(outside)))
        report, _ = run_program(rig, calm, program=NETWORK_PROGRAM, order=probe.wishes(outside.link),
                                files={NETWORK_PROGRAM: probe.PROGRAM.encode()})
        yield from link_conditions(outside, probe.read(report, outside.link))
    if outside.faults:
        report, _ = run_program(rig, at.place, program=NETWORK_PROGRAM, order=fault_probe.wishes(outside),
                                files={NETWORK_PROGRAM: fault_probe.PROGRAM.encode()})
        yield from fault_probe.fault_conditions(outside, report)


def _faults(told: Mapping[str, object]) -> Iterator[Condition]:
    for name, one in told.items():
        if isinstance(one, dict):
            yield Condition(
                name=f"{FAULT}{name}", requested=str(one.get("requested", ""))[:200], real=one.get("real") is True,
                measured=str(one.get("measured", ""))[:200], approximate=one.get("approximate") is True,
                reason=str(one.get("reason", ""))[:200])


def _unmeasured(part: str, scenario: Scenario) -> Condition:
    asked = str(preset(scenario).get(part, part.removeprefix(FAULT)))[:200]
    if part in _HELD:
        return Condition(name=part, requested=asked, measured="", real=True, reason=_HELD[part])
    return Condition(name=part, requested=asked, measured="", real=False, reason=_NOTHING)
