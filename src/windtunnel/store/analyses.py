"""Analyses that were made, and what was measured of each file: a cache, which may be lost at any time.

What holds: a row is there whole or not at all, and was made from exactly the content whose hash it carries. A file that
is damaged is thrown away and counts as empty. What is older than ``hours`` is not given; beyond ``most_bytes`` trees
that nobody asked for longest go first. A cache never fails an analysis: what cannot be kept is not kept, and
``notices`` says why.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from windtunnel.core.errors import SandboxFailure
from windtunnel.core.limits import MIB
from windtunnel.store.database import Database, Shape, transaction

SHAPE = Shape(
    what="cache of analyses", application=0x5754414E, elsewhere="or set WINDTUNNEL_CACHE_DIR to another folder",
    synchronous="OFF", migrations=((
        """CREATE TABLE analyses (key TEXT PRIMARY KEY, root TEXT NOT NULL, made REAL NOT NULL, used REAL NOT NULL,
            told BLOB NOT NULL)""",
        "CREATE INDEX analyses_by_root ON analyses (root, made)",
        """CREATE TABLE facts (root TEXT NOT NULL, path TEXT NOT NULL, hash TEXT NOT NULL, told BLOB NOT NULL,
            PRIMARY KEY (root, path)) WITHOUT ROWID""",
        "CREATE TABLE roots (root TEXT PRIMARY KEY, used REAL NOT NULL, bytes INTEGER NOT NULL)",
        "CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL)",
    ),))
_HOUR = 3600.0
_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """How a cache has done since it was begun."""

    hits: int = 0
    misses: int = 0
    entries: int = 0
    bytes: int = 0

    @property
    def requests(self) -> int:
        """All that were asked."""
        return self.hits + self.misses

    @property
    def hit_rate(self) -> float:
        """Of all that were asked, those answered; 0 where nobody asked."""
        return self.hits / self.requests if self.requests else 0.0


class Analyses:
    """The cache of one user; safe to use from many threads and processes."""

    def __init__(self, path: Path, *, hours: float = 24.0, most_bytes: int = 500 * MIB) -> None:
        """Remember where; nothing is opened or made yet."""
        self.database = Database(path, SHAPE)
        self.hours, self.most_bytes = hours, most_bytes
        self.notices: list[str] = []

    def get(self, key: str) -> bytes | None:
        """The analysis of this key, where there is one that is not too old; counted as a hit or a miss."""
        def act(connection: sqlite3.Connection) -> bytes | None:
            now = time.time()
            found = connection.execute("SELECT told, root FROM analyses WHERE key = ? AND made > ?",
                                       (key, now - self.hours * _HOUR)).fetchone()
            with transaction(connection):
                _count(connection, "hits" if found else "misses")
                if found:
                    connection.execute("UPDATE analyses SET used = ? WHERE key = ?", (now, key))
                    connection.execute("UPDATE roots SET used = ? WHERE root = ?", (now, found[1]))
            return bytes(found[0]) if found else None

        return self._do(act, None)

    def latest(self, root: str) -> bytes | None:
        """The newest analysis of a tree, whatever the tree is now."""
        return self._do(lambda connection: next((bytes(row[0]) for row in connection.execute(
            "SELECT told FROM analyses WHERE root = ? AND made > ? ORDER BY made DESC LIMIT 1",
            (root, time.time() - self.hours * _HOUR))), None), None)

    def facts(self, root: str) -> dict[str, tuple[str, bytes]]:
        """By path, the hash and what was measured."""
        return self._do(lambda connection: {
            path: (known, told) for path, known, told in connection.execute(
                "SELECT path, hash, told FROM facts WHERE root = ?", (root,))}, {})

    def put(
        self, key: str, told: bytes, *, root: str, facts: Mapping[str, tuple[str, bytes]], gone: Iterable[str] = (),
    ) -> None:
        """Keep an analysis, and what is new about files; then make room."""
        def act(connection: sqlite3.Connection) -> None:
            now = time.time()
            with transaction(connection):
                connection.execute(
                    "INSERT OR REPLACE INTO analyses VALUES (?, ?, ?, ?, ?)", (key, root, now, now, told)
                )
                connection.executemany("DELETE FROM facts WHERE root = ? AND path = ?", ((root, path) for path in gone))
                connection.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?)",
                                       ((root, path, known, one) for path, (known, one) in facts.items()))
                held = connection.execute("SELECT coalesce(sum(length(told)), 0) FROM facts WHERE root = ?", (root,))
                connection.execute("INSERT OR REPLACE INTO roots VALUES (?, ?, ?)", (root, now, held.fetchone()[0]))
            self._tidy(connection, now)

        self._do(act, None)

    def statistics(self) -> Statistics:
        """Since it was begun."""
        def act(connection: sqlite3.Connection) -> Statistics:
            counters = dict(connection.execute("SELECT name, value FROM counters").fetchall())
            entries = connection.execute("SELECT count(*) FROM analyses").fetchone()[0]
            return Statistics(hits=int(counters.get("hits", 0)), misses=int(counters.get("misses", 0)),
                              entries=int(entries), bytes=_size(connection))

        return self._do(act, Statistics())

    def clear(self) -> None:
        """Forget all of it, but not how often it was asked."""
        def act(connection: sqlite3.Connection) -> None:
            with transaction(connection):
                for table in ("analyses", "facts", "roots"):
                    connection.execute(f"DELETE FROM {table}")  # noqa: S608 -- our own names

        self._do(act, None)

    def _tidy(self, connection: sqlite3.Connection, now: float) -> None:
        with transaction(connection):
            connection.execute("DELETE FROM analyses WHERE made <= ?", (now - self.hours * _HOUR,))
        while _size(connection) > self.most_bytes:
            oldest = connection.execute("SELECT root FROM roots ORDER BY used LIMIT 1").fetchone()
            with transaction(connection):
                if oldest is None:
                    connection.execute("DELETE FROM analyses")
                    return
                for table in ("analyses", "facts", "roots"):
                    connection.execute(f"DELETE FROM {table} WHERE root = ?", oldest)  # noqa: S608 -- our own names

    def _do(self, act: Callable[[sqlite3.Connection], _Answer], otherwise: _Answer) -> _Answer:
        try:
            return self.database.do(act, aside=self._throw_away)
        except (SandboxFailure, sqlite3.IntegrityError) as failure:
            if len(self.notices) < 5:  # noqa: PLR2004 -- the first ones tell enough
                self.notices.append(f"not kept: {failure}")
            return otherwise

    def _throw_away(self, told: str) -> None:
        """A damaged cache was moved aside, and nobody needs it."""
        self.notices.append(told.split(";", maxsplit=1)[0] + "; thrown away")
        for moved in self.database.path.parent.glob(f"{self.database.path.name}.corrupt-*"):
            with contextlib.suppress(OSError):
                moved.unlink()


def _count(connection: sqlite3.Connection, name: str) -> None:
    connection.execute("INSERT INTO counters VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1", (name,))


def _size(connection: sqlite3.Connection) -> int:
    analyses = connection.execute("SELECT coalesce(sum(length(told)), 0) FROM analyses").fetchone()[0]
    return int(analyses + connection.execute("SELECT coalesce(sum(bytes), 0) FROM roots").fetchone()[0])
