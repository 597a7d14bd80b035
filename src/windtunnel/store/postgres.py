"""One connection to a PostgreSQL server of the operator's: opened when needed, found again after a restart.

What holds: nothing that is said of it holds a password. A newer schema of ours and a foreign one are refused and stay
as they are. A server that was restarted is found again; one that gives up durability (``fsync`` off) is refused. A
forked child begins a connection of its own and leaves the parent's alone. What does not hold: the server and its
administrators are trusted as far as a file's owner is; only checkpoints kept elsewhere show what they changed.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from windtunnel.core.address import DatabaseAddress
from windtunnel.core.errors import SandboxFailure, UsageError

if TYPE_CHECKING:
    import psycopg

    Connection: TypeAlias = psycopg.Connection[tuple[Any, ...]]

BUSY_SECONDS = 10
"""For how long another writer is waited for, and a server that was there and is not any more."""
_STATEMENT_SECONDS = 60
_RETRY_SECONDS = 0.05
_MOST_WORDS = 500
_SCHEMA = "windtunnel"
_STARTING, _ENDED, _FULL, _LOCKED, _SLOW = "57P03", "57P0", "53", "55P03", "57014"
"""The codes by which the server says why."""
_FOUND = f"""SELECT to_regclass('{_SCHEMA}.{{}}'), (SELECT count(*) FROM pg_class JOIN pg_namespace
    ON relnamespace = pg_namespace.oid WHERE nspname = '{_SCHEMA}' AND relkind IN ('r', 'v'))"""  # noqa: S608 -- ours
_OURS = f"SELECT oid FROM pg_class WHERE relnamespace = '{_SCHEMA}'::regnamespace AND relkind = 'r'"  # noqa: S608 -- ours
_FOREIGN = f"""SELECT 'trigger ' || tgname FROM pg_trigger WHERE NOT tgisinternal AND tgrelid IN ({_OURS})
    UNION ALL SELECT 'rule ' || rulename FROM pg_rewrite WHERE ev_class IN ({_OURS})
    UNION ALL SELECT 'policy ' || polname FROM pg_policy WHERE polrelid IN ({_OURS})
    UNION ALL SELECT 'row security of ' || relname FROM pg_class WHERE relrowsecurity AND oid IN ({_OURS})
    ORDER BY 1 LIMIT 10"""  # noqa: S608 -- ours
"""What can keep rows out, or out of sight, without a word; none of it is ours."""
_SYNC = ("on", "off", "local", "remote_write", "remote_apply")
_SETTINGS = (
    "SET client_encoding = 'UTF8'", "SET search_path = pg_catalog", f"SET lock_timeout = '{BUSY_SECONDS}s'",
    f"SET statement_timeout = '{_STATEMENT_SECONDS}s'", "SET idle_in_transaction_session_timeout = '60s'",
    "SET standard_conforming_strings = on")
_Answer = TypeVar("_Answer")
_servers: weakref.WeakSet[Server] = weakref.WeakSet()
_inherited: list[object] = []
"""Connections of the process that this one was forked from: never used, never closed, never let go of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """What a database holds of ours, in the schema ``windtunnel``."""

    what: str
    """What it is to a person: ``audit log``."""
    shape: str
    """The table that says which version it is."""
    lock: int
    """By which all who change it wait for each other."""
    migrations: tuple[tuple[str, ...], ...]
    """One group of statements for each version; groups are added, never changed."""


class Lost(Exception):
    """The connection is gone; whether what was asked last was done is not known."""


