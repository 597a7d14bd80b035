"""The audit log: append-only, many writers, a hash tree over all records, on a shelf that holds the rows.

What holds: when ``append`` has returned, the record survives ``kill -9`` of this process; with ``wait`` it also
survives a power cut, because one wait for the disk was shared by all who asked at that time (``commit``). Records
have their places in one order, whoever writes. What does not hold: whoever may write the store may rewrite all of it,
and only a checkpoint kept elsewhere shows that; see ``verify``.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from windtunnel.core.audit import AuditEntry, AuditRecord
from windtunnel.core.errors import SandboxFailure, UsageError, WindtunnelError
from windtunnel.core.plain import plain
from windtunnel.store.audit import form, merkle
from windtunnel.store.audit.commit import Writer
from windtunnel.store.audit.intents import Intents
from windtunnel.store.audit.segmented_shelf import SegmentedShelf
from windtunnel.store.audit.shelf import Row, Shelf, check_kinds, node_of
from windtunnel.store.audit.sqlite_shelf import SqliteShelf

if TYPE_CHECKING:
    from windtunnel.store.audit.segments import Segments

_FLUSH_SECONDS = 0.5
_BATCH = 2000
BEGUN, LOST = "begun", "lost"
_ENTRY = tuple(AuditEntry.__dataclass_fields__)


class AuditLog:
    """Appends and reads records; safe to use from many threads and processes, and again in a forked child."""

    def __init__(
        self, path: str | os.PathLike[str], *, shelf: Shelf | None = None,
        reading: Callable[[str], object] | None = None,
    ) -> None:
        """Remember where; nothing is opened or made yet.

        Without a ``shelf`` the rows lie in the file ``path``; what is under way is noted beside it in either case. With
        ``reading``, a file that cannot be written is only read, which is told.
        """
        self.path = Path(path).absolute()
        folder = self.path.with_suffix(".segments")
        rows = shelf or SqliteShelf(self.path, making=lambda: _check_alone(self.path, folder), reading=reading)
        self.shelf = SegmentedShelf(rows, folder, keys=self.path.parent / "keys")
        self.intents = Intents(self.path.with_suffix(".acts"))
        self._ready = False
        self._start()

    def _start(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._writer = Writer(self.shelf)
        self._flusher: threading.Thread | None = None
        self._posted: list[AuditEntry] = []
        self._failure: WindtunnelError | None = None

    # --- writing ---

    def append(self, entry: AuditEntry, *, wait: bool = True) -> AuditRecord:
        """Write one record; ``wait`` until it is on the disk."""
        return self.append_all([entry], wait=wait)[-1]

    def append_all(self, entries: Sequence[AuditEntry], *, wait: bool = True) -> list[AuditRecord]:
        """Write several, in this order, after those that were posted."""
        if os.getpid() != self._pid:
            self._start()
        with self._lock:
            posted, self._posted = self._posted, []
        try:
            made = self._writer.append([*posted, *entries], wait=wait)
        except BaseException:
            with self._lock:
                self._posted = [*posted, *self._posted]
            raise
        if not wait:
            self._flush_soon()
        self.intents.written([entry.id for entry in entries], posted=len(posted))
        return made[len(posted):]

    def append_once(self, entry: AuditEntry) -> AuditRecord | None:
        """Write one record, and none where an act of its id is there: asked where nobody else may write."""
        self.settle()
        made = self._writer.append([entry], wait=True, once=True)
        return made[0] if made else None

    def post(self, entry: AuditEntry) -> None:
        """Have one record written soon; from now on the death of this process does not lose it.

        It is in the log after half a second at most, and before anything else that this process appends or reads.
        """
        if os.getpid() != self._pid:
            self._start()
        if self._failure is not None:
            raise self._failure
        self.intents.post(json.dumps({name: getattr(entry, name) for name in _ENTRY}, default=plain).encode(), entry.id)
        with self._lock:
            self._posted.append(entry)
        self._flush_soon()

    def settle(self) -> None:
        """Write what was posted."""
        if self._posted and os.getpid() == self._pid:
            self.append_all([], wait=False)

    def _flush_soon(self) -> None:
        if self._flusher is None or not self._flusher.is_alive():
            self._flusher = threading.Thread(target=self._flush_later, name="windtunnel-audit", daemon=True)
            self._flusher.start()

    def _flush_later(self) -> None:
        while self._posted or not self._writer.is_safe:
            threading.Event().wait(_FLUSH_SECONDS)
            try:
                self.settle()
                self._writer.flush()
            except WindtunnelError as error:
                self._failure = error  # raised by the next act, which is then refused
                return

    # --- what is under way ---

    def begin(self, entry: AuditEntry, *, wait: bool = False) -> None:
        """Write down that an act begins; its one record comes with its end, or says that it was lost."""
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure
        if not self._ready:
            self.shelf.ready()
            self._ready = True
        self.intents.begin(entry, wait=wait)

    def repair(self) -> list[AuditRecord]:
        """End the acts of processes that are gone: each gets a record that says so, and nothing else is changed.

        Of two processes that do this at once, one writes each record: whether it is there is asked where nobody else
        may write.
        """
        if os.getpid() != self._pid:
            self._start()
        made: list[AuditRecord] = []
        for path, begun in self.intents.left():
            ended = [_lost(entry) if entry.outcome == BEGUN else entry for entry in begun]
            try:
                made += self._writer.append(ended, wait=True, once=True)
            except UsageError as error:  # one that cannot be written down must not keep all others away for ever
                made += self._writer.append([_untold(entry, error) for entry in ended], wait=True, once=True)
            path.unlink(missing_ok=True)
        return made

    # --- reading ---

    @property
    def segments(self) -> Segments:
        """What was sealed; the shelf reads it where it is asked for."""
        return self.shelf.segments

    @property
    def size(self) -> int:
        """How many records there are."""
        self.settle()
        last = self.shelf.last()
        return 0 if last is None else last.seq + 1

    def head(self, size: int | None = None) -> tuple[int, bytes]:
        """The size and the hash of the whole tree; of an older one, if that is asked for."""
        wanted = self.size if size is None else size
        return wanted, merkle.head(wanted, node_of(self.shelf.tree))

    def get(self, seq: int) -> AuditRecord | None:
        """One record by its place."""
        found = self.raw(seq)
        return None if found is None else form.record_of(*found)

    def raw(self, seq: int) -> tuple[bytes, bytes] | None:
        """Its header and its details as they lie there; none where there is none, or where retention removed it."""
        self.settle()
        row = self.shelf.row(seq)
        if row is None or row[1] is None or row[2] is None:
            return None
        check_kinds(seq, row[1], row[2])
        return row[1].encode(), row[2]

    def rows(self, start: int = 0) -> Iterator[Row]:
        """Everything as it lies there, in batches, so that memory does not grow with the log."""
        self.settle()
        while batch := self.shelf.rows(start, _BATCH):
            yield from batch
            start = batch[-1][0] + 1

    @property
    def is_shared(self) -> bool:
        """Whether other machines may write it too."""
        return not isinstance(self.shelf.live, SqliteShelf)

    def keep_checkpoint(self, size: int, note: str) -> None:
        """Keep a signed note about the log of that size; one that is there stays."""
        self.shelf.keep_checkpoint(size, note)

    def checkpoints(self) -> list[str]:
        """The signed notes that were kept here, oldest first."""
        return list(self.shelf.checkpoints())

    def inclusion(self, seq: int, size: int) -> list[bytes]:
        """The proof that a record stands in the log of that size."""
        return merkle.inclusion(seq, size, node_of(self.shelf.tree))

    def consistency(self, first: int, second: int) -> list[bytes]:
        """The proof that the log of the second size begins with that of the first."""
        return merkle.consistency(first, second, node_of(self.shelf.tree))

    def close(self) -> None:
        """Wait for the disk, and let go of the store."""
        if self._pid == os.getpid():
            self.settle()
            self._writer.flush()
        self.intents.close()
        self.shelf.close()


def _check_alone(path: Path, folder: Path) -> None:
    """Refuse to begin a log beside the sealed records of another, which would pass for this one's."""
    if not folder.is_dir():
        return
    from windtunnel.store.audit.segment import name_of  # noqa: PLC0415 -- few who write ever read what was sealed

    if any(name_of(one) for one in folder.iterdir()):
        raise SandboxFailure(f"{path}: the audit log is gone, and its sealed segments are still in {folder.name}: put "
                             f"it back from a copy; or, to begin a new one, move {folder.name} away and keep it")


def _untold(entry: AuditEntry, error: UsageError) -> AuditEntry:
    return replace(entry, details={"why": f"its particulars cannot be written down: {str(error)[:1000]}"})


def _lost(entry: AuditEntry) -> AuditEntry:
    return replace(entry, outcome=LOST, details={"why": "its process ended before it was over"})
