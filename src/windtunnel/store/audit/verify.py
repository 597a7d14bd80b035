"""Whether a log is what was written to it: every record, every hash, every signed checkpoint.

What is found: any record edited, deleted, put elsewhere, doubled or added without its place in the tree, and the first
of them is named. With a checkpoint that was kept elsewhere also a log that was cut short, rewritten as a whole, or
replaced. What is not found without one is said with every result.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from windtunnel.store.audit import form, merkle
from windtunnel.store.audit.checkpoint import Checkpoint
from windtunnel.store.audit.log import AuditLog

Row = tuple[int, str, bytes, bytes, bytes]
_WITHOUT = ("records cut off from the end since the last checkpoint, and a log rewritten from some record on by "
            "whoever may write the file; a checkpoint kept elsewhere (windtunnel audit checkpoint) shows both")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """The first thing that is wrong."""

    seq: int
    """Which record; the size of the log where it is cut short."""
    kind: str
    """``edited``, ``deleted``, ``moved``, ``doubled``, ``cut``, ``replaced`` or ``damaged``."""
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What was found of a log."""

    size: int
    root: bytes
    fault: Fault | None = None
    checkpoints: int = 0
    """How many signed checkpoints it agrees with."""
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

    def add(self, row: Row) -> Fault | None:
        """Take the next record, or say what is wrong with it."""
        seq, text, packed, leaf, nodes = row
        header = text.encode() if isinstance(text, str) else bytes(text)
        fault = self._place(seq, header) or _content(seq, header, packed, leaf)
        if fault is not None:
            return fault
        peaks, made = merkle.grown(self.peaks, leaf)
        if b"".join(made) != nodes:
            return Fault(seq=seq, kind="edited", message=f"the tree above record {seq} is not that of the records")
        self.peaks, self.size, self.previous = peaks, seq + 1, leaf.hex()
        return None

    def _place(self, seq: int, header: bytes) -> Fault | None:
        wanted = self.size
        if seq != wanted:
            return Fault(seq=wanted, kind="deleted", message=f"record {wanted} is missing; the next one there is {seq}")
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
    walk, due = _Walk(), sorted(checkpoints, key=lambda one: one.size)
    met = 0
    for met, fault in _walked(log, walk, due):
        if fault is not None:
            return Verdict(size=walk.size, root=walk.root(), fault=fault, checkpoints=met, not_found=())
    if met < len(due):
        missing = due[met]
        fault = Fault(seq=walk.size, kind="cut", message=(
            f"the log ends at {walk.size} records, and there were {missing.size} when a checkpoint was signed"))
        return Verdict(size=walk.size, root=walk.root(), fault=fault, checkpoints=met)
    return Verdict(size=walk.size, root=walk.root(), checkpoints=met, not_found=() if outside else (_WITHOUT,))


def _walked(log: AuditLog, walk: _Walk, due: Sequence[Checkpoint]) -> Iterator[tuple[int, Fault | None]]:
    """One step for each record and checkpoint: how many checkpoints were met, and what is wrong."""
    met = 0
    while met < len(due) and due[met].size == 0:
        met += 1
    yield met, None
    for row in log.rows():
        fault = walk.add(row)
        if fault is not None:
            yield met, fault
            return
        while met < len(due) and due[met].size == walk.size:
            if due[met].root != walk.root():
                yield met, Fault(seq=walk.size - 1, kind="replaced", message=(
                    f"the first {walk.size} records are not those that a checkpoint was signed for"))
                return
            met += 1
        yield met, None