class Server:
    """One database by its address."""

    def __init__(self, address: DatabaseAddress, tables: Tables) -> None:
        """Remember where; nothing is opened yet."""
        self._connection: Connection | None = None
        self._address, self.tables = address, tables
        self.where = str(address)
        self._lock = threading.RLock()
        self._was_there = False
        self.sync = "on"
        """How a commit waits for the disk here: as the server's own settings say, unless they say not at all."""
        _servers.add(self)

    def do(self, act: Callable[[Connection], _Answer]) -> _Answer:
        """Use it; after a lost connection once more, so the act must bear being done again."""
        with self._explained(), self._lock:
            try:
                return self._attempt(act)
            except Lost:
                return self._attempt(act)

    def _attempt(self, act: Callable[[Connection], _Answer]) -> _Answer:
        import psycopg  # noqa: PLC0415 -- an extra

        connection = self._open()
        try:
            return act(connection)
        except psycopg.Error as error:
            if not connection.closed and not (error.sqlstate or "").startswith(_ENDED):
                raise
            self.close()
            raise Lost(self._safe(error)) from None

    def close(self) -> None:
        """Let go of it; the next use opens it again."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    def __del__(self) -> None:
        """Let go of it with the last reference."""
        if self._connection is not None:
            self._connection.close()

    def leave_to_parent(self) -> None:
        """In a forked child: forget the connection without a word to the server, which would end the parent's."""
        self._lock = threading.RLock()
        connection, self._connection = self._connection, None
        if connection is not None:
            _inherited.append(connection)
            with contextlib.suppress(Exception):
                os.close(connection.fileno())

    # --- opening ---

    def _open(self) -> Connection:
        if self._connection is None or self._connection.closed:
            made = self._connect()
            try:
                self._prepare(made)
            except BaseException:
                made.close()
                raise
            self._connection, self._was_there = made, True
        return self._connection

    def _connect(self) -> Connection:
        """A server that is starting is waited for, and one that was there before; another is refused at once."""
        import psycopg  # noqa: PLC0415 -- an extra

        until = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                return psycopg.connect(
                    self._address.secret, autocommit=True, connect_timeout=BUSY_SECONDS, application_name="windtunnel",
                    keepalives_idle=BUSY_SECONDS, tcp_user_timeout=_STATEMENT_SECONDS * 1000)
            except psycopg.ProgrammingError:
                raise UsageError("audit_store: not an address of PostgreSQL (try postgresql://user@host/database)",
                                 field="audit_store") from None
            except psycopg.OperationalError as error:
                may_come = self._was_there or error.sqlstate == _STARTING or "starting up" in str(error)
                if not may_come or time.monotonic() > until:
                    raise SandboxFailure(
                        f"{self.where}: the {self.tables.what} cannot be reached: {self._safe(error)}; start the "
                        "server, or mend audit_store") from None
            threading.Event().wait(_RETRY_SECONDS)

    def _prepare(self, connection: Connection) -> None:
        sync, fsync = _row(connection, "SELECT current_setting('synchronous_commit'), current_setting('fsync')")
        if fsync != "on":
            raise SandboxFailure(f"{self.where}: this server has fsync switched off, so that a power cut loses what it "
                                 "told of: set fsync = on in its postgresql.conf")
        self.sync = "on" if sync == "off" else str(sync)
        for setting in _SETTINGS:
            connection.execute(setting)
        if self._version(connection) < len(self.tables.migrations):
            with transaction(connection, lock=self.tables.lock):
                self._migrate(connection, self._version(connection))
        self._check_rows_stay(connection)

    def _version(self, connection: Connection) -> int:
        tables = self.tables
        # In one statement: another process may be making them right now.
        shape, others = _row(connection, _FOUND.format(tables.shape))
        if shape is None:
            if others:
                raise SandboxFailure(f"{self.where}: its schema {_SCHEMA} is of another program; name another database "
                                     "in audit_store")
            return 0
        found = connection.execute(f"SELECT version FROM {_SCHEMA}.{tables.shape}").fetchall()  # noqa: S608 -- ours
        if len(found) != 1:
            raise SandboxFailure(f"{self.where}: its schema {_SCHEMA} is damaged; name another database in audit_store")
        version = int(found[0][0])
        if version > len(tables.migrations):
            raise SandboxFailure(f"{self.where}: of a newer Windtunnel (schema {version}); upgrade this one, or name "
                                 "another database in audit_store")
        return version

    def _check_rows_stay(self, connection: Connection) -> None:
        found = ", ".join(str(name) for (name,) in connection.execute(_FOREIGN.encode()).fetchall())
        if found:
            raise SandboxFailure(f"{self.where}: its schema {_SCHEMA} has what is not ours ({found[:300]}), which may "
                                 f"keep rows of the {self.tables.what} out unseen: drop it, or name another database "
                                 "in audit_store")

    def _migrate(self, connection: Connection, version: int) -> None:
        """Bring it from that version to this one's, all or nothing."""
        connection.execute("SET LOCAL statement_timeout = 0")
        if version == 0:
            if _row(connection, f"SELECT to_regnamespace('{_SCHEMA}')") == (None,):
                connection.execute(f"CREATE SCHEMA {_SCHEMA}")
            connection.execute(f"CREATE TABLE {_SCHEMA}.{self.tables.shape} (version integer NOT NULL)")
            connection.execute(f"INSERT INTO {_SCHEMA}.{self.tables.shape} VALUES (0)")  # noqa: S608 -- ours
        for group in self.tables.migrations[version:]:
            for statement in group:
                connection.execute(statement.encode())
        connection.execute(f"UPDATE {_SCHEMA}.{self.tables.shape} SET version = {len(self.tables.migrations)}")  # noqa: S608

    # --- what goes wrong ---

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            import psycopg  # noqa: PLC0415 -- an extra
        except ImportError as error:
            raise UsageError("audit_store: a PostgreSQL server needs one more package: pip install "
                             "'windtunnel[postgresql]'", field="audit_store") from error
        try:
            yield
        except Lost as error:
            raise SandboxFailure(f"{self.where}: the connection was lost: {error}; look at the server") from None
        except (psycopg.Error, UnicodeDecodeError) as error:
            raise SandboxFailure(f"{self.where}: the {self.tables.what} cannot be used: {self._safe(error)}; "
                                 f"{_advice(getattr(error, 'sqlstate', None) or '')}") from None

    def _safe(self, error: Exception) -> str:
        """What it says, in one line and without a password."""
        return self._address.masked(" ".join(str(error).split()))[:_MOST_WORDS]


