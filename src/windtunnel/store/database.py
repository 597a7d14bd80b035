"""One SQLite file of ours: private, of a known shape, safe across processes and forks.

What holds: the file is readable by its owner alone; a foreign, newer or damaged file is refused and stays as it is, and
so is one with a trigger, a view, a table or an index in it that is not ours: any of them could keep rows out unseen.
Many threads and processes may share it. One that cannot be written is read all the same where ``reading`` says so. What
does not hold: it must not be on a network file system, where the write-ahead log does not work.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import functools
import itertools
import os
import sqlite3
import stat
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from windtunnel.core.errors import SandboxFailure

BUSY_SECONDS = 10.0
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_UNWRITABLE = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM}

_Answer = TypeVar("_Answer")
_lock = threading.RLock()
_databases: weakref.WeakSet[Database] = weakref.WeakSet()


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What a file holds, and how it is kept."""

    what: str
    """What it is to a person: ``history``, ``audit log``."""
    application: int
    """SQLite's own mark of whose file it is."""
    migrations: tuple[tuple[str, ...], ...]
    """One group of statements for each version of the schema; groups are added, never changed."""
    elsewhere: str
    """What a person can do instead of mending it."""
    synchronous: str = "NORMAL"
    before: tuple[str, ...] = ()
    """Statements for a file that is still empty."""
    text: Callable[[bytes], object] = str
    """What is made of the bytes of a text; by default an error where they are none."""


