"""What is written down of every act, and what can be told of it later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from windtunnel.core.randomness import fresh_id_by_time


class Auditing(StrEnum):
    """Whether acts are written down; from the strictest to the loosest."""

    ON = "on"
    """What cannot be written down is refused."""
    OPTIONAL = "optional"
    """What cannot be written down goes on, and its result says so."""
    OFF = "off"

    def looser_than(self, other: Auditing) -> bool:
        """Whether less is written down."""
        return list(Auditing).index(self) > list(Auditing).index(other)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One act as it is handed to the log."""

    kind: str
    """Which verb: ``run``, ``trial``, ``apply``, ``undo`` …"""
    outcome: str
    """How it ended: ``done``, ``good``, ``not good``, ``failed``, a limit's name;
    ``refused`` before anything happened, ``error`` by a fault of ours, ``cancelled``, ``lost`` with its process."""
    actor: str
    session: str = ""
    """What this process, connection or request belongs to."""
    parent: str = ""
    """The id of the act that this one is part of."""
    project: str = ""
    subject: str = ""
    """What it is about, by the name that other parts know it by: a run, a trial, an entry of the journal."""
    id: str = field(default_factory=fresh_id_by_time)
    """Of this act alone."""
    details: Mapping[str, object] = field(default_factory=dict)
    """Plain JSON values by name; each can be redacted on its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRecord:
    """One act as the log holds it."""

    seq: int
    """Its place, from 0; never used twice."""
    time: str
    """UTC, always of the same length, so that the order of the texts is the order of time."""
    entry: AuditEntry
    previous: str
    """The hash of the record before; zeros for the first."""
    hash: str
    """Of this record, as it stands in the tree."""
    details_hash: str
    redacted: tuple[str, ...] = ()
    """Names of details that were taken out; their hashes are still there, so that the proofs hold."""
    clock_back: float = 0.0
    """Seconds by which the clock stood before the record before; the order is that of ``seq``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditQuery:
    """Which records; what is empty does not narrow it."""

    since: str = ""
    """UTC in the form of ``AuditRecord.time``; ``until`` is not in it any more."""
    until: str = ""
    actor: str = ""
    kind: str = ""
    outcome: str = ""
    project: str = ""
    parent: str = ""
    session: str = ""
    id: str = ""
    """Of an act, or what it is about; the beginning of either will do."""
    text: str = ""
    """Stands somewhere in the header or the details."""
    limit: int | None = None
    newest_first: bool = False
    after: int = -1
    """Only records that come later than this place."""
