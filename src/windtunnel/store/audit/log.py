"""The audit log in one SQLite file: append-only, many writers, a hash tree over all records.

What holds: when ``append`` has returned, the record survives ``kill -9`` of this process; with ``wait`` it also
survives a power cut, because one wait for the disk was shared by all who asked at that time (a group commit). Records
have their places in one order, whoever writes. What does not hold: whoever may write the file may rewrite all of it,
and only a checkpoint kept elsewhere shows that; see ``verify``.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from windtunnel.core.audit import AuditEntry, AuditRecord
from windtunnel.core.errors import SandboxFailure, WindtunnelError
from windtunnel.core.plain import plain
from windtunnel.store.audit import form, merkle
from windtunnel.store.audit.intents import Intents
from windtunnel.store.database import Database, Shape, transaction

_FIELDS = ("id", "time", "kind", "outcome", "actor", "session", "parent", "project", "subject")
_GENERATED = ", ".join(
    f"{name} TEXT GENERATED ALWAYS AS (json_extract(header, '$.{name}')) VIRTUAL" for name in _FIELDS)
SHAPE = Shape(
    what="audit log", application=0x57544C31, elsewhere="or set WINDTUNNEL_STATE_DIR to another folder",
    migrations=((
        f"""CREATE TABLE records (seq INTEGER PRIMARY KEY, header TEXT NOT NULL, details BLOB NOT NULL,
            leaf BLOB NOT NULL, nodes BLOB NOT NULL, {_GENERATED})""",
        *(f"CREATE INDEX records_by_{name} ON records ({name})" for name in ("id", "subject", "time")),
        "CREATE TABLE checkpoints (size INTEGER PRIMARY KEY, note TEXT NOT NULL)",
        "CREATE TABLE blobs (hash TEXT PRIMARY KEY, data BLOB NOT NULL)",
    ),))
"""The columns beside the header are read from it, so that a query cannot say other things than the record."""
_INSERT = "INSERT INTO records (seq, header, details, leaf, nodes) VALUES (?, ?, ?, ?, ?)"
_LAST = "SELECT seq, leaf, time FROM records ORDER BY seq DESC LIMIT 1"
_FLUSH_SECONDS = 0.5
_BATCH = 2000
BEGUN, LOST = "begun", "lost"
_ENTRY = tuple(AuditEntry.__dataclass_fields__)


@dataclass(slots=True)
class _Wanted:
    """One record on its way into the log."""

    entry: AuditEntry
    packed: bytes
    details_hash: str
    wait: bool
    word: threading.Event
    """Set when it is written, or when it is the caller's turn to write for all who wait."""
    record: AuditRecord | None = None
    error: BaseException | None = None

    @property
    def settled(self) -> bool:
        """Whether it is in the log, or certainly not."""
        return self.record is not None or self.error is not None


@dataclass(slots=True)
class _Tail:
    """Where the next record goes, and the whole subtrees before it."""

    size: int
    leaf: str
    time: str
    peaks: merkle.Peaks


