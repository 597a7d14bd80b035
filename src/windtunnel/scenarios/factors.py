"""What generated presets vary, the values of each, and which of them make no sense together.

A failure mode is a factor of four, because a preset can have several: one of the disk, one of the network, one of the
machine, one of the surroundings. OS_TYPE and VM_SETTINGS are no factors: nothing but linux can be made real. TIMEOUT is
none: it would only show how long a function takes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from windtunnel.core.scenario import Fault
from windtunnel.scenarios.fields import FIELDS
from windtunnel.scenarios.security import FULL_DISK_BYTES, PRESSURE_BYTES, SECURITY_LEVELS

NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Factor:
    """One thing that is varied."""

    name: str
    field: str
    """The field of the preset that it goes to; ``FAILURE_MODES`` collects those of four factors."""
    values: tuple[object, ...]
    """In the document's form; the first is the usual one and fills what no pair needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """Two values that no preset has together."""

    factors: tuple[str, str]
    excluded: Callable[[object, object], bool]
    reason: str


def _plain(field: str, *values: object) -> Factor:
    return Factor(name=field, field=field, values=values)


def _faults(name: str, *faults: Fault) -> Factor:
    return Factor(name=name, field="FAILURE_MODES", values=(NONE, *map(str, faults)))


FACTORS = (
    _plain("CPU_LIMIT", 1, 0.25, 0.5, 2, 4),
    _plain("MEMORY_LIMIT", "512Mi", "64Mi", "128Mi", "256Mi", "1Gi", "2Gi"),
    _plain("DISK_LIMIT", "64Mi", "16Mi", "32Mi", "128Mi", "256Mi"),
    _plain("NETWORK_LATENCY_MS", 0, 10, 50, 100, 200, 500),
    _plain("NETWORK_JITTER_MS", 0, 5, 10, 20, 50),
    _plain("PACKET_LOSS", 0, 0.1, 1, 5, 10),
    _plain("PACKET_DUPLICATION", 0, 0.1, 1, 5),
    _plain("PACKET_REORDERING", 0, 1, 5, 25),
    _plain("BANDWIDTH_LIMIT", None, "1Mbps", "5Mbps", "10Mbps", "50Mbps", "100Mbps"),
    _plain("SECURITY_LEVEL", 1, 2, 3, 4, 5),
    _plain("THREAT_INTENSITY", 0, 10, 30, 50, 70, 90),
    _faults("disk", Fault.DISK_FULL, Fault.SLOW_DISK, Fault.READ_ONLY_DISK, Fault.CORRUPTED_READS),
    _faults("network", Fault.TIMEOUT, Fault.PARTITION, Fault.REFUSED_CONNECTIONS, Fault.RESET_CONNECTIONS,
            Fault.SLOW_CONNECTIONS, Fault.DNS_FAILURE, Fault.KILLED_DEPENDENCY),
    _faults("machine", Fault.MEMORY_PRESSURE, Fault.CPU_SPIKE, Fault.FEW_FILE_DESCRIPTORS, Fault.SIGNALS),
    _faults("surroundings", Fault.CLOCK_JUMP, Fault.CLOCK_SKEW, Fault.MISSING_ENVIRONMENT, Fault.WRONG_LOCALE,
            Fault.WRONG_TIME_ZONE),
)
"""Fifteen; each value but the first is a condition."""

_LINK = ("NETWORK_LATENCY_MS", "NETWORK_JITTER_MS", "PACKET_LOSS", "PACKET_DUPLICATION", "PACKET_REORDERING",
         "BANDWIDTH_LIMIT")


def _bytes(value: object) -> int:
    size = FIELDS["DISK_LIMIT"].read(value, field="DISK_LIMIT")
    assert isinstance(size, int)
    return size


def _wide(delay: object, jitter: object) -> bool:
    assert isinstance(delay, int)
    assert isinstance(jitter, int)
    return 2 * jitter > delay


def _closed(level: object) -> bool:
    return isinstance(level, int) and not SECURITY_LEVELS[level].outside


EXCLUSIONS = (
    Exclusion(factors=("MEMORY_LIMIT", "DISK_LIMIT"), excluded=lambda memory, disk: _bytes(disk) > _bytes(memory),
              reason="files lie in memory, so a disk larger than the memory never fills"),
    Exclusion(factors=("SECURITY_LEVEL", "DISK_LIMIT"),
              excluded=lambda level, disk: isinstance(level, int) and _bytes(disk) > SECURITY_LEVELS[level].disk_bytes,
              reason="the level allows less disk than that"),
    *(Exclusion(factors=("machine", field), excluded=lambda fault, size: fault == Fault.MEMORY_PRESSURE
                and _bytes(size) > PRESSURE_BYTES, reason="memory pressure leaves less than that")
      for field in ("MEMORY_LIMIT", "DISK_LIMIT")),
    Exclusion(factors=("NETWORK_LATENCY_MS", "NETWORK_JITTER_MS"), excluded=_wide,
              reason="a deviation of more than half the delay would be cut off at zero, and so not be that deviation"),
    Exclusion(factors=("NETWORK_LATENCY_MS", "PACKET_REORDERING"),
              excluded=lambda delay, reordering: delay == 0 and reordering != 0,
              reason="without a delay nothing can be overtaken"),
    *(Exclusion(factors=("network", field), excluded=lambda fault, value: fault == Fault.PARTITION and bool(value),
                reason="what does not arrive cannot be late, lost, doubled or slow") for field in _LINK),
    *(Exclusion(factors=("SECURITY_LEVEL", field), excluded=lambda level, value: _closed(level) and bool(value),
                reason="level 5 leaves no network to be slow") for field in _LINK),
    Exclusion(factors=("SECURITY_LEVEL", "network"), excluded=lambda level, fault: _closed(level) and fault != NONE,
              reason="level 5 leaves no network to fail"),
    Exclusion(factors=("disk", "DISK_LIMIT"),
              excluded=lambda fault, disk: fault == Fault.DISK_FULL and _bytes(disk) > FULL_DISK_BYTES,
              reason="a full disk is full at any size, and a small one is filled sooner"),
)
