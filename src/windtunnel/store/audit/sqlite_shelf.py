"""The rows of an audit log in one SQLite file.

What holds: what was added survives ``kill -9`` of this process at once, and a power cut after ``wait``, which many can
share. What does not hold: whoever may write the file may rewrite all of it.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from windtunnel.core.audit import AuditQuery
from windtunnel.core.errors import SandboxFailure
from windtunnel.store.audit import filters
from windtunnel.store.audit.shelf import End, Last, Place, Row, Tree, check_clear, check_written
from windtunnel.store.database import Database, Shape, transaction


def _as_it_lies(data: bytes) -> str | bytes:
    """A text; where somebody put something else in its place, its bytes, for ``verify`` to name."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


_FIELDS = ("id", "time", "kind", "outcome", "actor", "session", "parent", "project", "subject")
_GENERATED = ", ".join(
    f"{name} TEXT GENERATED ALWAYS AS (json_extract(header, '$.{name}')) VIRTUAL" for name in _FIELDS)
_INDEXES = tuple(f"CREATE INDEX records_by_{name} ON records ({name})" for name in ("id", "subject", "time"))
_KEPT = "seq, header, details, leaf, nodes"
SHAPE = Shape(
    what="audit log", application=0x57544C31, elsewhere="or set WINDTUNNEL_STATE_DIR to another folder",
    text=_as_it_lies,
    migrations=((
        f"""CREATE TABLE records (seq INTEGER PRIMARY KEY, header TEXT NOT NULL, details BLOB NOT NULL,
            leaf BLOB NOT NULL, nodes BLOB NOT NULL, {_GENERATED})""",
        *_INDEXES,
        "CREATE TABLE checkpoints (size INTEGER PRIMARY KEY, note TEXT NOT NULL)",
        "CREATE TABLE blobs (hash TEXT PRIMARY KEY, data BLOB NOT NULL)",
    ), (
        # Header and details may be moved elsewhere, which leaves the leaf and the nodes of a record here.
        f"""CREATE TABLE clearable (seq INTEGER PRIMARY KEY, header TEXT, details BLOB,
            leaf BLOB NOT NULL, nodes BLOB NOT NULL, {_GENERATED})""",
        f"INSERT INTO clearable ({_KEPT}) SELECT {_KEPT} FROM records ORDER BY seq",  # noqa: S608 -- names from here
        "DROP TABLE records",
        "ALTER TABLE clearable RENAME TO records",
        *_INDEXES,
        "CREATE TABLE places (name TEXT PRIMARY KEY, seq INTEGER NOT NULL)",
        "INSERT INTO places (name, seq) VALUES ('begins', 0)",
    )))
"""The columns beside the header are read from it, so that a query cannot say other things than the record."""
_INSERT, _VALUES = f"INSERT INTO records ({_KEPT}) VALUES ", "(?, ?, ?, ?, ?)"  # noqa: S608 -- as above
_MOST_ROWS = 100
"""In one statement, during which other threads of this process go on."""
_LAST = "SELECT seq, leaf, time FROM records ORDER BY seq DESC LIMIT 1"
_TREE = "SELECT leaf, nodes FROM records WHERE seq = ?"
_THERE = "SELECT count(*) FROM records WHERE seq BETWEEN ? AND ?"
_HAS = "SELECT 1 FROM records WHERE {} LIMIT 1"
_IN_HEADER = "instr(header, ?) > 0"


