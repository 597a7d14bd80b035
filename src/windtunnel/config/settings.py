"""What can be set, and what holds when nobody says anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from windtunnel.core.address import DatabaseAddress
from windtunnel.core.audit import Auditing
from windtunnel.core.errors import UsageError
from windtunnel.core.gate import Thresholds
from windtunnel.core.limits import GIB, MIB, Limits
from windtunnel.core.result import Level
from windtunnel.core.span import Span
from windtunnel.core.tampering import Tampering

CAPS = Limits(
    wall_seconds=30.0, cpu_seconds=3600.0, cores=64.0, cpu_weight=10_240, memory_bytes=16 * GIB,
    swap_bytes=16 * GIB, processes=10_000, disk_bytes=16 * GIB, files=1_000_000, open_files=65_536,
    output_bytes=64 * MIB,
)
"""The most a run may ask for when nobody says otherwise."""

MOST_POOL = 64
"""Sandboxes that may wait for a program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How Windtunnel is set up here."""

    state_dir: Path
    """Where the history is."""
    cache_dir: Path
    """Where the products of builds are; may be removed at any time."""
    min_isolation: Level = Level.PROCESS
    """The weakest walls any run may have."""
    caps: Limits = CAPS
    """The most a run may ask for."""
    default_limits: Limits = field(default_factory=Limits)
    """What a run gets that asks for nothing; never above the caps."""
    pool_size: int = 2
    """How many sandboxes wait for a program; zero means none."""
    history: bool = True
    """Whether runs are recorded."""
    audit: Auditing = Auditing.ON
    """Whether every act is written down in the audit log."""
    actor: str = ""
    """In whose name acts are written down; empty takes the user's own."""
    trial_seconds: float = 3600.0
    """The most wall time that each side of a trial may ask for; the other caps bind trials too."""
    tamper: Tampering = Tampering.USUAL
    """Whether a trial counts what it would show of code that may be made for the inputs of the tests."""
    gate: Thresholds | None = None
    """What the gate must find at least; none means the usual, or whatever is asked for."""
    allow_network: bool = True
    """Whether a run may ask for the network; no run gets it unasked."""
    languages: tuple[Mapping[str, object], ...] = ()
    """Languages of the user's own, as written; checked where languages are known."""
    engine: str = ""
    """The container engine, ``docker`` or ``podman``; empty takes the first that answers."""
    runtime: str = ""
    """What the engine starts containers with, such as ``runsc``; empty leaves it to the engine."""
    pull: bool = True
    """Whether an image that is not here may be fetched from its registry."""
    images: Mapping[str, str] = field(default_factory=dict)
    """Images of the user's own, by language."""
    policy: Path | None = None
    """The file that says who may do what; none means that everything is allowed."""
    audit_store: DatabaseAddress | None = None
    """The PostgreSQL database that holds the audit log; none means a file in ``state_dir``."""
    audit_seal_after: Span | None = None
    """How old a record of the audit log is when it is sealed into a segment; none means that nobody seals unasked."""
    audit_retention: Span | None = None
    """How long sealed records are kept at least, and when they are removed; none means for ever."""
    audit_checkpoints: tuple[str, ...] = ()
    """Where signed checkpoints of the audit log are sent now and then, by whoever writes to it."""
    audit_checkpoint_minutes: float = 60.0
    """At most once in so many."""
    audit_watch: Path | None = None
    """The file of rules by which ``audit watch`` looks, and whom it tells; none means the usual rules."""
    analysis_advisories: Path | None = None
    """A folder or zip of advisories in the OSV format, by which analyses look for known vulnerabilities."""
    analysis_hours: float = 24.0
    """How long an analysis is given again for a tree that has not changed."""
    analysis_cache_bytes: int = 500 * MIB
    """The most that analyses, and what was measured of files, may take on disk."""
    project_policy: str | None = None
    """A project's own, below its folder; none means the usual place, where there need not be one."""

    def __post_init__(self) -> None:
        """Refuse a pool of senseless size and defaults above the caps."""
        if isinstance(self.pool_size, bool) or not isinstance(self.pool_size, int):
            raise UsageError("pool_size: not a whole number (try 2)", field="pool_size")
        if not 0 <= self.pool_size <= MOST_POOL:
            raise UsageError(f"pool_size: out of range (from 0 to {MOST_POOL})", field="pool_size")
        over = self.default_limits.over(self.caps)
        if over:
            raise UsageError(f"default_limits.{over}: more than its cap ({getattr(self.caps, over):g})", field=over)
