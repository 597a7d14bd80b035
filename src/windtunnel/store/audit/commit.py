"""Group commit: whoever comes first writes for all who came meanwhile, and all of them share one wait for the disk.

What holds: when ``append`` has returned, the records survive ``kill -9`` of this process, and with ``wait`` a power cut
too. A record whose writing failed, so that nobody knows whether it is there, is looked for by its id before it is
written again.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from windtunnel.core.audit import AuditEntry, AuditQuery, AuditRecord
from windtunnel.core.errors import SandboxFailure
from windtunnel.store.audit import form, merkle
from windtunnel.store.audit.shelf import End, Row, Shelf, node_of

_GATHER_SECONDS = 0.001
_MOST_GATHERINGS = 10
"""As long as others come; each then has waited less for them than for the disk."""
_SLEEP_SECONDS = 1.0
"""After which one looks again, though nobody has woken it: whose turn that was may have been interrupted."""
_MOST_DOUBTFUL = 100_000
_MOST_SAME = 16
"""Of acts whose ids begin alike."""


@dataclass(slots=True, eq=False)
class _Wanted:
    """One record on its way into the log."""

    entry: AuditEntry
    common: str
    packed: bytes
    details_hash: str
    batch: _Batch
    once: bool
    """Whether it is left out where an act of its id is there."""
    record: AuditRecord | None = None


class _Batch:
    """What one caller wants written."""

    __slots__ = ("_word", "done", "error", "gone", "next", "wait")

    def __init__(self, *, wait: bool) -> None:
        self.wait, self.done, self.gone = wait, False, False
        self.error: BaseException | None = None
        self.next: _Batch | None = None
        self._word = threading.Lock()  # far cheaper than an event, and there is one for each append
        self._word.acquire()

    def sleep(self) -> None:
        """Until it is written, or until it is the caller's turn to write for all who wait; or for a moment."""
        self._word.acquire(timeout=_SLEEP_SECONDS)

    def wake(self) -> None:
        """Both may be said before either is heard, and are then heard as one."""
        with contextlib.suppress(RuntimeError):
            self._word.release()

    def wake_next(self) -> None:
        """Each of those who were written together wakes another: all at once would stand in each other's way."""
        if self.next is not None:
            self.next.wake()


@dataclass(slots=True)
class _Tail:
    """Where the next record goes, and the whole subtrees before it."""

    size: int
    leaf: str
    time: str
    peaks: merkle.Peaks


