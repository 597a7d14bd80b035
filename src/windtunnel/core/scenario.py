"""Conditions to run under: what is asked for, what was measured, and the names of what can go wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Fault(StrEnum):
    """What can go wrong around a program; each is made real, or said not to be."""

    DISK_FULL = "disk_full"
    SLOW_DISK = "slow_disk"
    READ_ONLY_DISK = "read_only_disk"
    CORRUPTED_READS = "corrupted_reads"
    MEMORY_PRESSURE = "memory_pressure"
    CPU_SPIKE = "cpu_spike"
    TIMEOUT = "timeout"
    """Whatever is asked over the network answers too late, or never."""
    PARTITION = "partition"
    """Nothing that is sent arrives."""
    REFUSED_CONNECTIONS = "refused_connections"
    RESET_CONNECTIONS = "reset_connections"
    SLOW_CONNECTIONS = "slow_connections"
    DNS_FAILURE = "dns_failure"
    CLOCK_JUMP = "clock_jump"
    CLOCK_SKEW = "clock_skew"
    SIGNALS = "signals"
    MISSING_ENVIRONMENT = "missing_environment"
    KILLED_DEPENDENCY = "killed_dependency"
    """What answered before is gone in the middle of it."""
    WRONG_LOCALE = "wrong_locale"
    WRONG_TIME_ZONE = "wrong_time_zone"
    FEW_FILE_DESCRIPTORS = "few_file_descriptors"


NETWORK_FAULTS = frozenset({
    Fault.TIMEOUT, Fault.PARTITION, Fault.REFUSED_CONNECTIONS, Fault.RESET_CONNECTIONS, Fault.SLOW_CONNECTIONS,
    Fault.DNS_FAILURE, Fault.KILLED_DEPENDENCY})


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """How packets travel between a program and the simulated outside; each figure holds for one direction."""

    delay_seconds: float = 0.0
    jitter_seconds: float = 0.0
    """Standard deviation of the delay, normally distributed and never below zero."""
    loss: float = 0.0
    """Share of packets that do not arrive, from 0 to 1."""
    duplication: float = 0.0
    """Share of packets that arrive twice."""
    reordering: float = 0.0
    """Share of packets that do not wait for their delay, and so overtake others."""
    rate_bits: float | None = None
    """Bits a second; none is as fast as the machine is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """The simulated outside of a run: whatever name or address is asked, this is who answers.

    Port 80 answers HTTP, every other port of ``ports`` echoes; each name resolves. The faults say how it misbehaves.
    """

    link: Link = field(default_factory=Link)
    faults: frozenset[Fault] = frozenset()
    """Those of the network alone."""
    ports: tuple[int, ...] = (7, 80, 5432, 6379, 8000, 8080)
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One set of conditions; none means as usual."""

    name: str
    cores: float | None = None
    memory_bytes: int | None = None
    disk_bytes: int | None = None
    wall_seconds: float | None = None
    link: Link | None = None
    faults: frozenset[Fault] = frozenset()
    security_level: int | None = None
    """How tight the walls are drawn, from 1 to 5."""
    threat_intensity: int | None = None
    """Of a hundred calls, how many get hostile inputs."""
    os_type: str = "linux"
    vm_settings: Mapping[str, str] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    """Further variables that the program finds."""
    fields: Mapping[str, object] = field(default_factory=dict)
    """The preset as it was given, by the document's names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One field of a scenario as it came out."""

    name: str
    """As the preset names it, such as ``NETWORK_LATENCY_MS``; of a fault, ``FAILURE_MODES:disk_full``."""
    requested: str
    measured: str
    """What a probe saw inside the sandbox; empty where nothing was measured."""
    real: bool
    """Whether it holds; else ``reason`` says why not."""
    approximate: bool = False
    """Whether it is made inside the program's own process, where code that looks can tell."""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """Two values of a field between which behaviour changes, in the field's unit."""

    field: str
    holds: float | None
    """The harshest value found that breaks nothing; none where even the mildest of the ladder breaks."""
    breaks: float | None
    """The mildest value found that breaks; none where not even the harshest of the ladder does."""
    probes: int
    """How often it was tried."""
