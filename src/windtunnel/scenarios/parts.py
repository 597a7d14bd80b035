"""The conditions of a scenario one by one: taken away or left alone, to find which of them breaks something."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from windtunnel.core.errors import UsageError
from windtunnel.core.scenario import Fault, Link, Scenario
from windtunnel.scenarios.fields import FIELDS
from windtunnel.scenarios.names import is_readable_name, readable_name
from windtunnel.scenarios.preset import preset
from windtunnel.scenarios.readers import shown
from windtunnel.scenarios.security import has_outside

FAULT = "FAILURE_MODES:"
LINK_PARTS: Mapping[str, str] = {
    "NETWORK_LATENCY_MS": "delay_seconds", "NETWORK_JITTER_MS": "jitter_seconds", "PACKET_LOSS": "loss",
    "PACKET_DUPLICATION": "duplication", "PACKET_REORDERING": "reordering", "BANDWIDTH_LIMIT": "rate_bits"}
_PLAIN: Mapping[str, tuple[str, object]] = {
    "CPU_LIMIT": ("cores", None), "MEMORY_LIMIT": ("memory_bytes", None), "DISK_LIMIT": ("disk_bytes", None),
    "TIMEOUT": ("wall_seconds", None), "SECURITY_LEVEL": ("security_level", None),
    "THREAT_INTENSITY": ("threat_intensity", None), "OS_TYPE": ("os_type", "linux"), "VM_SETTINGS": ("vm_settings", {}),
    "ENVIRONMENT": ("environment", {})}


def parts_of(scenario: Scenario) -> tuple[str, ...]:
    """The names of all conditions that differ from usual; a rate is ``BANDWIDTH_LIMIT``, wherever it comes from."""
    link = scenario.link or Link()
    there = {name for name, (attribute, usual) in _PLAIN.items() if getattr(scenario, attribute) not in (usual, 0)}
    there |= {name for name, attribute in LINK_PARTS.items() if getattr(link, attribute)}
    return (*(name for name in FIELDS if name in there),
            *(f"{FAULT}{fault}" for fault in Fault if fault in scenario.faults))


def without(scenario: Scenario, parts: Collection[str]) -> Scenario:
    """The scenario as if these were not asked for; the outside stays where there was one, so that it can be reached.

    SECURITY_LEVEL 5 taken away leaves an outside only where something else asks for one.
    """
    gone = frozenset(parts)
    unknown = sorted(gone - frozenset(parts_of(scenario)))
    if unknown:
        raise UsageError(f"there is no condition {shown(unknown[0])} in {shown(scenario.name)} (there are: "
                         f"{', '.join(parts_of(scenario)) or 'none'})", field="parts")
    plain: dict[str, Any] = {attribute: usual for name, (attribute, usual) in _PLAIN.items() if name in gone}
    faults = frozenset(fault for fault in scenario.faults if f"{FAULT}{fault}" not in gone)
    fields = {} if "BANDWIDTH_LIMIT" in gone else scenario.fields
    made = replace(scenario, link=_link(scenario, gone), faults=faults, fields=fields, **plain)
    named = replace(made, name=readable_name(made)) if is_readable_name(scenario) else made
    return replace(named, fields=preset(named))


def only(scenario: Scenario, parts: Collection[str]) -> Scenario:
    """The scenario with these alone."""
    kept = frozenset(parts)
    without(scenario, kept)
    return without(scenario, [name for name in parts_of(scenario) if name not in kept])


def _link(scenario: Scenario, gone: Collection[str]) -> Link | None:
    if scenario.link is None:
        return Link() if has_outside(scenario) else None
    usual = Link()
    return replace(scenario.link, **{attribute: getattr(usual, attribute) for name, attribute in LINK_PARTS.items()
                                     if name in gone})