class AuditLog:
    """Appends and reads records; safe to use from many threads and processes, and again in a forked child."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Remember where; nothing is opened or made yet."""
        self.database = Database(path, SHAPE)
        self.intents = Intents(self.database.path.with_suffix(".acts"))
        self._ready = False
        self._start()

    def _start(self) -> None:
        self._pid = os.getpid()
        self._queue: list[_Wanted] = []
        self._queue_lock, self._writing, self._flushing = threading.Lock(), threading.Lock(), threading.Lock()
        self._written = self._flushed = 0
        self._flusher: threading.Thread | None = None
        self._tail: _Tail | None = None
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
        with self._queue_lock:
            posted, self._posted = self._posted, []
        try:
            made = self._append([*posted, *entries], wait=wait)
        except BaseException:
            with self._queue_lock:
                self._posted = [*posted, *self._posted]
            raise
        self.intents.written([entry.id for entry in entries], posted=len(posted))
        return made[len(posted):]

    def post(self, entry: AuditEntry) -> None:
        """Have one record written soon; from now on the death of this process does not lose it.

        It is in the log after half a second at most, and before anything else that this process appends or reads.
        """
        if os.getpid() != self._pid:
            self._start()
        if self._failure is not None:
            raise self._failure
        self.intents.post(json.dumps({name: getattr(entry, name) for name in _ENTRY}, default=plain).encode(), entry.id)
        with self._queue_lock:
            self._posted.append(entry)
        self._flush_soon()

    def settle(self) -> None:
        """Write what was posted."""
        if self._posted and os.getpid() == self._pid:
            self.append_all([], wait=False)

    def _append(self, entries: Sequence[AuditEntry], *, wait: bool) -> list[AuditRecord]:
        if not entries:
            return []
        word = threading.Event()
        wanted = [_Wanted(entry, *form.pack(entry.details), wait, word) for entry in entries]
        with self._queue_lock:
            self._queue += wanted
        while not all(one.settled for one in wanted):
            self._write_or_wait(word)
        for one in wanted:
            if one.error is not None:
                raise one.error
        if not wait:
            self._flush_soon()
        return [one.record for one in wanted if one.record is not None]

    def _write_or_wait(self, word: threading.Event) -> None:
        """Whoever comes first writes for all who came meanwhile; then the first who came since has its turn."""
        if not self._writing.acquire(blocking=False):
            word.wait()
            word.clear()
            return
        try:
            self._write()
        finally:
            self._writing.release()
            with self._queue_lock:
                heir = self._queue[0] if self._queue else None
            if heir is not None:
                heir.word.set()

    def _write(self) -> None:
        with self._queue_lock:
            queue, self._queue = self._queue, []
        try:
            self.database.do(lambda connection: self._insert(connection, queue))
            self._written += 1
            if any(one.wait for one in queue):
                self._flush()
        except BaseException as error:  # noqa: BLE001 -- raised by each of those whose record it kept out
            self._tail = None
            for one in queue:
                one.record, one.error = None, error
        for one in queue:
            one.word.set()

    def _insert(self, connection: sqlite3.Connection, queue: list[_Wanted]) -> None:
        with transaction(connection):
            tail = self._current(connection)
            connection.executemany(_INSERT, [_place(one, tail) for one in queue])
        self._tail = tail

    def _current(self, connection: sqlite3.Connection) -> _Tail:
        """The end of the log as it is now; what this process knew of it, unless another wrote since."""
        found = connection.execute(_LAST).fetchone()
        if found is None:
            return _Tail(0, form.FIRST, "", ())
        seq, leaf, time = found
        if self._tail is not None and (self._tail.size, self._tail.leaf) == (seq + 1, leaf.hex()):
            return self._tail
        node = node_of(connection)
        return _Tail(seq + 1, leaf.hex(), time, tuple((level, node(level, at)) for level, at in merkle.peaks(seq + 1)))

    # --- durability ---

    def _flush(self) -> None:
        """Wait for the disk."""
        with self._flushing:
            upto = self._written
            with contextlib.suppress(FileNotFoundError):  # all of it was moved into the file itself, and waited for
                descriptor = os.open(f"{self.database.path}-wal", os.O_RDONLY | os.O_CLOEXEC)
                try:
                    os.fdatasync(descriptor)
                except OSError as error:
                    raise SandboxFailure(f"{self.database.path}: the disk failed: {error.strerror}") from error
                finally:
                    os.close(descriptor)
            self._flushed = upto

    def _flush_soon(self) -> None:
        if self._flusher is None or not self._flusher.is_alive():
            self._flusher = threading.Thread(target=self._flush_later, name="windtunnel-audit", daemon=True)
            self._flusher.start()

    def _flush_later(self) -> None:
        while self._posted or self._flushed < self._written:
            threading.Event().wait(_FLUSH_SECONDS)
            try:
                self.settle()
                self._flush()
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
            self.database.do(lambda connection: connection.executescript("BEGIN IMMEDIATE; ROLLBACK"))
            self._ready = True
        self.intents.begin(entry, wait=wait)

    def repair(self) -> list[AuditRecord]:
        """End the acts of processes that are gone: each gets a record that says so, and nothing else is changed."""
        made: list[AuditRecord] = []
        for path, begun in self.intents.left():
            missing = [_lost(entry) if entry.outcome == BEGUN else entry for entry in begun if not self._has(entry.id)]
            made += self.append_all(missing) if missing else []
            path.unlink(missing_ok=True)
        return made

    def _has(self, act: str) -> bool:
        return bool(self.database.do(lambda connection: connection.execute(
            "SELECT 1 FROM records WHERE id = ? LIMIT 1", (act,)).fetchone()))

    # --- reading ---

    @property
    def size(self) -> int:
        """How many records there are."""
        self.settle()
        return int(self.database.do(lambda connection: connection.execute(
            "SELECT coalesce(max(seq) + 1, 0) FROM records").fetchone()[0]))

    def head(self, size: int | None = None) -> tuple[int, bytes]:
        """The size and the hash of the whole tree; of an older one, if that is asked for."""
        def read(connection: sqlite3.Connection) -> tuple[int, bytes]:
            with _reading(connection):
                last = connection.execute(_LAST).fetchone()
                wanted = (last[0] + 1 if last else 0) if size is None else size
                return wanted, merkle.head(wanted, node_of(connection))

        self.settle()
        return self.database.do(read)

    def get(self, seq: int) -> AuditRecord | None:
        """One record by its place."""
        found = self.raw(seq)
        return None if found is None else form.record_of(*found)

    def raw(self, seq: int) -> tuple[bytes, bytes] | None:
        """Its header and its details as they lie there."""
        self.settle()
        row = self.database.do(lambda connection: connection.execute(
            "SELECT header, details FROM records WHERE seq = ?", (seq,)).fetchone())
        return None if row is None else (row[0].encode(), row[1])

    def rows(self, start: int = 0) -> Iterator[tuple[int, str, bytes, bytes, bytes]]:
        """Everything as it lies there, in batches, so that memory does not grow with the log."""
        self.settle()
        while batch := self.database.do(lambda connection, start=start: connection.execute(  # type: ignore[misc]  # bound now
                f"SELECT seq, header, details, leaf, nodes FROM records WHERE seq >= ? ORDER BY seq LIMIT {_BATCH}",  # noqa: S608
                (start,)).fetchall()):
            yield from batch
            start = batch[-1][0] + 1

    def keep_checkpoint(self, size: int, note: str) -> None:
        """Keep a signed note about the log of that size; one that is there stays."""
        self.database.do(lambda connection: connection.execute(
            "INSERT OR IGNORE INTO checkpoints (size, note) VALUES (?, ?)", (size, note)))

    def checkpoints(self) -> list[str]:
        """The signed notes that were kept here, oldest first."""
        return [str(note) for (note,) in self.database.do(lambda connection: connection.execute(
            "SELECT note FROM checkpoints ORDER BY size").fetchall())]

    def inclusion(self, seq: int, size: int) -> list[bytes]:
        """The proof that a record stands in the log of that size."""
        return self.database.do(lambda connection: merkle.inclusion(seq, size, node_of(connection)))

    def consistency(self, first: int, second: int) -> list[bytes]:
        """The proof that the log of the second size begins with that of the first."""
        return self.database.do(lambda connection: merkle.consistency(first, second, node_of(connection)))

    def close(self) -> None:
        """Wait for the disk, and let go of the file."""
        if self._pid == os.getpid():
            self.settle()
            if self._flushed < self._written:
                self._flush()
        self.intents.close()
        self.database.close()


