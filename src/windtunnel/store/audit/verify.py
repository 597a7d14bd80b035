"""Whether a log is what was written to it: every record, every hash, every signed checkpoint.

What is found: any record edited, deleted, put elsewhere, doubled or added without its place in the tree, any kept
content that was changed or is gone, and a log that ends before its own segments; the first of them is named. With a
checkpoint that was kept elsewhere also a log that was cut short, rewritten as a whole, or replaced. What is not
found without one is said with every result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from windtunnel.core.errors import SandboxFailure
from windtunnel.store.audit import form, merkle
from windtunnel.store.audit.checkpoint import Checkpoint
from windtunnel.store.audit.fault import Fault
from windtunnel.store.audit.keeping_state import KeepingState, Range, joined, keeping_state
from windtunnel.store.audit.log import AuditLog
from windtunnel.store.audit.segment import SegmentFault
from windtunnel.store.audit.shelf import Row
from windtunnel.store.audit.verify_contents import spoken, stray

__all__ = ["Fault", "Verdict", "verify"]
_FIRST = -2**63
"""The least number that a row can have."""
_WITHOUT = ("records cut off from the end since the last checkpoint, and a log rewritten from some record on by "
            "whoever may write the file; a checkpoint kept elsewhere (windtunnel audit checkpoint) shows both")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What was found of a log."""

    size: int
    root: bytes
    fault: Fault | None = None
    checkpoints: int = 0
    """How many signed checkpoints it agrees with."""
    removed: tuple[str, ...] = ()
    """What retention removed, and which record says so; only the hashes of these records are left."""
    not_found: tuple[str, ...] = ()
    """What could be wrong all the same, because nothing here can show it."""

    @property
    def success(self) -> bool:
        """Whether nothing is wrong."""
        return self.fault is None


@dataclass(slots=True)
class _Walk:
    """The tree as the records make it, beside what the store says of it."""

    size: int = 0
    previous: str = form.FIRST
    peaks: merkle.Peaks = ()
    state: KeepingState = field(default_factory=KeepingState)
    """What the log says was removed."""
    removed: tuple[Range, ...] = ()
    """What is not there, and need not be."""
    ends: dict[int, Path] = field(default_factory=dict)
    """The last record of each segment."""
    contents: set[str] = field(default_factory=set)
    """The kept contents that were looked at, by their hashes: memory grows with these, and with nothing else."""

    def add(self, row: Row) -> Fault | None:
        """Take the next record, or say what is wrong with it."""
        seq, text, packed, leaf, nodes = row
        if seq < 0:
            return Fault(seq=seq, kind="added", message=f"a row with the number {seq} stands before the first record")
        if seq != self.size:
            return Fault(seq=self.size, kind="deleted",
                         message=f"record {self.size} is missing; the next one there is {seq}")
        if isinstance(text, str) and isinstance(packed, bytes) and isinstance(leaf, bytes):
            header = text.encode("utf-8", "replace")
            fault = self._place(seq, header) or _content(seq, header, packed, leaf)
        elif not (isinstance(text, str | None) and isinstance(packed, bytes | None) and isinstance(leaf, bytes)):
            return Fault(seq=seq, kind="edited", message=f"record {seq} was edited: it is not stored as it was written")
        else:
            fault = self._absent(seq)
        if fault is not None:
            return fault
        peaks, made = merkle.grown(self.peaks, leaf)
        if b"".join(made) != nodes:
            return Fault(seq=seq, kind="edited", message=f"the tree above record {seq} is not that of the records")
        self.peaks, self.size, self.previous = peaks, seq + 1, leaf.hex()
        return None

    def _absent(self, seq: int) -> Fault | None:
        """Of a removed record its hash is left, and with it the tree; that it was removed must be said."""
        if not self.state.has_removed(seq):
            return Fault(seq=seq, kind="deleted", message=(
                f"the segment with record {seq} is missing, and no record says that it was removed"))
        self.removed = joined([*self.removed, (seq, seq)])
        return None

    def _place(self, seq: int, header: bytes) -> Fault | None:
        if header.startswith(form.prefix_of(seq, self.previous)):
            return None
        try:
            said = form.record_of(header, b"")
        except ValueError:
            return Fault(seq=seq, kind="damaged", message=f"record {seq} cannot be read")
        if said.seq < seq:
            return Fault(seq=seq, kind="doubled", message=f"at place {seq} stands record {said.seq} once more")
        if said.seq > seq:
            return Fault(seq=seq, kind="moved", message=f"at place {seq} stands record {said.seq}")
        return Fault(seq=seq, kind="edited",
                     message=f"record {seq} does not follow on the record before: one of the two was rewritten")

    def root(self) -> bytes:
        """The hash of all records so far."""
        hashes = dict(self.peaks)
        return merkle.head(self.size, lambda level, _: hashes[level])


