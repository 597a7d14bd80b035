"""What became of old records, and which must stay: said by the newest record about keeping, and by nothing else.

What holds: every record of the kinds ``seal``, ``retain`` and ``hold`` carries the whole state, and the newest of them
is never sealed, because sealing writes one of its own first. So the state is as safe from change as any record of the
log, needs no file of its own, and is found without opening a segment.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from windtunnel.core.audit import AuditEntry, AuditQuery
from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.store.audit import filters, form

KINDS = ("seal", "retain", "hold")
SUBJECT = "audit-keeping/"
"""What the subjects of these records begin with, so that they are found by an index."""
_BATCH = 16
_MOST_HOLDS = 1000
_PARTS = ("since", "until", "actor", "kind", "outcome", "project", "parent", "session", "text")
Range = tuple[int, int]
"""The first and the last record of a stretch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """Records that must stay as they are until somebody says otherwise; what is empty does not narrow it."""

    name: str
    reason: str
    actor: str
    """Who laid it."""
    query: AuditQuery

    def covers(self, seq: int, header: bytes, details: bytes) -> bool:
        """Whether a record is held."""
        return filters.matches(self.query, seq, header=header, details=details)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepingState:
    """Of one log."""

    sealed: int = 0
    """All records before this place were sealed into segments."""
    removed: tuple[Range, ...] = ()
    """Those of them that retention removed."""
    holds: tuple[Hold, ...] = ()
    said_by: int = -1
    """The record that says so; -1 where none does."""

    def has_removed(self, seq: int) -> bool:
        """Whether it says so of this record."""
        return is_within(seq, seq, self.removed)

    def details(self) -> dict[str, object]:
        """As a record carries it."""
        return {"sealed": self.sealed, "removed": [list(one) for one in self.removed], "holds": [
            {"name": hold.name, "reason": hold.reason, "actor": hold.actor, "query": narrowed(hold.query)}
            for hold in self.holds]}

    def entry(self, kind: str, *, actor: str, about: str, **details: object) -> AuditEntry:
        """The record after which this is the state.

        Its id is that of the one record which may follow ``said_by``, so that of two writers one is told that the other
        was faster (``AuditLog.append_once``), and nothing that either said is lost.
        """
        if len(self.holds) > _MOST_HOLDS:
            raise UsageError(f"hold: there are {_MOST_HOLDS} already; release some first", field="hold")
        identity = hashlib.sha256(f"{SUBJECT}{self.said_by}".encode()).hexdigest()[:32]
        return AuditEntry(kind=kind, outcome="done", actor=actor, subject=f"{SUBJECT}{about}", id=identity,
                          details={**details, "state": self.details()})


class _Found(Protocol):
    """What of a shelf is needed to find it."""

    def find(self, query: AuditQuery, *, last: int | None, most: int) -> Sequence[tuple[int, str, bytes]]:
        """The newest that match."""
        ...


def keeping_state(live: _Found) -> KeepingState:
    """What the newest of these records says; ``live`` has all that was not sealed."""
    query, last = AuditQuery(id=SUBJECT, newest_first=True), None
    while rows := live.find(query, last=last, most=_BATCH):
        for seq, header, packed in rows:
            if filters.value_of(header, "kind") in KINDS and filters.value_of(header, "subject").startswith(SUBJECT):
                return _read(seq, header.encode(), packed)
        last = rows[-1][0]
    return KeepingState()


def _read(seq: int, header: bytes, packed: bytes) -> KeepingState:
    try:
        told: Any = form.record_of(header, packed).entry.details["state"]
        return KeepingState(
            sealed=int(told["sealed"]), removed=tuple((int(first), int(last)) for first, last in told["removed"]),
            holds=tuple(_hold(one) for one in told["holds"]), said_by=seq)
    except (ValueError, KeyError, TypeError) as error:
        raise SandboxFailure(f"record {seq}, which says what was sealed, removed and held, cannot be read "
                             "(windtunnel audit verify)") from error


def _hold(told: Any) -> Hold:  # noqa: ANN401 -- plain JSON
    return Hold(name=str(told["name"]), reason=str(told["reason"]), actor=str(told["actor"]),
                query=AuditQuery(**{part: str(told["query"][part]) for part in _PARTS if part in told["query"]}))  # type: ignore[arg-type]  # texts all


def narrowed(query: AuditQuery) -> dict[str, str]:
    """What of a query is not empty."""
    return {part: value for part, value in asdict(query).items() if part in _PARTS and value}


def described(hold: Hold) -> str:
    """What it covers, for people."""
    return ", ".join(f"{part} {value}" for part, value in narrowed(hold.query).items()) or "everything"


class Spanning(Protocol):
    """Anything that covers a stretch of records."""

    @property
    def first(self) -> int:
        """Its first."""
        ...

    @property
    def last(self) -> int:
        """Its last."""
        ...


def gaps(spans: Sequence[Spanning], start: int, below: int) -> list[Range]:
    """The stretches between that none of the spans, which are in order, covers."""
    found, at = [], start
    for span in spans:
        if span.last >= at and span.first < below:
            if span.first > at:
                found.append((at, span.first - 1))
            at = span.last + 1
    return [*found, *([(at, below - 1)] if at < below else [])]


def joined(ranges: Sequence[Range]) -> tuple[Range, ...]:
    """In order, and those that touch as one."""
    made: list[Range] = []
    for first, last in sorted(ranges):
        if made and first <= made[-1][1] + 1:
            made[-1] = (made[-1][0], max(made[-1][1], last))
        else:
            made.append((first, last))
    return tuple(made)


def is_within(first: int, last: int, ranges: Sequence[Range]) -> bool:
    """Whether one of the ranges, which were joined, has all of it."""
    return any(one[0] <= first and last <= one[1] for one in ranges)
