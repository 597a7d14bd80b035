"""The history of runs and trials in one SQLite file.

What holds: when ``add`` or ``remember`` has returned, the row survives ``kill -9`` of this process, because it
has been handed to the kernel. Many threads and processes may share the file, also across ``fork``.
The file is readable by its owner alone and holds at most ``MOST_RUNS`` runs and as many trials.

What does not hold: a power cut or a kernel crash may lose the runs of the last moments, since
``synchronous=NORMAL`` waits for the disk only at a checkpoint; the file itself stays whole. The file
must not be on a network file system, where the write-ahead log does not work.
"""

from __future__ import annotations

import codecs
import contextlib
import fcntl
import itertools
import json
import math
import os
import sqlite3
import stat
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, TypeVar

from windtunnel.core.deed import Deed
from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.core.limits import Limits
from windtunnel.core.plain import plain
from windtunnel.core.result import ExecutionResult
from windtunnel.store import deeds

HEAD_BYTES = 4096
"""Kept of each output stream."""
MOST_RUNS = 50_000
"""The oldest run beyond these is forgotten with each new one, so that the file cannot grow for ever."""

_BUSY_SECONDS = 10.0
_BATCH = 500
_APPLICATION = 0x57544831
_MOST_INTEGER = 2**63 - 1
_MOST_DAYS = 365_000
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_UNWRITABLE = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM}
_ELSEWHERE = "or set WINDTUNNEL_STATE_DIR to another folder, or WINDTUNNEL_HISTORY=off"

_MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE runs (
            seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, timestamp TEXT NOT NULL,
            language TEXT, level TEXT, reason TEXT NOT NULL, exit_code INTEGER NOT NULL, execution_time REAL,
            warm INTEGER NOT NULL, stdout TEXT NOT NULL, stdout_total INTEGER NOT NULL,
            stderr TEXT NOT NULL, stderr_total INTEGER NOT NULL, limits TEXT NOT NULL, enforced TEXT NOT NULL,
            usage TEXT NOT NULL, effects TEXT NOT NULL, stages TEXT NOT NULL)""",
        "CREATE INDEX runs_by_time ON runs (timestamp)",
        f"""CREATE TRIGGER runs_bounded AFTER INSERT ON runs
            BEGIN DELETE FROM runs WHERE seq <= NEW.seq - {MOST_RUNS}; END""",  # noqa: S608 -- a constant of this file
    ),
    deeds.TABLE,
)
"""One group of statements for each version of the schema; groups are added, never changed."""

_COLUMNS = ("id", "timestamp", "language", "level", "reason", "exit_code", "execution_time", "warm", "stdout",
            "stdout_total", "stderr", "stderr_total", "limits", "enforced", "usage", "effects", "stages")
_JSON_COLUMNS = ("limits", "enforced", "usage", "effects", "stages")
_INSERT = f"INSERT INTO runs ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"  # noqa: S608 -- constants
_SELECT = f"SELECT seq, {', '.join(_COLUMNS)} FROM runs"  # noqa: S608 -- constants of this file

_Answer = TypeVar("_Answer")

_lock = threading.RLock()
_histories: weakref.WeakSet[SqliteHistory] = weakref.WeakSet()


class SqliteHistory:
    """Remembers runs in one file, which is opened when first needed."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Remember where; nothing is opened or made yet."""
        self._connection: sqlite3.Connection | None = None
        self.path = Path(path).absolute()
        self.notices: list[str] = []
        """What a person should know: each damaged file that was moved aside."""
        self._identity: tuple[int, int] | None = None
        _histories.add(self)

    def ready(self) -> None:
        """Raise now what would keep a run from being stored later."""
        if self._connection is None:
            self._do(lambda connection: connection.executescript("BEGIN IMMEDIATE; ROLLBACK"))

    def add(self, result: ExecutionResult, *, limits: Limits) -> None:
        """Store one run; when this returns, the death of this process does not lose it."""
        row = _row(result, limits)
        try:
            self._do(lambda connection: connection.execute(_INSERT, row))
        except sqlite3.IntegrityError as error:
            raise UsageError(f"id: the run {result.id!r} is already in the history", field="id") from error

    def remember(self, deed: Deed) -> None:
        """Store one trial, or what came of it; when this returns, the death of this process does not lose it."""
        try:
            self._do(lambda connection: deeds.put(connection, deed))
        except sqlite3.IntegrityError as error:
            raise UsageError(f"id: {deed.id!r} is already in the history", field="id") from error

    def trials(self, limit: int | None = None) -> list[Mapping[str, object]]:
        """The latest trials and what came of them, newest first; all of them without a limit."""
        most = -1 if limit is None else _whole("limit", limit)
        query = f"{deeds.SELECT} ORDER BY seq DESC LIMIT ?"
        rows = self._do(lambda connection: connection.execute(query, (most,)).fetchall())
        return [deeds.record(row) for row in rows]

    def trial(self, trial_id: str) -> Mapping[str, object] | None:
        """One trial, or what came of one, by its id."""
        query, wanted = f"{deeds.SELECT} WHERE id = ?", (deeds.text(trial_id),)
        row = self._do(lambda connection: connection.execute(query, wanted).fetchone())
        return None if row is None else deeds.record(row)

    def recent(self, limit: int | None = None) -> list[Mapping[str, object]]:
        """The latest runs in the order they were stored, newest first; all of them without a limit."""
        most = -1 if limit is None else _whole("limit", limit)
        query = f"{_SELECT} ORDER BY seq DESC LIMIT ?"
        rows = self._do(lambda connection: connection.execute(query, (most,)).fetchall())
        return [_record(row) for row in rows]

    def get(self, run_id: str) -> Mapping[str, object] | None:
        """One run by its id."""
        wanted = (deeds.text(run_id),)
        row = self._do(lambda connection: connection.execute(f"{_SELECT} WHERE id = ?", wanted).fetchone())
        return None if row is None else _record(row)

    def prune(self, *, keep: int | None = None, days: float | None = None) -> int:
        """Forget all but the newest ``keep`` runs and as many trials, and all older than ``days``; how many in all.

        What is forgotten is overwritten in the file, and the room is given back.
        """
        if keep is None and days is None:
            raise UsageError("prune: nothing said about what to forget (give keep, days or both)", field="keep")
        newest = -1 if keep is None else _whole("keep", keep)
        oldest = "" if days is None else deeds.stamp(datetime.now(UTC) - timedelta(days=_span(days)))
        return self._do(lambda connection: _forget(connection, newest, oldest))

    def export(self, file: IO[str]) -> int:
        """Write every run as one line of ASCII JSON, oldest first, then every trial, which has a ``verb``; how many.

        It reads in batches, so its memory does not grow with the history, and holds no lock while it writes.
        """
        count = 0
        for select, record in ((_SELECT, _record), (deeds.SELECT, deeds.record)):
            last = 0
            while rows := self._batch(select, last):
                for row in rows:
                    file.write(json.dumps(record(row)) + "\n")
                count, last = count + len(rows), rows[-1][0]
        return count

    def close(self) -> None:
        """Let go of the file; the next use opens it again."""
        with _lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                # A damaged or moved file cannot be tidied on closing; the descriptor is released all the same.
                with contextlib.suppress(sqlite3.Error):
                    connection.close()

    def __del__(self) -> None:
        """Let go of the file with the last reference."""
        self.close()

    def _batch(self, select: str, last: int) -> list[tuple[int, ...]]:
        query = f"{select} WHERE seq > ? ORDER BY seq LIMIT {_BATCH}"
        return self._do(lambda connection: connection.execute(query, (last,)).fetchall())

    def _do(self, act: Callable[[sqlite3.Connection], _Answer]) -> _Answer:
        with _lock, self._explained():
            try:
                return act(self._open())
            except sqlite3.DatabaseError as error:
                if _code(error) not in _DAMAGED:
                    raise
                self._move_aside(error)
            return act(self._open())

    def _open(self) -> sqlite3.Connection:
        # The file may have been moved aside or removed by another process; rows written to it would be lost.
        if self._connection is not None and _identity(self.path) == self._identity:
            return self._connection
        self.close()
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _alone(self.path.parent):
            _prepare(self.path)
            self._identity = _identity(self.path)
            self._connection = _connect(self.path)
        return self._connection

    def _move_aside(self, error: sqlite3.Error) -> None:
        self.close()
        with _alone(self.path.parent):
            if _identity(self.path) != self._identity:
                return
            free = (Path(f"{self.path}.corrupt-{number}") for number in itertools.count(1))
            aside = next(path for path in free if not os.path.lexists(path))
            # The log goes first: beside a new, empty file it must never be found.
            for ending in ("-wal", "-shm", ""):
                with contextlib.suppress(FileNotFoundError):
                    Path(f"{self.path}{ending}").rename(f"{aside}{ending}")
        self.notices.append(f"{self.path}: damaged ({error}); moved to {aside.name}, and a new history was begun")

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.IntegrityError:
            raise
        except sqlite3.Error as error:
            raise SandboxFailure(f"{self.path}: the history cannot be used: {error}; {_advice(error)}") from error
        except OSError as error:
            raise SandboxFailure(
                f"{self.path}: the history cannot be used: {error.strerror}; make the folder writable, {_ELSEWHERE}"
            ) from error


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        version = _version(connection, path)
        if version == 0:
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA secure_delete = ON")
        if version < len(_MIGRATIONS):
            _migrate(connection, version)
    except BaseException:
        connection.close()
        raise
    return connection