class Database:
    """Opened when first needed, closed before a fork."""

    def __init__(
        self, path: str | os.PathLike[str], shape: Shape, *, making: Callable[[], object] | None = None,
        reading: Callable[[str], object] | None = None,
    ) -> None:
        """Remember where; nothing is opened or made yet.

        ``making`` is called before a file is begun, and may raise. With ``reading``, a file that cannot be written is
        opened for reading alone, which is told.
        """
        self._connection: sqlite3.Connection | None = None
        self.path, self.shape = Path(path).absolute(), shape
        self._making, self._reading = making, reading
        self._identity: tuple[int, int] | None = None
        _databases.add(self)

    @property
    def is_open(self) -> bool:
        """Whether it was opened and not closed since."""
        return self._connection is not None

    def do(
        self, act: Callable[[sqlite3.Connection], _Answer], *, aside: Callable[[str], None] | None = None,
    ) -> _Answer:
        """Use the file; what goes wrong with it is explained.

        With ``aside`` a damaged file is moved away, which is told, and a new one is begun; without, it is refused.
        """
        with _lock, self._explained():
            try:
                return act(self._open())
            except sqlite3.DatabaseError as error:
                if aside is None or code_of(error) not in _DAMAGED:
                    raise
                self._move_aside(error, aside)
            return act(self._open())

    def alone(self, act: Callable[[sqlite3.Connection], _Answer]) -> _Answer:
        """Use the file in one transaction, with nobody else writing meanwhile."""
        def whole(connection: sqlite3.Connection) -> _Answer:
            with transaction(connection):
                return act(connection)

        return self.do(whole)

    def _move_aside(self, error: sqlite3.Error, told: Callable[[str], None]) -> None:
        self.close()
        with alone(self.path.parent):
            if identity(self.path) != self._identity:
                return
            free = (Path(f"{self.path}.corrupt-{number}") for number in itertools.count(1))
            away = next(path for path in free if not os.path.lexists(path))
            # The log goes first: beside a new, empty file it must never be found.
            for ending in ("-wal", "-shm", ""):
                with contextlib.suppress(FileNotFoundError):
                    Path(f"{self.path}{ending}").rename(f"{away}{ending}")
        told(f"{self.path}: damaged ({error}); moved to {away.name}, and a new {self.shape.what} was begun")

    def close(self) -> None:
        """Let go of the file; the next use opens it again."""
        with _lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                # A damaged or moved file cannot be tidied on closing; the descriptor is released all the same.
                with contextlib.suppress(sqlite3.Error):
                    connection.close()

    def __del__(self) -> None:
        """Let go of the file with the last reference.

        When the interpreter ends, a thread that was stopped for good may hold the lock: it is not waited for.
        """
        if _lock.acquire(blocking=not sys.is_finalizing()):
            try:
                self.close()
            finally:
                _lock.release()

    def _open(self) -> sqlite3.Connection:
        # The file may have been moved aside or removed by another process; rows written to it would be lost.
        if self._connection is not None and identity(self.path) == self._identity:
            return self._connection
        self.close()
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with alone(self.path.parent):
                self._prepare()
                self._identity = identity(self.path)
                self._connection = self._connect()
        except (OSError, sqlite3.OperationalError) as error:
            if self._reading is None or not _is_unwritable(error) or identity(self.path) is None:
                raise
            self._identity = identity(self.path)
            self._connection = self._connect_reading()
            self._reading(f"{self.path}: cannot be written here, and is only read")
        return self._connection

    def _connect_reading(self) -> sqlite3.Connection:
        """A connection that never writes; also where SQLite cannot have its shared memory beside the file."""
        plain = f"file:{quote(str(self.path))}?mode=ro"
        try:
            return self._checked(plain)
        except sqlite3.OperationalError as error:
            if not _is_unwritable(error):
                raise
        pending = Path(f"{self.path}-wal")
        if pending.exists() and pending.stat().st_size:
            raise SandboxFailure(f"{self.path}: rows that are still in {pending.name} cannot be read in a folder that "
                                 "cannot be written: copy both files into one that can")
        return self._checked(f"{plain}&immutable=1")

    def _checked(self, address: str) -> sqlite3.Connection:
        connection = sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS, isolation_level=None,
                                     check_same_thread=False)
        try:
            version = self._version(connection)
        except BaseException:
            connection.close()
            raise
        if version < len(self.shape.migrations):
            connection.close()
            raise SandboxFailure(f"{self.path}: of an older Windtunnel (schema {version}), and it cannot be written to "
                                 "bring it up to date: copy it to where it can")
        connection.text_factory = self.shape.text
        return connection

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            version = self._version(connection)
            for statement in self.shape.before if version == 0 else ():
                connection.execute(statement)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"PRAGMA synchronous = {self.shape.synchronous}")
            connection.execute("PRAGMA secure_delete = ON")
            if version < len(self.shape.migrations):
                self._migrate(connection, version)
            connection.text_factory = self.shape.text
        except BaseException:
            connection.close()
            raise
        return connection

    def _version(self, connection: sqlite3.Connection) -> int:
        """The file's version of the schema; asked before anything is written, so that a foreign file stays as it is."""
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        shape = self.shape
        tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
        if application != shape.application and tables:
            raise SandboxFailure(f"{self.path}: a database of another program; move it away, {shape.elsewhere}")
        if version > len(shape.migrations):
            raise SandboxFailure(
                f"{self.path}: of a newer Windtunnel (schema {version}); upgrade this one, {shape.elsewhere}")
        self._check_schema(connection, version)
        return version

    def _check_schema(self, connection: sqlite3.Connection, version: int) -> None:
        """Refuse what nobody of ours has put into the file, and a file in which something of ours is missing."""
        found, ours = _schema_of(connection), _schema(self.shape.migrations[:version])
        other = sorted(f"{kind} {name}" for kind, name, _ in found ^ ours)
        if other:
            raise SandboxFailure(
                f"{self.path}: its tables are not as Windtunnel makes them ({', '.join(other)[:300]}): somebody "
                f"changed what this {self.shape.what} does with its rows; keep the file for whoever looks into it, put "
                f"an untouched copy in its place, {self.shape.elsewhere}")

    def _migrate(self, connection: sqlite3.Connection, version: int) -> None:
        """Bring the file from that version to this one's schema, all or nothing."""
        connection.execute("BEGIN IMMEDIATE")
        for statement in itertools.chain.from_iterable(self.shape.migrations[version:]):
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {self.shape.application}")
        connection.execute(f"PRAGMA user_version = {len(self.shape.migrations)}")
        connection.execute("COMMIT")

    def _prepare(self) -> None:
        """Make the file private before SQLite sees it.

        An existing file is never opened here: closing it would drop the locks of this process's other connections.
        """
        if self._making is not None and identity(self.path) is None:
            self._making()
        with contextlib.suppress(FileExistsError):
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600))
        mode = self.path.lstat().st_mode
        if not stat.S_ISREG(mode):
            raise SandboxFailure(f"{self.path}: not a plain file; move it away, {self.shape.elsewhere}")
        if stat.S_IMODE(mode) & 0o077:
            self.path.chmod(0o600)
        # SQLite gives these the mode of the file, and one left from a time when it was read-only would lock us out.
        for beside in (Path(f"{self.path}-wal"), Path(f"{self.path}-shm")):
            if mode & stat.S_IWUSR and beside.is_file() and not beside.stat().st_mode & stat.S_IWUSR:
                beside.chmod(0o600)

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        unusable = f"{self.path}: the {self.shape.what} cannot be used:"
        try:
            yield
        except sqlite3.IntegrityError:
            raise
        except sqlite3.Error as error:
            raise SandboxFailure(f"{unusable} {error}; {self._advice(error)}") from error
        except OSError as error:
            raise SandboxFailure(
                f"{unusable} {error.strerror}; make the folder writable, {self.shape.elsewhere}") from error

    def _advice(self, error: sqlite3.Error) -> str:
        code, elsewhere = code_of(error), self.shape.elsewhere
        if code == sqlite3.SQLITE_FULL:
            return f"free some room on the disk, {elsewhere}"
        if code in _UNWRITABLE:
            return f"make the file and its folder writable for this user, {elsewhere}"
        if code == sqlite3.SQLITE_BUSY:
            return f"another process held it for {BUSY_SECONDS:g} seconds: end that one, {elsewhere}"
        return f"look at the disk, {elsewhere}"