class Writer:
    """Adds records to the end of one shelf, for many threads."""

    def __init__(self, shelf: Shelf) -> None:
        """Write there."""
        self.shelf = shelf
        self._queue: list[_Wanted] = []
        self._queue_lock, self._writing, self._waiting = threading.Lock(), threading.Lock(), threading.Lock()
        self._gathered = threading.Event()
        self._callers = self._together = self._awaited = 0
        self._written = self._safe = 0
        self._tail: _Tail | None = None
        self._doubtful: dict[str, None] = {}

    @property
    def is_safe(self) -> bool:
        """Whether a power cut would lose nothing."""
        return self._safe >= self._written

    def append(self, entries: Sequence[AuditEntry], *, wait: bool, once: bool = False) -> list[AuditRecord]:
        """Write them in this order; with ``once``, those whose ids are not there yet."""
        if not entries:
            return []
        batch = _Batch(wait=wait)
        wanted = [_Wanted(entry, form.common_of(entry), *form.pack(entry.details), batch,
                          once or entry.id in self._doubtful) for entry in entries]
        with self._queue_lock:
            self._queue += wanted
            self._callers += 1
            if self._callers == self._awaited:
                self._gathered.set()
        try:
            while not batch.done:
                self._write_or_wait(batch)
        except BaseException:
            self._withdraw(batch, entries)
            raise
        finally:
            batch.wake_next()
        if batch.error is not None:
            raise batch.error
        return [record for one in wanted if (record := one.record or (None if once else self._there(one.entry)))]

    def flush(self) -> None:
        """Wait until a power cut would lose nothing that was written before this call."""
        with self._waiting:
            upto = self._written
            if self._safe < upto:
                self.shelf.wait()
                self._safe = upto

    def _write_or_wait(self, batch: _Batch) -> None:
        if not self._writing.acquire(blocking=False):
            batch.sleep()
            return
        try:
            if not batch.done:
                self._lead(batch)
        finally:
            self._writing.release()
            self._pass_on()

    def _lead(self, batch: _Batch) -> None:
        try:
            if batch.wait:
                self._gather()
        finally:
            self._end(*self._write())

    def _pass_on(self) -> None:
        """Let the first write who came meanwhile."""
        with self._queue_lock:
            heir = self._queue[0].batch if self._queue else None
        if heir is not None:
            heir.wake()

    def _withdraw(self, batch: _Batch, entries: Sequence[AuditEntry]) -> None:
        """Of one who was interrupted: it may have been the next, so that another has its turn."""
        with self._queue_lock:
            kept = [one for one in self._queue if one.batch is not batch]
            batch.gone = len(kept) == len(self._queue)
            self._callers -= not batch.gone
            self._queue = kept
            if batch.gone:  # another is writing it right now, or has written it
                self._doubtful |= {entry.id: None for entry in entries}
        self._pass_on()

    def _gather(self) -> None:
        """Give those who wrote together last time a moment to come again: one wait for the disk then does for all.

        Another moment for as long as some came in the last one.
        """
        with self._queue_lock:
            few = self._callers < self._together
            self._awaited = self._together if few else 0
            self._gathered.clear()
        came, most = -1, _MOST_GATHERINGS
        while few and most and came < (came := self._callers) and not self._gathered.wait(_GATHER_SECONDS):
            most -= 1

    def _write(self) -> tuple[list[_Wanted], int, BaseException | None]:
        with self._queue_lock:
            queue, self._queue = self._queue, []
            self._together, self._callers, self._awaited = self._callers, 0, 0
        try:
            self.shelf.append(lambda end: self._placed(queue, end), wait=any(one.batch.wait for one in queue))
        except BaseException as error:  # noqa: BLE001 -- raised by each of those whose record it kept out
            self._tail = None
            return queue, self._written, error
        self._written += 1
        return queue, self._written, None

    def _end(self, queue: list[_Wanted], number: int, error: BaseException | None) -> None:
        """Wait for the disk where somebody asked for it, and tell all of them."""
        batches = list({id(one.batch): one.batch for one in queue}.values())
        if error is None and any(batch.wait for batch in batches):
            try:
                if self._safe < number:
                    self.flush()
            except BaseException as failure:  # noqa: BLE001 -- as above
                error = failure
        for one in queue:
            if error is not None and len(self._doubtful) < _MOST_DOUBTFUL:
                self._doubtful[one.entry.id] = None
            elif error is None and self._doubtful and not one.batch.gone:
                self._doubtful.pop(one.entry.id, None)
        for batch, following in zip(batches, [*batches[1:], None], strict=True):
            batch.error, batch.next, batch.done = error, following, True
        if batches:
            batches[0].wake()

    def _placed(self, queue: list[_Wanted], end: End) -> list[Row]:
        tail, rows = self._current(end), []
        for one in queue:
            one.record = None
            if not (one.once and end.has(one.entry.id)):
                rows.append(_place(one, tail))
        self._tail = tail
        return rows

    def _current(self, end: End) -> _Tail:
        """The end of the log as it is now; what this process knew of it, unless another wrote since."""
        if end.last is None:
            return _Tail(0, form.FIRST, "", ())
        seq, leaf, time = end.last
        known = self._tail
        if known is not None and (known.size, known.leaf) == (seq + 1, leaf.hex()):
            return known
        node = node_of(end.tree)
        return _Tail(seq + 1, leaf.hex(), time, tuple((level, node(level, at)) for level, at in merkle.peaks(seq + 1)))

    def _there(self, entry: AuditEntry) -> AuditRecord:
        """The record of an act that was written though its writing had failed."""
        for _, header, details in self.shelf.find(AuditQuery(id=entry.id), last=None, most=_MOST_SAME):
            found = form.record_of(header.encode(), details)
            if found.entry.id == entry.id:
                return found
        raise SandboxFailure(f"{self.shelf.where}: record {entry.id} was there, and is not any more")


def _place(one: _Wanted, tail: _Tail) -> Row:
    """The row of a record at the end of the log, which then ends with it."""
    now = datetime.now(UTC)
    time = now.isoformat(timespec="microseconds")
    back = (datetime.fromisoformat(tail.time) - now).total_seconds() if time < tail.time else 0.0
    seq, previous = tail.size, tail.leaf
    header = form.line_of(one.common, seq=seq, time=time, previous=previous, details_hash=one.details_hash,
                          clock_back=back)
    leaf = merkle.leaf_hash(header)
    tail.peaks, made = merkle.grown(tail.peaks, leaf)
    tail.size, tail.leaf, tail.time = seq + 1, leaf.hex(), time
    one.record = AuditRecord(seq=seq, time=time, entry=one.entry, previous=previous, hash=tail.leaf,
                             details_hash=one.details_hash, clock_back=back)
    return seq, header.decode(), one.packed, leaf, b"".join(made)
