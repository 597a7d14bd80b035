"""Where the rows of an audit log lie: what the log asks of it, whichever database it is.

What every shelf promises: rows are added at the end with nobody else adding meanwhile, all of a batch or none; what was
added is never changed but by ``overwrite`` and ``clear``, which leave the leaf and the nodes as they are, so that every
proof holds for ever. What is stored is handed out as it lies there: a shelf judges nothing, ``verify`` does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from windtunnel.core.audit import AuditQuery
from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.store.audit import merkle

Row = tuple[int, str | None, bytes | None, bytes, bytes]
"""Place, header, details, leaf, nodes; without header and details where these were moved elsewhere (``clear``)."""

Tree = tuple[bytes, bytes]
"""The leaf of a record, and the subtrees that it completes, from level 1 up, one after the other."""


class Last(NamedTuple):
    """The newest record, which never loses its header."""

    seq: int
    leaf: bytes
    time: str


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """The end of the log while nobody else may write."""

    last: Last | None
    tree: Callable[[int], Tree | None]
    """Leaf and nodes of a record by its place."""
    has: Callable[[str], bool]
    """Whether an act of this id is in the log."""


Place = Callable[[End], Sequence[Row]]
"""Makes the rows that go to the end; no more than one call adds anything, though it may be called again after a
connection was lost before anything was added."""


class Shelf(Protocol):
    """Rows, checkpoints and blobs of one log; safe to use from many threads and processes, and in a forked child."""

    @property
    def where(self) -> str:
        """What to call it in a message; never with a password in it."""
        ...

    def ready(self) -> None:
        """Raise now what would keep rows from being added."""
        ...

    def append(self, place: Place, *, wait: bool) -> None:
        """Hold others off, and add what ``place`` makes of the end.

        ``wait`` says that a call of ``wait()`` follows, for a shelf that has both at one price. When this raises, the
        rows are not there, or it cannot be known: look by id before they are added again.
        """
        ...

    def wait(self) -> None:
        """Until a power cut loses nothing that this process added so far."""
        ...

    def last(self) -> Last | None:
        """The newest record."""
        ...

    def row(self, seq: int) -> Row | None:
        """One record by its place."""
        ...

    def rows(self, start: int, most: int) -> Sequence[Row]:
        """So many from that place on, in their order."""
        ...

    def tree(self, seq: int) -> Tree | None:
        """Leaf and nodes of one record."""
        ...

    def has(self, act: str) -> bool:
        """Whether an act of this id is in the log."""
        ...

    def find(self, query: AuditQuery, *, last: int | None, most: int) -> Sequence[tuple[int, str, bytes]]:
        """Place, header and details of so many that match and come after ``last`` in the order asked for."""
        ...

    def count(self, query: AuditQuery, by: str) -> Mapping[str, int]:
        """How many match by one of ``filters.GROUPS``, in any order."""
        ...

    def overwrite(self, seq: int, change: Callable[[bytes], bytes]) -> None:
        """Put other details in the place of a record's; nothing where there are none."""
        ...

    def begins(self) -> int:
        """The place of the first record that has its header and details here; all before were cleared."""
        ...

    def clear(self, first: int, last: int) -> None:
        """Drop header and details of these; leaf and nodes stay.

        A typed error unless they are the first that have any, and none of them is the newest of all.
        """
        ...

    def keep_checkpoint(self, size: int, note: str) -> None:
        """Keep a signed note about the log of that size; one that is there stays."""
        ...

    def checkpoints(self) -> Sequence[str]:
        """The notes, by size."""
        ...

    def newest_checkpoint(self) -> int:
        """The largest size that a note was kept for; 0 where there is none."""
        ...

    def keep_blobs(self, blobs: Sequence[tuple[str, bytes]]) -> None:
        """Keep data by its hash; what is there stays."""
        ...

    def blob(self, hash_: str) -> bytes | None:
        """What was kept under this hash."""
        ...

    def blob_hashes(self, after: str, most: int) -> Sequence[str]:
        """So many of the hashes that something is kept under, in their order."""
        ...

    def drop_blobs(self, hashes: Sequence[str], *, size: int, unless: Callable[[], bool]) -> bool:
        """Drop what was kept under these; nothing, and False, where the log has another size or ``unless`` says so.

        Both are asked where nobody else may write.
        """
        ...

    def close(self) -> None:
        """Let go of it; the next use opens it again."""
        ...


def check_clear(first: int, last: int, *, begins: int, newest: Last | None) -> None:
    """Refuse to clear anything but the first records that are whole, and the newest of all."""
    if newest is None or last >= newest.seq:
        raise UsageError(f"records {first} to {last}: the newest record stays where it is", field="last")
    if first != begins or last < first:
        raise UsageError(f"records {first} to {last}: the first that can be moved away is {begins}", field="first")


def check_kinds(seq: int, header: object, details: object) -> None:
    """Refuse a record whose values are not of the kinds that are written: a file lets others put anything there."""
    if not isinstance(header, str) or not isinstance(details, bytes):
        raise unreadable(seq)


def unreadable(seq: int) -> SandboxFailure:
    """Of a record that is not what was written."""
    return SandboxFailure(f"record {seq} was edited and cannot be read (windtunnel audit verify says more)")


def check_written(there: int, meant: int) -> None:
    """Refuse to go on where the database took rows without keeping them; nothing of the batch is written then."""
    if there != meant:
        raise SandboxFailure(f"the audit log kept {there} of {meant} records: something in its database keeps rows out "
                             "(look for triggers and rules that are not ours); nothing was written")


def node_of(tree: Callable[[int], Tree | None]) -> merkle.Node:
    """Whole subtrees, each kept with the record that completes it."""
    def node(level: int, index: int) -> bytes:
        last = ((index + 1) << level) - 1
        row = tree(last)
        found = b"" if row is None else row[0] if level == 0 else row[1][(level - 1) * 32:level * 32]
        if not isinstance(found, bytes) or len(found) != merkle.HASH_BYTES:
            raise SandboxFailure(f"the audit log has no subtree {level}/{index}: record {last} is missing or damaged "
                                 "(windtunnel audit verify names the first bad record)")
        return bytes(found)

    return node