def _content(seq: int, header: bytes, packed: bytes, leaf: bytes) -> Fault | None:
    try:
        details = form.hash_of(packed)
    except (ValueError, UnicodeDecodeError):
        return Fault(seq=seq, kind="damaged", message=f"the details of record {seq} cannot be read")
    if not header.endswith(form.suffix_of(details)):
        return Fault(seq=seq, kind="edited", message=f"the details of record {seq} are not those it vouches for")
    if merkle.leaf_hash(header) != leaf:
        return Fault(seq=seq, kind="edited", message=f"record {seq} was edited: its hash is not that in the tree")
    return None


def verify(log: AuditLog, checkpoints: Sequence[Checkpoint] = (), *, outside: bool = False) -> Verdict:
    """Read all of it once; ``outside`` says that one of the checkpoints was kept elsewhere."""
    log.segments.close()  # what was checked when it was opened is checked again
    walk, due = _Walk(state=_state(log), ends=_ends(log)), sorted(checkpoints, key=lambda one: one.size)
    met, fault = _walked(log, walk, due)
    if fault is not None:
        return Verdict(size=walk.size, root=walk.root(), fault=fault, checkpoints=met)
    if met < len(due):
        missing = due[met]
        fault = Fault(seq=walk.size, kind="cut", message=(
            f"the log ends at {walk.size} records, and there were {missing.size} when a checkpoint was signed"))
        return Verdict(size=walk.size, root=walk.root(), fault=fault, checkpoints=met)
    fault = _beyond(log, walk) or stray(log, walk.contents)
    if fault is not None:
        return Verdict(size=walk.size, root=walk.root(), fault=fault, checkpoints=met)
    removed = tuple(f"records {first} to {last} were removed by retention, as record {walk.state.said_by} says"
                    for first, last in walk.removed)
    return Verdict(size=walk.size, root=walk.root(), checkpoints=met, removed=removed,
                   not_found=() if outside else (_WITHOUT,))


def _beyond(log: AuditLog, walk: _Walk) -> Fault | None:
    """Segments of records that the log does not have."""
    try:
        promised = max((span.last for span in log.segments.spans()), default=-1)
    except SegmentFault as fault:
        return Fault(seq=fault.seq, kind=fault.kind, message=str(fault))
    return None if promised < walk.size else Fault(seq=walk.size, kind="cut", message=(
        f"the log ends at {walk.size} records, and a segment beside it was sealed with record {promised}"))


def _ends(log: AuditLog) -> dict[int, Path]:
    try:
        return {span.last: span.path for span in log.segments.spans() if span.last < log.shelf.begins()}
    except SegmentFault:
        return {}  # told where the first of their records is read


def _state(log: AuditLog) -> KeepingState:
    """What is said of removed records; the record that says it is read with the others, and must be whole too."""
    try:
        return keeping_state(log.shelf.live)
    except (SandboxFailure, TypeError, ValueError):
        return KeepingState()


def _walked(log: AuditLog, walk: _Walk, due: Sequence[Checkpoint]) -> tuple[int, Fault | None]:
    """How many checkpoints were met, and the first thing that is wrong."""
    stops = {*(one.size for one in due), *(last + 1 for last in walk.ends)}
    met = sum(one.size == 0 for one in due)
    try:
        for row in log.rows(_FIRST):
            fault = walk.add(row) or spoken(log, row, walk.contents)
            if fault is None and walk.size in stops:
                fault = _segment_end(log, walk)
                here = [one for one in due if one.size == walk.size]
                if fault is None and any(one.root != walk.root() for one in here):
                    fault = Fault(seq=walk.size - 1, kind="replaced", message=(
                        f"the first {walk.size} records are not those that a checkpoint was signed for"))
                met += len(here) if fault is None else 0
            if fault is not None:
                return met, fault
    except SegmentFault as fault:
        return met, Fault(seq=max(fault.seq, walk.size), kind=fault.kind, message=str(fault))
    return met, None


def _segment_end(log: AuditLog, walk: _Walk) -> Fault | None:
    """Where a segment ends, the tree must be the one that it was signed for."""
    path = walk.ends.get(walk.size - 1)
    if path is None:
        return None
    try:
        said = log.segments.opened(path).head.root
    except SegmentFault as fault:
        return Fault(seq=fault.seq, kind=fault.kind, message=str(fault))
    return None if said == walk.root().hex() else Fault(seq=walk.size - 1, kind="foreign", message=(
        f"the segment {path.name} was sealed in another log: the tree before its end is not that of these records"))
