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
import copy
import json
import math
import os
import sqlite3
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import IO, TypeVar

from windtunnel.core.deed import Deed
from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.core.limits import Limits
from windtunnel.core.plain import plain
from windtunnel.core.result import ExecutionResult
from windtunnel.store import deeds
from windtunnel.store.database import Database, Shape

HEAD_BYTES = 4096
"""Kept of each output stream."""
MOST_RUNS = 50_000
"""The oldest run beyond these is forgotten with each new one, so that the file cannot grow for ever."""

_BATCH = 500
_MOST_INTEGER = 2**63 - 1
_MOST_DAYS = 365_000

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
    (
        "ALTER TABLE runs ADD COLUMN owner TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE deeds ADD COLUMN owner TEXT NOT NULL DEFAULT ''",
        "CREATE INDEX runs_by_owner ON runs (owner, seq) WHERE owner != ''",
        "CREATE INDEX deeds_by_owner ON deeds (owner, seq) WHERE owner != ''",
    ),
)
"""One group of statements for each version of the schema; groups are added, never changed."""
SHAPE = Shape(
    what="history", application=0x57544831, migrations=_MIGRATIONS, before=("PRAGMA auto_vacuum = INCREMENTAL",),
    elsewhere="or set WINDTUNNEL_STATE_DIR to another folder, or WINDTUNNEL_HISTORY=off")

_COLUMNS = ("id", "timestamp", "language", "level", "reason", "exit_code", "execution_time", "warm", "stdout",
            "stdout_total", "stderr", "stderr_total", "limits", "enforced", "usage", "effects", "stages")
_JSON_COLUMNS = ("limits", "enforced", "usage", "effects", "stages")
_INSERT = f"INSERT INTO runs ({', '.join(_COLUMNS)}, owner) VALUES ({'?, ' * len(_COLUMNS)}?)"  # noqa: S608 -- constants
_SELECT = f"SELECT seq, {', '.join(_COLUMNS)} FROM runs"  # noqa: S608 -- constants of this file

_Answer = TypeVar("_Answer")


class SqliteHistory:
    """Remembers runs in one file, which is opened when first needed."""

    def __init__(self, path: str | os.PathLike[str], *, lost: Callable[[str], None] | None = None) -> None:
        """Remember where; nothing is opened or made yet.

        With ``lost`` what cannot be stored is not an error: ``lost`` hears why, once for each reason.
        """
        self.database = Database(path, SHAPE)
        self.path = self.database.path
        self.notices: list[str] = []
        """What a person should know: each damaged file that was moved aside, each reason why something was lost."""
        self._lost = lost
        self.owner = ""
        """Whose runs and trials are stored and shown; empty stores them as nobody's, and shows all."""

    def of(self, owner: str) -> SqliteHistory:
        """The same file as one person may see it: what they store is theirs, and nothing else is found."""
        own = copy.copy(self)
        own.owner = owner
        return own

    def ready(self) -> None:
        """Raise now what would keep a run from being stored later."""
        if not self.database.is_open:
            self._store(lambda connection: connection.executescript("BEGIN IMMEDIATE; ROLLBACK"))

    def add(self, result: ExecutionResult, *, limits: Limits) -> None:
        """Store one run; when this returns, the death of this process does not lose it."""
        row = (*_row(result, limits), deeds.text(self.owner))
        try:
            self._store(lambda connection: connection.execute(_INSERT, row))
        except sqlite3.IntegrityError as error:
            raise UsageError(f"id: the run {result.id!r} is already in the history", field="id") from error

    def remember(self, deed: Deed) -> None:
        """Store one trial, or what came of it; when this returns, the death of this process does not lose it."""
        try:
            self._store(lambda connection: deeds.put(connection, deed, owner=self.owner))
        except sqlite3.IntegrityError as error:
            raise UsageError(f"id: {deed.id!r} is already in the history", field="id") from error

    def trials(self, limit: int | None = None) -> list[Mapping[str, object]]:
        """The latest trials and what came of them, newest first; all of them without a limit."""
        most = -1 if limit is None else _whole("limit", limit)
        where, own = self._mine()
        query = f"{deeds.SELECT} WHERE {where} ORDER BY seq DESC LIMIT ?"
        rows = self._do(lambda connection: connection.execute(query, (*own, most)).fetchall())
        return [deeds.record(row) for row in rows]

    def trial(self, trial_id: str) -> Mapping[str, object] | None:
        """One trial, or what came of one, by its id."""
        where, own = self._mine()
        query, wanted = f"{deeds.SELECT} WHERE {where} AND id = ?", (*own, deeds.text(trial_id))
        row = self._do(lambda connection: connection.execute(query, wanted).fetchone())
        return None if row is None else deeds.record(row)

    def recent(self, limit: int | None = None) -> list[Mapping[str, object]]:
        """The latest runs in the order they were stored, newest first; all of them without a limit."""
        most = -1 if limit is None else _whole("limit", limit)
        where, own = self._mine()
        query = f"{_SELECT} WHERE {where} ORDER BY seq DESC LIMIT ?"
        rows = self._do(lambda connection: connection.execute(query, (*own, most)).fetchall())
        return [_record(row) for row in rows]

    def get(self, run_id: str) -> Mapping[str, object] | None:
        """One run by its id."""
        where, own = self._mine()
        query, wanted = f"{_SELECT} WHERE {where} AND id = ?", (*own, deeds.text(run_id))
        row = self._do(lambda connection: connection.execute(query, wanted).fetchone())
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
        self.database.close()

    def _mine(self) -> tuple[str, tuple[str, ...]]:
        return ("owner = ? AND owner != ''", (deeds.text(self.owner),)) if self.owner else ("1", ())

    def _batch(self, select: str, last: int) -> list[tuple[int, ...]]:
        query = f"{select} WHERE seq > ? ORDER BY seq LIMIT {_BATCH}"
        return self._do(lambda connection: connection.execute(query, (last,)).fetchall())

    def _store(self, act: Callable[[sqlite3.Connection], object]) -> None:
        try:
            self._do(act)
        except SandboxFailure as failure:
            if self._lost is None:
                raise
            if str(failure) not in self.notices:
                self.notices.append(str(failure))
                self._lost(str(failure))

    def _do(self, act: Callable[[sqlite3.Connection], _Answer]) -> _Answer:
        """A damaged file is moved aside and a new one begun: the history is a help, and must not stop a run."""
        return self.database.do(act, aside=self.notices.append)


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
