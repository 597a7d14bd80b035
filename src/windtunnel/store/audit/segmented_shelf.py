"""A shelf whose oldest rows were moved into sealed segments: read as if all of them still lay on it.

What holds: whatever is asked of the rows is answered from the shelf and the segments together, in one order, also while
somebody seals. Sealed are always the oldest: the rows before ``begins`` have only their leaf and nodes on the shelf.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from windtunnel.core.audit import AuditQuery
from windtunnel.core.errors import SandboxFailure
from windtunnel.store.audit import filters
from windtunnel.store.audit.shelf import End, Last, Place, Row, Shelf, Tree

if TYPE_CHECKING:
    from windtunnel.store.audit.segments import Segments

_ALL = 2**63


class SegmentedShelf:
    """A shelf and its segments."""

    def __init__(self, live: Shelf, folder: Path, *, keys: Path) -> None:
        """``live`` has what was not sealed yet, the ``folder`` the segments, and ``keys`` the keys for them."""
        self.live, self._folder, self._keys = live, folder, keys
        self._is_checked = False

    @cached_property
    def segments(self) -> Segments:
        """What was sealed."""
        from windtunnel.store.audit.segments import Segments  # noqa: PLC0415 -- few who write ever read what was sealed

        return Segments(self._folder, keys=self._keys)

    @property
    def where(self) -> str:
        """What to call it in a message."""
        return self.live.where

    def begins(self) -> int:
        """The place of the first record that still has its header and details on the shelf."""
        return self.live.begins()

    # --- rows ---

    def row(self, seq: int) -> Row | None:
        """One record by its place; without header and details where no segment has it either."""
        row = self.live.row(seq)
        if row is None or row[1] is not None:
            return row
        found = self.segments.get(seq)
        return row if found is None else (seq, found[0].decode("ascii", "replace"), found[1], row[3], row[4])

    def rows(self, start: int, most: int) -> Sequence[Row]:
        """So many from that place on, in their order."""
        rows = self.live.rows(start, most)
        absent = [row[0] for row in rows if row[1] is None]
        if not absent:
            return rows
        found, upto = self._read(absent[0], absent[-1] + 1)
        return [(row[0], *found.get(row[0], (None, None)), row[3], row[4]) if row[1] is None else row
                for row in rows if row[0] < upto]

    def _read(self, start: int, below: int) -> tuple[dict[int, tuple[str, bytes]], int]:
        """What segments have of these records, and up to where; raises when the first of them is in a damaged one."""
        from windtunnel.store.audit.segment import SegmentFault  # noqa: PLC0415 -- as above

        found: dict[int, tuple[str, bytes]] = {}
        run = self.segments.records(start, below)
        try:
            with contextlib.closing(run):
                for seq, header, details in run:
                    found[seq] = (header.decode("ascii", "replace"), details)
        except SegmentFault as fault:
            if fault.seq <= start:
                raise
            return found, fault.seq
        return found, _ALL

    def has(self, act: str) -> bool:
        """Whether an act of this id is in the log."""
        return self.live.has(act) or self._sealed_has(act)

    def _sealed_has(self, act: str) -> bool:
        """Among those that were sealed last; one that cannot be read must not keep others from being written."""
        if not self._folder.is_dir():
            return False
        with contextlib.suppress(SandboxFailure):
            spans = self.segments.spans()
            run = self.segments.records(spans[-1].first, spans[-1].last + 1) if spans else iter(())
            return any(f'"id":"{filters.escaped(act)}","kind":'.encode() in header for _, header, _ in run)
        return False

    def find(self, query: AuditQuery, *, last: int | None, most: int) -> Sequence[tuple[int, str, bytes]]:
        """Place, header and details of so many that match."""
        while True:
            begins = self.begins()
            found = self._found(query, begins, last=last, most=most)
            if self.begins() == begins:  # else some were sealed meanwhile, and may be in neither answer
                return found

    def _found(
        self, query: AuditQuery, begins: int, *, last: int | None, most: int,
    ) -> Sequence[tuple[int, str, bytes]]:
        if query.newest_first:
            live = self.live.find(query, last=last, most=most)
            below = begins if last is None else min(begins, last)
            left = most - len(live)
            return [*live, *self._sealed(query, start=query.after + 1, below=below, most=left)] if left else live
        start = max(query.after, -1 if last is None else last) + 1
        sealed = self._sealed(query, start=start, below=begins, most=most)
        left = most - len(sealed)
        return [*sealed, *(self.live.find(query, last=last, most=left) if left else ())]

    def _sealed(self, query: AuditQuery, *, start: int, below: int, most: int) -> list[tuple[int, str, bytes]]:
        if start >= below:
            return []
        self._check_absent(start, below)
        return self.segments.find(query, start=start, below=below, most=most)

    def count(self, query: AuditQuery, by: str) -> Mapping[str, int]:
        """How many match, by group."""
        while True:
            begins, start = self.begins(), query.after + 1
            found = Counter(self.live.count(query, by))
            if start < begins:
                self._check_absent(start, begins)
                found.update(self.segments.count(query, by, start=start, below=begins))
            if self.begins() == begins:
                return found

    def _check_absent(self, start: int, below: int) -> None:
        """Records that are nowhere must have been removed, and a record must say so."""
        from windtunnel.store.audit.keeping_state import gaps, is_within, keeping_state  # noqa: PLC0415 -- as above
        from windtunnel.store.audit.segment import SegmentFault  # noqa: PLC0415

        absent = gaps(self.segments.spans(), start, below)
        removed = keeping_state(self.live).removed if absent else ()
        for first, last in absent:
            if not is_within(first, last, removed):
                raise SegmentFault(f"the segment with the records {first} to {last} is missing, and no record says so "
                                   "(windtunnel audit verify)", kind="deleted", seq=first)

    def overwrite(self, seq: int, change: Callable[[bytes], bytes]) -> None:
        """Put other details in the place of a record's, wherever it lies.

        It is held off from being sealed meanwhile; else the old details could be on their way into a segment.
        """
        if not self._folder.is_dir():
            self.live.overwrite(seq, change)
            return
        with self.segments.alone():
            self.live.overwrite(seq, change) if seq >= self.begins() else self.segments.rewrite(seq, change)

    # --- what is only on the shelf ---

    def ready(self) -> None:
        """Raise now what would keep rows from being added."""
        self._check_end()
        self.live.ready()

    def _check_end(self) -> None:
        """Refuse to add to a log that ends before what is known of it: the cut would be covered by what follows."""
        if self._is_checked:
            return
        known = self.live.newest_checkpoint()  # asked first: the log only grows meanwhile
        sealed = self._sealed_upto()
        last = self.live.last()
        size = 0 if last is None else last.seq + 1
        if size < max(known, sealed):
            why = f"a checkpoint was signed for {known}" if known >= sealed else f"{sealed} were sealed"
            raise SandboxFailure(f"{self.where}: the audit log ends at {size} records, and {why}: records were cut "
                                 "off, and nothing is added (windtunnel audit verify says more; put a whole copy in "
                                 "its place, or move it away with its segments to begin anew)")
        self._is_checked = True

    def _sealed_upto(self) -> int:
        """How many records the segments beside the log promise."""
        if not self._folder.is_dir():
            return 0
        with contextlib.suppress(SandboxFailure):  # two that promise the same; told by who reads them
            return max((span.last + 1 for span in self.segments.spans()), default=0)
        return 0

    def append(self, place: Place, *, wait: bool) -> None:
        """Hold others off, and add what ``place`` makes of the end."""
        def placed(end: End) -> Sequence[Row]:
            return place(replace(end, has=lambda act: end.has(act) or self._sealed_has(act)))

        self._check_end()
        self.live.append(placed, wait=wait)

    def wait(self) -> None:
        """Until a power cut loses nothing that this process added so far."""
        self.live.wait()

    def last(self) -> Last | None:
        """The newest record."""
        return self.live.last()

    def tree(self, seq: int) -> Tree | None:
        """Leaf and nodes of one record."""
        return self.live.tree(seq)

    def clear(self, first: int, last: int) -> None:
        """Drop header and details of these."""
        self.live.clear(first, last)

    def keep_checkpoint(self, size: int, note: str) -> None:
        """Keep a signed note about the log of that size; one that is there stays."""
        self.live.keep_checkpoint(size, note)

    def checkpoints(self) -> Sequence[str]:
        """The notes, by size."""
        return self.live.checkpoints()

    def newest_checkpoint(self) -> int:
        """The largest size that a note was kept for; 0 where there is none."""
        return self.live.newest_checkpoint()

    def keep_blobs(self, blobs: Sequence[tuple[str, bytes]]) -> None:
        """Keep data by its hash; what is there stays."""
        self.live.keep_blobs(blobs)

    def blob(self, hash_: str) -> bytes | None:
        """What was kept under this hash."""
        return self.live.blob(hash_)

    def blob_hashes(self, after: str, most: int) -> Sequence[str]:
        """So many of the hashes that something is kept under, in their order."""
        return self.live.blob_hashes(after, most)

    def drop_blobs(self, hashes: Sequence[str], *, size: int, unless: Callable[[], bool]) -> bool:
        """Drop what was kept under these, while the log has that size and nothing speaks against it."""
        return self.live.drop_blobs(hashes, size=size, unless=unless)

    def close(self) -> None:
        """Let go of it; the next use opens it again."""
        if "segments" in self.__dict__:
            self.segments.close()
        self._is_checked = False
        self.live.close()