Schema = frozenset[tuple[str, str, str]]
"""Kind, name and definition of all that stands in a file, without what SQLite counts for its own plans."""


def _schema_of(connection: sqlite3.Connection) -> Schema:
    rows = connection.execute("SELECT type, name, CAST(sql AS BLOB) FROM sqlite_schema").fetchall()
    return frozenset((str(kind), str(name), b" ".join((sql or b"").split()).decode("utf-8", "replace"))
                     for kind, name, sql in rows if not (kind == "table" and str(name).startswith("sqlite_stat")))


@functools.lru_cache(maxsize=32)
def _schema(migrations: tuple[tuple[str, ...], ...]) -> Schema:
    """What these make of an empty file."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        for statement in itertools.chain.from_iterable(migrations):
            connection.execute(statement)
        return _schema_of(connection)


def _is_unwritable(error: OSError | sqlite3.Error) -> bool:
    if isinstance(error, OSError):
        return error.errno in (errno.EROFS, errno.EACCES, errno.EPERM)
    return code_of(error) in _UNWRITABLE


@contextlib.contextmanager
def unless_busy() -> Iterator[bool]:
    """Whether no other thread uses any file; within, none does."""
    free = _lock.acquire(blocking=False)
    try:
        yield free
    finally:
        if free:
            _lock.release()


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing, with nobody else writing meanwhile."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # a full disk has ended it already
            connection.execute("ROLLBACK")
        raise


def code_of(error: sqlite3.Error) -> int:
    """SQLite's own number for what went wrong."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def identity(path: Path) -> tuple[int, int] | None:
    """By what one file is told from another of the same name."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold the folder while a file is begun or moved; the kernel lets go when this process dies."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _before_fork() -> None:
    """Close every file first: SQLite's locks do not pass to a child, which would then write without any."""
    _lock.acquire()
    for database in tuple(_databases):
        database.close()


os.register_at_fork(before=_before_fork, after_in_parent=_lock.release, after_in_child=_lock.release)