class SqliteShelf:
    """One file, opened when first needed."""

    def __init__(
        self, path: str | os.PathLike[str], *, making: Callable[[], object] | None = None,
        reading: Callable[[str], object] | None = None,
    ) -> None:
        """Remember where; nothing is opened or made yet. ``making`` and ``reading`` are those of ``Database``."""
        self.database = Database(path, SHAPE, making=making, reading=reading)

    @property
    def where(self) -> str:
        """The file."""
        return str(self.database.path)

    def ready(self) -> None:
        """Raise now what would keep rows from being added."""
        self.database.do(lambda connection: connection.executescript("BEGIN IMMEDIATE; ROLLBACK"))

    def append(self, place: Place, *, wait: bool) -> None:  # noqa: ARG002 -- the disk is waited for apart
        """Hold others off, and add what ``place`` makes of the end."""
        self.database.do(lambda connection: _add(connection, place))

    def wait(self) -> None:
        """Until all of the write-ahead log is on the disk."""
        with contextlib.suppress(FileNotFoundError):  # all of it was moved into the file itself, and waited for
            descriptor = os.open(f"{self.where}-wal", os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fdatasync(descriptor)
            except OSError as error:
                raise SandboxFailure(f"{self.where}: the disk failed: {error.strerror}") from error
            finally:
                os.close(descriptor)

    def last(self) -> Last | None:
        """The newest record."""
        return self.database.do(_last)

    def row(self, seq: int) -> Row | None:
        """One record by its place."""
        found = self._all(f"SELECT {_KEPT} FROM records WHERE seq = ?", (seq,))  # noqa: S608 -- names from here
        return found[0] if found else None

    def rows(self, start: int, most: int) -> Sequence[Row]:
        """So many from that place on, in their order."""
        return self._all(f"SELECT {_KEPT} FROM records WHERE seq >= ? ORDER BY seq LIMIT ?", (start, most))  # noqa: S608

    def tree(self, seq: int) -> Tree | None:
        """Leaf and nodes of one record."""
        return self.database.do(lambda connection: _tree(connection, seq))

    def has(self, act: str) -> bool:
        """Whether an act of this id is in the log."""
        return self.database.do(lambda connection: _has(connection, act))

    def find(self, query: AuditQuery, *, last: int | None, most: int) -> Sequence[tuple[int, str, bytes]]:
        """Place, header and details of so many that match."""
        where, values = filters.condition(query, DIALECT, last=last)
        order = "DESC" if query.newest_first else "ASC"
        return self._all(
            f"SELECT seq, header, details FROM records WHERE {where} ORDER BY seq {order} LIMIT ?",  # noqa: S608 -- from tables
            (*values, most))

    def count(self, query: AuditQuery, by: str) -> Mapping[str, int]:
        """How many match, by group."""
        where, values = filters.condition(query, DIALECT)
        column = filters.group(by, DIALECT)
        rows = self._all(f"SELECT {column}, count(*) FROM records WHERE {where} GROUP BY 1", values)  # noqa: S608 -- as above
        return {filters.plain(str(name)): int(number) for name, number in rows}

    def overwrite(self, seq: int, change: Callable[[bytes], bytes]) -> None:
        """Put other details in the place of a record's; the old ones are in no file after this."""
        self.database.do(lambda connection: _overwrite(connection, seq, change))

    def begins(self) -> int:
        """The place of the first record that has its header and details here."""
        return self.database.do(_begins_at)

    def clear(self, first: int, last: int) -> None:
        """Drop header and details of these."""
        self.database.do(lambda connection: _clear(connection, first, last))

    def keep_checkpoint(self, size: int, note: str) -> None:
        """Keep a signed note about the log of that size; one that is there stays."""
        self._all("INSERT OR IGNORE INTO checkpoints (size, note) VALUES (?, ?)", (size, note))

    def checkpoints(self) -> Sequence[str]:
        """The notes, by size."""
        return [str(note) for (note,) in self._all("SELECT note FROM checkpoints ORDER BY size")]

    def newest_checkpoint(self) -> int:
        """The largest size that a note was kept for; 0 where there is none."""
        return int(self._all("SELECT coalesce(max(size), 0) FROM checkpoints")[0][0])

    def keep_blobs(self, blobs: Sequence[tuple[str, bytes]]) -> None:
        """Keep data by its hash; what is there stays."""
        self.database.do(lambda connection: connection.executemany(
            "INSERT OR IGNORE INTO blobs (hash, data) VALUES (?, ?)", blobs))

    def blob(self, hash_: str) -> bytes | None:
        """What was kept under this hash."""
        found = self._all("SELECT data FROM blobs WHERE hash = ?", (hash_,))
        data = found[0][0] if found else None
        return data if data is None or isinstance(data, bytes) else str(data).encode()

    def blob_hashes(self, after: str, most: int) -> Sequence[str]:
        """So many of the hashes that something is kept under, in their order."""
        return [str(one) for (one,) in self._all(
            "SELECT hash FROM blobs WHERE hash > ? ORDER BY hash LIMIT ?", (after, most))]

    def drop_blobs(self, hashes: Sequence[str], *, size: int, unless: Callable[[], bool]) -> bool:
        """Drop what was kept under these, while the log has that size and nothing speaks against it."""
        return self.database.do(lambda connection: _drop_blobs(connection, hashes, size=size, unless=unless))

    def close(self) -> None:
        """Let go of the file."""
        self.database.close()

    def _all(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        return self.database.do(lambda connection: connection.execute(statement, values).fetchall())


def _add(connection: sqlite3.Connection, place: Place) -> None:
    with transaction(connection):
        end = End(last=_last(connection), tree=lambda seq: _tree(connection, seq),
                  has=lambda act: _has(connection, act))
        rows = place(end)
        for start in range(0, len(rows), _MOST_ROWS):
            part = rows[start:start + _MOST_ROWS]
            connection.execute(_INSERT + ", ".join([_VALUES] * len(part)), [value for row in part for value in row])
        if rows:
            ((there,),) = connection.execute(_THERE, (rows[0][0], rows[-1][0])).fetchall()
            check_written(there, len(rows))


def _last(connection: sqlite3.Connection) -> Last | None:
    found = connection.execute(_LAST).fetchone()
    if found is None:
        return None
    seq, leaf, time = found
    if not isinstance(leaf, bytes) or not isinstance(time, str | None):
        raise SandboxFailure(f"record {seq}, the newest of the audit log, was changed (windtunnel audit verify)")
    return Last(seq, leaf, time or "")


def _tree(connection: sqlite3.Connection, seq: int) -> Tree | None:
    found: Tree | None = connection.execute(_TREE, (seq,)).fetchone()
    return found


def _has(connection: sqlite3.Connection, act: str) -> bool:
    where, value = ("id = ?", act) if _is_plain(act) else (_IN_HEADER, f'"id":"{filters.escaped(act)}"')
    return connection.execute(_HAS.format(where), (value,)).fetchone() is not None


def _overwrite(connection: sqlite3.Connection, seq: int, change: Callable[[bytes], bytes]) -> None:
    with transaction(connection):
        found = connection.execute("SELECT details FROM records WHERE seq = ? AND details NOTNULL", (seq,)).fetchone()
        if found is not None:
            connection.execute("UPDATE records SET details = ? WHERE seq = ?", (change(found[0]), seq))
    _tidy(connection)


def _begins_at(connection: sqlite3.Connection) -> int:
    found = connection.execute("SELECT seq FROM places WHERE name = 'begins'").fetchone()
    if found is None or not isinstance(found[0], int):
        raise SandboxFailure("the audit log does not say where it begins: its tables were changed by another program")
    return found[0]


def _clear(connection: sqlite3.Connection, first: int, last: int) -> None:
    with transaction(connection):
        check_clear(first, last, begins=_begins_at(connection), newest=_last(connection))
        connection.execute("UPDATE records SET header = NULL, details = NULL WHERE seq BETWEEN ? AND ?", (first, last))
        connection.execute("UPDATE places SET seq = ? WHERE name = 'begins'", (last + 1,))
    _tidy(connection)


def _drop_blobs(
    connection: sqlite3.Connection, hashes: Sequence[str], *, size: int, unless: Callable[[], bool],
) -> bool:
    with transaction(connection):
        newest = _last(connection)
        if (0 if newest is None else newest.seq + 1) != size or unless():
            return False
        connection.executemany("DELETE FROM blobs WHERE hash = ?", [(one,) for one in hashes])
    _tidy(connection)
    return True


def _tidy(connection: sqlite3.Connection) -> None:
    """The old pages are still in the write-ahead log until it is moved into the file and cut."""
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _is_plain(text: str) -> bool:
    """Whether it is the same with its escapes, so that a column can be asked for it."""
    return text.isascii() and text.isprintable()


def _begins(name: str, text: str) -> tuple[str, list[object]]:
    if _is_plain(text):
        return f"{name} GLOB ?", [f"{''.join(f'[{char}]' if char in '*?[' else char for char in text)}*"]
    return _IN_HEADER, [f'"{name}":"{filters.escaped(text)}']


def _column(name: str) -> str:
    """The time has a column of its own; others are cut out with their escapes, which SQLite would undo badly."""
    if name == "time":
        return name
    before, behind = filters.fences(name)
    start = f"instr(header, '{before}') + {len(before)}"
    return f"substr(header, {start}, instr(header, '{behind}') - ({start}))"


DIALECT = filters.Dialect(mark="?", instr="instr", in_details="instr(details, ?) > 0", column=_column, begins=_begins)