def _version(connection: sqlite3.Connection, path: Path) -> int:
    """The file's version of the schema; asked before anything is written, so that a foreign file stays as it is."""
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    if application != _APPLICATION and connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
        raise SandboxFailure(f"{path}: a database of another program; move it away, {_ELSEWHERE}")
    if version > len(_MIGRATIONS):
        raise SandboxFailure(f"{path}: of a newer Windtunnel (schema {version}); upgrade this one, {_ELSEWHERE}")
    return version


def _migrate(connection: sqlite3.Connection, version: int) -> None:
    """Bring the file from that version to this one's schema, all or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    for statement in itertools.chain.from_iterable(_MIGRATIONS[version:]):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {len(_MIGRATIONS)}")
    connection.execute("COMMIT")


def _prepare(path: Path) -> None:
    """Make the file private before SQLite sees it.

    An existing file is never opened here: closing it would drop the locks of this process's other connections.
    """
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
    mode = path.lstat().st_mode
    if not stat.S_ISREG(mode):
        raise SandboxFailure(f"{path}: not a plain file; move it away, {_ELSEWHERE}")
    if stat.S_IMODE(mode) & 0o077:
        path.chmod(0o600)
    # SQLite gives these the mode of the file, and one left from a time when it was read-only would lock us out.
    for beside in (Path(f"{path}-wal"), Path(f"{path}-shm")):
        if mode & stat.S_IWUSR and beside.is_file() and not beside.stat().st_mode & stat.S_IWUSR:
            beside.chmod(0o600)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the folder while a file is begun or moved; the kernel lets go when this process dies."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _advice(error: sqlite3.Error) -> str:
    code = _code(error)
    if code == sqlite3.SQLITE_FULL:
        return f"free some room on the disk, {_ELSEWHERE}"
    if code in _UNWRITABLE:
        return f"make the file and its folder writable for this user, {_ELSEWHERE}"
    if code == sqlite3.SQLITE_BUSY:
        return f"another process held it for {_BUSY_SECONDS:g} seconds: end that one, {_ELSEWHERE}"
    return f"look at the disk, {_ELSEWHERE}"


def _forget(connection: sqlite3.Connection, newest: int, oldest: str) -> int:
    count = 0
    for table in ("runs", "deeds"):
        query = (f"DELETE FROM {table} WHERE timestamp < ?2 OR (?1 >= 0 AND seq NOT IN "  # noqa: S608 -- constants
                 f"(SELECT seq FROM {table} ORDER BY seq DESC LIMIT ?1))")
        count += connection.execute(query, (newest, oldest)).rowcount
    # A script is run to its end; execute() would stop after the first page that is given back.
    connection.executescript("PRAGMA incremental_vacuum")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return count


def _row(result: ExecutionResult, limits: Limits) -> tuple[object, ...]:
    return (
        deeds.text(result.id), deeds.stamp(result.timestamp),
        None if result.language is None else deeds.text(result.language),
        None if result.level is None else str(result.level),
        str(result.reason), result.exit_code, result.execution_time, int(result.warm),
        _head(result.stdout_bytes), len(result.stdout_bytes) + result.stdout_dropped,
        _head(result.stderr_bytes), len(result.stderr_bytes) + result.stderr_dropped,
        *(json.dumps(part, default=plain) for part in
          (limits, result.enforced, result.usage, result.effects, result.stages)),
    )


def _record(row: tuple[object, ...]) -> Mapping[str, object]:
    record = dict(zip(_COLUMNS, row[1:], strict=True))
    record["warm"] = bool(record["warm"])
    for name in _JSON_COLUMNS:
        record[name] = json.loads(str(record[name]))
    return record


def _head(output: bytes) -> str:
    r"""The first bytes as text: a byte that is not UTF-8 becomes ``\xNN``; a character cut in two is left out."""
    decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")
    return decoder.decode(output[:HEAD_BYTES], final=len(output) <= HEAD_BYTES)


def _whole(name: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST_INTEGER:
        raise UsageError(f"{name}: not a number of runs (try 100)", field=name)
    return value


def _span(days: float) -> float:
    if isinstance(days, bool) or not isinstance(days, int | float) or not 0 <= days <= _MOST_DAYS or math.isnan(days):
        raise UsageError(f"days: not a number of days up to {_MOST_DAYS} (try 30)", field="days")
    return days


def _before_fork() -> None:
    """Close every file first: SQLite's locks do not pass to a child, which would then write without any."""
    _lock.acquire()
    for history in tuple(_histories):
        history.close()


os.register_at_fork(before=_before_fork, after_in_parent=_lock.release, after_in_child=_lock.release)