def _place(one: _Wanted, tail: _Tail) -> tuple[object, ...]:
    """The row of a record at the end of the log, which then ends with it."""
    now = datetime.now(UTC)
    time = now.isoformat(timespec="microseconds")
    back = (datetime.fromisoformat(tail.time) - now).total_seconds() if time < tail.time else 0.0
    seq, previous = tail.size, tail.leaf
    header = form.header_of(one.entry, seq=seq, time=time, previous=previous, details_hash=one.details_hash,
                            clock_back=back)
    leaf = merkle.leaf_hash(header)
    tail.peaks, made = merkle.grown(tail.peaks, leaf)
    tail.size, tail.leaf, tail.time = seq + 1, leaf.hex(), time
    one.record = AuditRecord(seq=seq, time=time, entry=one.entry, previous=previous, hash=leaf.hex(),
                             details_hash=one.details_hash, clock_back=back)
    return seq, header.decode(), one.packed, leaf, b"".join(made)


def _lost(entry: AuditEntry) -> AuditEntry:
    return replace(entry, outcome=LOST, details={"why": "its process ended before it was over"})


def node_of(connection: sqlite3.Connection) -> merkle.Node:
    """Whole subtrees, each kept with the record that completes it."""
    def node(level: int, index: int) -> bytes:
        last = ((index + 1) << level) - 1
        row = connection.execute("SELECT leaf, nodes FROM records WHERE seq = ?", (last,)).fetchone()
        found = b"" if row is None else row[0] if level == 0 else row[1][(level - 1) * 32:level * 32]
        if len(found) != merkle.HASH_BYTES:
            raise SandboxFailure(f"the audit log has no subtree {level}/{index}: record {last} is missing or damaged "
                                 "(windtunnel audit verify names the first bad record)")
        return bytes(found)

    return node


@contextlib.contextmanager
def _reading(connection: sqlite3.Connection) -> Iterator[None]:
    """One view of the log, whatever others write meanwhile."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
