"""What a watch over the audit log found, whom it told, and where it is: one small SQLite file.

What holds: an alert, what is owed to each destination and the watch's own place are written together, so that after
``kill -9`` nothing is missed and nothing is found twice. Whoever was told is noted after it was told: a destination
gets an alert at least once, and the same one twice only where the watch died in between.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from windtunnel.core.alert import Alert
from windtunnel.core.plain import plain
from windtunnel.core.revive import revive
from windtunnel.store.database import Database, Shape, transaction

SHAPE = Shape(
    what="list of alerts", application=0x5754414C, elsewhere="or set WINDTUNNEL_STATE_DIR to another folder",
    synchronous="FULL", migrations=((
        """CREATE TABLE watches (rules TEXT PRIMARY KEY, position INTEGER NOT NULL, hash TEXT NOT NULL,
            memory TEXT NOT NULL, used TEXT NOT NULL)""",
        """CREATE TABLE alerts (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, time TEXT NOT NULL,
            body TEXT NOT NULL)""",
        "CREATE INDEX alerts_by_time ON alerts (time)",
        """CREATE TABLE deliveries (alert TEXT NOT NULL, destination TEXT NOT NULL, delivered TEXT NOT NULL DEFAULT '',
            recorded INTEGER NOT NULL DEFAULT 0, tries INTEGER NOT NULL DEFAULT 0, error TEXT NOT NULL DEFAULT '',
            not_before REAL NOT NULL DEFAULT 0, PRIMARY KEY (alert, destination))""",
        "CREATE INDEX deliveries_owed ON deliveries (destination) WHERE delivered = ''",
        "CREATE INDEX deliveries_unrecorded ON deliveries (alert) WHERE delivered <> '' AND recorded = 0",
    ),))
_MOST_WATCHES = 8
MOST_ALERTS = 100_000
"""Older ones are forgotten once every destination has taken them and the log says so."""
_MOST_ERROR = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """How far a watch with certain rules came."""

    position: int
    """Of the last record that it looked at; -1 before the first."""
    hash: str
    """Of that record, by which a log that was changed is seen."""
    memory: str
    """What its rules remember, as JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Owed:
    """What one destination has not taken yet."""

    destination: str
    alerts: int
    error: str
    """What it said the last time."""


class AlertStore:
    """The alerts of one user's state; safe to use from many threads and processes."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Remember where; nothing is opened or made yet."""
        self.database = Database(path, SHAPE)

    def place(self, rules: str) -> Place | None:
        """Where the watch with these rules is."""
        row = self.database.do(lambda connection: connection.execute(
            "SELECT position, hash, memory FROM watches WHERE rules = ?", (rules,)).fetchone())
        return None if row is None else Place(position=row[0], hash=row[1], memory=row[2])

    def keep(
        self, rules: str, place: Place, alerts: Sequence[Alert], *, owed: Callable[[Alert], Collection[str]],
    ) -> list[Alert]:
        """Write down a place, and what was found on the way to it; those alerts that were not known before."""
        def act(connection: sqlite3.Connection) -> list[Alert]:
            with transaction(connection):
                new = [alert for alert in alerts if _insert(connection, alert)]
                connection.executemany(
                    "INSERT OR IGNORE INTO deliveries (alert, destination) VALUES (?, ?)",
                    [(alert.id, name) for alert in new for name in owed(alert)])
                connection.execute("INSERT OR REPLACE INTO watches VALUES (?, ?, ?, ?, ?)", (
                    rules, place.position, place.hash, place.memory, _now()))
                connection.execute("DELETE FROM watches WHERE rules NOT IN (SELECT rules FROM watches "
                                   "ORDER BY used DESC, rowid DESC LIMIT ?)", (_MOST_WATCHES,))
                _forget(connection)
            return new

        return self.database.do(act)

    def since(self, time: str) -> list[Alert]:
        """Those whose newest record is of this time or later, in the order in which they were found."""
        rows = self.database.do(lambda connection: connection.execute(
            "SELECT body FROM alerts WHERE time >= ? ORDER BY number", (time,)).fetchall())
        return [_alert(body) for (body,) in rows]

    def waiting(self, destination: str, *, now: float | None = None, most: int = 1000) -> list[tuple[Alert, int]]:
        """What is owed to a destination, oldest first, with how often it was tried; at a time, only what is due."""
        due = 1e300 if now is None else now
        rows = self.database.do(lambda connection: connection.execute(
            "SELECT body, tries FROM deliveries JOIN alerts ON id = alert WHERE destination = ? AND delivered = '' "
            "AND not_before <= ? ORDER BY number LIMIT ?", (destination, due, most)).fetchall())
        return [(_alert(body), tries) for body, tries in rows]

    def delivered(self, alert: str, destination: str) -> None:
        """It was taken."""
        self._update("delivered = ?, error = ''", (_now(),), alert, destination)

    def failed(self, alert: str, destination: str, *, error: str, not_before: float) -> None:
        """It was not, and why; when to try again at the earliest."""
        told = (error[:_MOST_ERROR], not_before)
        self._update("tries = tries + 1, error = ?, not_before = ?", told, alert, destination)

    def recorded(self, alert: str, destination: str) -> None:
        """The audit log says that it was taken."""
        self._update("recorded = 1", (), alert, destination)

    def unrecorded(self, *, most: int = 1000) -> list[tuple[Alert, str]]:
        """What was taken and is not in the audit log yet, with the destination."""
        rows = self.database.do(lambda connection: connection.execute(
            "SELECT body, destination FROM deliveries JOIN alerts ON id = alert WHERE delivered <> '' AND recorded = 0 "
            "ORDER BY number LIMIT ?", (most,)).fetchall())
        return [(_alert(body), destination) for body, destination in rows]

    def owed(self) -> list[Owed]:
        """What every destination has not taken yet, those that are no more in the rules among them."""
        rows = self.database.do(lambda connection: connection.execute(
            "SELECT destination, count(*), max(error) FROM deliveries WHERE delivered = '' GROUP BY 1 ORDER BY 1",
        ).fetchall())
        return [Owed(destination=name, alerts=count, error=error) for name, count, error in rows]

    def close(self) -> None:
        """Let go of the file."""
        self.database.close()

    def _update(self, change: str, values: tuple[object, ...], alert: str, destination: str) -> None:
        self.database.do(lambda connection: connection.execute(
            f"UPDATE deliveries SET {change} WHERE alert = ? AND destination = ?",  # noqa: S608 -- from the lines above
            (*values, alert, destination)))


def _insert(connection: sqlite3.Connection, alert: Alert) -> bool:
    """Whether it was not there."""
    return connection.execute("INSERT OR IGNORE INTO alerts (id, time, body) VALUES (?, ?, ?)", (
        alert.id, alert.time, json.dumps(alert, default=plain))).rowcount == 1


def _forget(connection: sqlite3.Connection) -> None:
    """The oldest beyond the most that are kept, but none that somebody is still owed."""
    gone = connection.execute(
        "SELECT id FROM alerts WHERE number <= (SELECT max(number) FROM alerts) - ? AND id NOT IN "
        "(SELECT alert FROM deliveries WHERE delivered = '' OR recorded = 0)", (MOST_ALERTS,)).fetchall()
    connection.executemany("DELETE FROM deliveries WHERE alert = ?", gone)
    connection.executemany("DELETE FROM alerts WHERE id = ?", gone)


def _alert(body: str) -> Alert:
    told = json.loads(body)
    # Figures are numbers and texts, which a typed reader cannot tell apart.
    return replace(revive(Alert, {**told, "figures": {}}), figures=told["figures"])


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
