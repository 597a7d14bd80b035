"""One scenario for each condition, with nothing else in it but what it cannot be without."""

from __future__ import annotations

from collections.abc import Mapping

from windtunnel.core.scenario import Fault, Scenario
from windtunnel.scenarios.preset import scenario

VALUES: Mapping[str, object] = {
    "CPU_LIMIT": 0.1, "MEMORY_LIMIT": "64Mi", "DISK_LIMIT": "1Mi", "NETWORK_LATENCY_MS": 500,
    "NETWORK_JITTER_MS": 200, "PACKET_LOSS": 10, "PACKET_DUPLICATION": 20, "PACKET_REORDERING": 25,
    "BANDWIDTH_LIMIT": "1mbit", "THREAT_INTENSITY": 100}
"""Hard enough that what depends on it shows, and no harder than what is met outside.

SECURITY_LEVEL is not among them: it is several conditions at once, each of which is here by itself.
"""


NEEDED: Mapping[str, Mapping[str, object]] = {"PACKET_REORDERING": {"NETWORK_LATENCY_MS": 100}}
"""What a condition cannot be without: a packet overtakes only those that are held up."""


def each_condition() -> tuple[Scenario, ...]:
    """All conditions, one by one, in the order of the table and then of the faults."""
    fields = [scenario({"SCENARIO_NAME": name, name: value, **NEEDED.get(name, {})}) for name, value in VALUES.items()]
    faults = [scenario({"SCENARIO_NAME": str(fault), "FAILURE_MODES": str(fault)}) for fault in Fault]
    return (*fields, *faults)
