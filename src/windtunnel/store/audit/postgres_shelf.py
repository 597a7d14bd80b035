"""The rows of an audit log in a PostgreSQL database, which many machines may share.

What holds: one writer at a time, by a lock that the server drops with the transaction; what was waited for survives a
power cut of the server, what was posted after half a second at most. An append whose connection was lost is looked for
under that lock before it is done again, so that it is never there twice. What does not hold: until the server has
vacuumed its tables and recycled its write-ahead log, what was redacted or cleared may still be in its files, and in
backups for as long as these are kept.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from windtunnel.core.address import DatabaseAddress
from windtunnel.core.audit import AuditQuery
from windtunnel.core.errors import SandboxFailure
from windtunnel.store.audit import filters
from windtunnel.store.audit.shelf import End, Last, Place, Row, Tree, check_clear, check_written
from windtunnel.store.postgres import Server, Tables, transaction

if TYPE_CHECKING:
    from windtunnel.store.postgres import Connection

_RECORDS = "windtunnel.audit_records"
_KEPT = "seq, header, details, leaf, nodes"
_LOCK = 0x57544C31


def _column(name: str) -> str:
    """A field cut out of the header, with its escapes; never an error, whatever the header is."""
    before, behind = filters.fences(name)
    return f"""(split_part(split_part(header, '{before}', 2), '{behind}', 1) COLLATE "C")"""


def _begins(name: str, text: str) -> tuple[str, list[object]]:
    wanted = filters.escaped(text)
    return f"({_column(name)} >= %s AND {_column(name)} < %s)", [wanted, wanted[:-1] + chr(ord(wanted[-1]) + 1)]


DIALECT = filters.Dialect(mark="%s", instr="strpos", in_details="position(%s::bytea IN details) > 0", column=_column,
                          begins=_begins)
TABLES = Tables(
    what="audit log", shape="audit_shape", lock=_LOCK,
    migrations=((
        f"""CREATE TABLE {_RECORDS} (seq bigint PRIMARY KEY, header text, details bytea, leaf bytea NOT NULL,
            nodes bytea NOT NULL)""",
        *(f"CREATE INDEX audit_by_{name} ON {_RECORDS} ({_column(name)})" for name in ("id", "subject", "time")),
        "CREATE TABLE windtunnel.audit_checkpoints (size bigint PRIMARY KEY, note text NOT NULL)",
        'CREATE TABLE windtunnel.audit_blobs (hash text COLLATE "C" PRIMARY KEY, data bytea NOT NULL)',
        "CREATE TABLE windtunnel.audit_places (name text PRIMARY KEY, seq bigint NOT NULL)",
        "INSERT INTO windtunnel.audit_places VALUES ('begins', 0)",
    ),))
_INSERT = (f"INSERT INTO {_RECORDS} ({_KEPT}) SELECT * FROM "  # noqa: S608 -- names from here
           "unnest(%s::bigint[], %s::text[], %s::bytea[], %s::bytea[], %s::bytea[])")
_LAST = f"SELECT seq, leaf, {_column('time')} FROM {_RECORDS} ORDER BY seq DESC LIMIT 1"  # noqa: S608
_TREE = f"SELECT leaf, nodes FROM {_RECORDS} WHERE seq = %s"  # noqa: S608
_HAS = f"SELECT 1 FROM {_RECORDS} WHERE {_column('id')} = %s LIMIT 1"  # noqa: S608
_READY = ("SELECT pg_is_in_recovery(), current_setting('transaction_read_only'), "
          f"has_table_privilege('{_RECORDS}', 'INSERT')")
_FLUSH = "SELECT pg_logical_emit_message(true, 'windtunnel', '')"
"""Written to the write-ahead log, so that a commit has something to wait for."""


class PostgresShelf:
    """One database by its address; reached when first needed."""

    def __init__(self, address: DatabaseAddress) -> None:
        """Remember where; nothing is opened yet."""
        self.server = Server(address, TABLES)
        self._unsafe = False

    @property
    def where(self) -> str:
        """The address without what is secret of it."""
        return self.server.where

    def ready(self) -> None:
        """Raise now what would keep rows from being added."""
        ((standby, read_only, allowed),) = self._all(_READY)
        if standby or read_only == "on":
            raise SandboxFailure(f"{self.where}: this server only reads; name the primary in audit_store")
        if not allowed:
            raise SandboxFailure(f"{self.where}: this user may not write the audit log; GRANT INSERT ON {_RECORDS}")

    def append(self, place: Place, *, wait: bool) -> None:
        """Hold others off, and add what ``place`` makes of the end; never twice, whatever becomes of the connection."""
        sent: list[Row] = []

        def add(connection: Connection) -> None:
            with transaction(connection, lock=_LOCK, sync=self.server.sync if wait else "off"):
                if sent and (_tree(connection, sent[-1][0]) or (b"",))[0] == sent[-1][3]:
                    self._unsafe = True
                    return
                sent[:] = place(_end(connection))
                if sent:
                    columns = [list(column) for column in zip(*sent, strict=True)]
                    check_written(connection.execute(_INSERT, columns, binary=True).rowcount, len(sent))
            self._unsafe = not wait or (self._unsafe and not sent)

        self.server.do(add)

    def wait(self) -> None:
        """Until a commit that comes after all others is on the server's disk."""
        def flush(connection: Connection) -> None:
            with transaction(connection, sync=self.server.sync):
                connection.execute(_FLUSH)
            self._unsafe = False

        if self._unsafe:
            self.server.do(flush)

    def last(self) -> Last | None:
        """The newest record."""
        return self.server.do(_last)

    def row(self, seq: int) -> Row | None:
        """One record by its place."""
        found = self._all(f"SELECT {_KEPT} FROM {_RECORDS} WHERE seq = %s", (seq,))  # noqa: S608 -- names from here
        return found[0] if found else None

    def rows(self, start: int, most: int) -> Sequence[Row]:
        """So many from that place on, in their order."""
        return self._all(f"SELECT {_KEPT} FROM {_RECORDS} WHERE seq >= %s ORDER BY seq LIMIT %s", (start, most))  # noqa: S608

    def tree(self, seq: int) -> Tree | None:
        """Leaf and nodes of one record."""
        return self.server.do(lambda connection: _tree(connection, seq))

    def has(self, act: str) -> bool:
        """Whether an act of this id is in the log."""
        return self.server.do(lambda connection: _has(connection, act))

    def find(self, query: AuditQuery, *, last: int | None, most: int) -> Sequence[tuple[int, str, bytes]]:
        """Place, header and details of so many that match."""
        where, values = filters.condition(query, DIALECT, last=last)
        order = "DESC" if query.newest_first else "ASC"
        return self._all(f"SELECT seq, header, details FROM {_RECORDS} WHERE {where} ORDER BY seq {order} LIMIT %s",  # noqa: S608
                         (*values, most))

    def count(self, query: AuditQuery, by: str) -> Mapping[str, int]:
        """How many match, by group."""
        where, values = filters.condition(query, DIALECT)
        column = filters.group(by, DIALECT)
        rows = self._all(f"SELECT {column}, count(*) FROM {_RECORDS} WHERE {where} GROUP BY 1", values)  # noqa: S608
        return {filters.plain(str(name)): int(number) for name, number in rows}

    def overwrite(self, seq: int, change: Callable[[bytes], bytes]) -> None:
        """Put other details in the place of a record's."""
        def swap(connection: Connection) -> None:
            with self._alone(connection):
                found = connection.execute(
                    f"SELECT details FROM {_RECORDS} WHERE seq = %s AND details IS NOT NULL", (seq,), binary=True,  # noqa: S608
                ).fetchone()
                if found is not None:
                    connection.execute(f"UPDATE {_RECORDS} SET details = %s WHERE seq = %s", (change(found[0]), seq))  # noqa: S608

        self.server.do(swap)
        self._tidy(_RECORDS)

    def begins(self) -> int:
        """The place of the first record that has its header and details here."""
        return self.server.do(_begins_at)

    def clear(self, first: int, last: int) -> None:
        """Drop header and details of these."""
        def drop(connection: Connection) -> None:
            with self._alone(connection):
                begins = _begins_at(connection)
                if first < begins == last + 1:  # done, and the connection was lost with the answer
                    return
                check_clear(first, last, begins=begins, newest=_last(connection))
                connection.execute("SET LOCAL statement_timeout = 0")
                connection.execute(f"UPDATE {_RECORDS} SET header = NULL, details = NULL WHERE seq BETWEEN %s AND %s",  # noqa: S608
                                   (first, last))
                connection.execute("UPDATE windtunnel.audit_places SET seq = %s WHERE name = 'begins'", (last + 1,))

        self.server.do(drop)
        self._tidy(_RECORDS)

    def keep_checkpoint(self, size: int, note: str) -> None:
        """Keep a signed note about the log of that size; one that is there stays."""
        statement = "INSERT INTO windtunnel.audit_checkpoints VALUES (%s, %s) ON CONFLICT DO NOTHING"
        self.server.do(lambda connection: self._keep(connection, statement, [(size, note)]))

    def checkpoints(self) -> Sequence[str]:
        """The notes, by size."""
        return [str(note) for (note,) in self._all("SELECT note FROM windtunnel.audit_checkpoints ORDER BY size")]

    def newest_checkpoint(self) -> int:
        """The largest size that a note was kept for; 0 where there is none."""
        return int(self._all("SELECT coalesce(max(size), 0) FROM windtunnel.audit_checkpoints")[0][0])

    def keep_blobs(self, blobs: Sequence[tuple[str, bytes]]) -> None:
        """Keep data by its hash; what is there stays."""
        statement = "INSERT INTO windtunnel.audit_blobs VALUES (%s, %s) ON CONFLICT DO NOTHING"
        self.server.do(lambda connection: self._keep(connection, statement, blobs))

    def blob(self, hash_: str) -> bytes | None:
        """What was kept under this hash."""
        plain = hash_.isascii() and hash_.isprintable()
        found = self._all("SELECT data FROM windtunnel.audit_blobs WHERE hash = %s", (hash_,)) if plain else []
        return bytes(found[0][0]) if found else None

    def blob_hashes(self, after: str, most: int) -> Sequence[str]:
        """So many of the hashes that something is kept under, in their order."""
        return [str(one) for (one,) in self._all(
            "SELECT hash FROM windtunnel.audit_blobs WHERE hash > %s ORDER BY hash LIMIT %s", (after, most))]

    def drop_blobs(self, hashes: Sequence[str], *, size: int, unless: Callable[[], bool]) -> bool:
        """Drop what was kept under these, while the log has that size and nothing speaks against it."""
        def drop(connection: Connection) -> bool:
            with self._alone(connection):
                newest = _last(connection)
                if (0 if newest is None else newest.seq + 1) != size or unless():
                    return False
                connection.execute("DELETE FROM windtunnel.audit_blobs WHERE hash = ANY(%s)", (list(hashes),))
            return True

        done = self.server.do(drop)
        self._tidy("windtunnel.audit_blobs")
        return done

    def close(self) -> None:
        """Let go of the connection."""
        self.server.close()

    def _alone(self, connection: Connection) -> contextlib.AbstractContextManager[None]:
        return transaction(connection, lock=_LOCK, sync=self.server.sync)

    def _keep(self, connection: Connection, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        with transaction(connection, sync=self.server.sync), connection.cursor() as cursor:
            cursor.executemany(statement.encode(), rows)

    def _tidy(self, table: str) -> None:
        """Have the server drop old versions of rows; it does so later where it cannot now."""
        with contextlib.suppress(SandboxFailure):
            self.server.do(lambda connection: connection.execute(f"VACUUM {table}"))

    def _all(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        return self.server.do(lambda connection: connection.execute(statement.encode(), values, binary=True).fetchall())


def _end(connection: Connection) -> End:
    return End(last=_last(connection), tree=lambda seq: _tree(connection, seq), has=lambda act: _has(connection, act))


def _last(connection: Connection) -> Last | None:
    found = connection.execute(_LAST, binary=True).fetchone()
    return None if found is None else Last(*found)


def _tree(connection: Connection, seq: int) -> Tree | None:
    found = connection.execute(_TREE, (seq,), binary=True).fetchone()
    return None if found is None else (found[0], found[1])


def _has(connection: Connection, act: str) -> bool:
    return connection.execute(_HAS, (filters.escaped(act),)).fetchone() is not None


def _begins_at(connection: Connection) -> int:
    found = connection.execute("SELECT seq FROM windtunnel.audit_places WHERE name = 'begins'").fetchone()
    if found is None:
        raise SandboxFailure("the audit log does not say where it begins: its tables were changed by another program")
    return int(found[0])