@contextlib.contextmanager
def transaction(connection: Connection, *, lock: int | None = None, sync: str = "") -> Iterator[None]:
    """All or nothing; with a ``lock``, nobody else who takes it writes meanwhile; ``sync`` is how its commit waits."""
    begin = ["BEGIN", *([f"SET LOCAL synchronous_commit = '{sync}'"] if sync in _SYNC else []),
             *([f"SELECT pg_advisory_xact_lock({lock:d}, 0)"] if lock is not None else [])]
    try:
        connection.execute("; ".join(begin).encode())  # at once: each answer waited for costs all other threads a turn
        yield
        connection.execute("COMMIT")
    except BaseException:
        if not connection.closed:
            with contextlib.suppress(Exception):
                connection.execute("ROLLBACK")
        raise


def _row(connection: Connection, statement: str) -> tuple[Any, ...]:
    found = connection.execute(statement.encode()).fetchone()
    assert found is not None
    return found


def _advice(code: str) -> str:
    if code.startswith(_FULL):
        return "free some room on the server, or raise its limits"
    if code == _LOCKED:
        return f"another process held it for {BUSY_SECONDS} seconds: end that one"
    if code.startswith("42501"):
        return "give its user the right to use the schema windtunnel, or to create it"
    if code == _SLOW:
        return f"the server took more than {_STATEMENT_SECONDS} seconds: look at its load"
    return "look at the server and its log"


def _in_child() -> None:
    for server in tuple(_servers):
        server.leave_to_parent()


os.register_at_fork(after_in_child=_in_child)
