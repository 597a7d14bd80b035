"""Runs and trials of the history by how they ended, counted as they come.

What holds: each row is looked at once in the life of a tally, so that asking often costs no more than what is new; a
count never goes down while the history forgets its oldest. At first all rows that the history still has are counted.
"""

from __future__ import annotations

import bisect
import copy
import sqlite3
import threading
from collections import Counter
from dataclasses import dataclass, field

from windtunnel.core.audit import AuditQuery
from windtunnel.store.audit.log import AuditLog
from windtunnel.store.audit.query import count
from windtunnel.store.history import SqliteHistory

BOUNDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
"""Upper ends of the buckets of durations, in seconds."""
_RUNS = "SELECT seq, reason, exit_code, execution_time FROM runs WHERE seq > ? ORDER BY seq"
_DEEDS = "SELECT seq, verb, verdict FROM deeds WHERE seq > ? ORDER BY seq"


@dataclass(slots=True)
class Counts:
    """So far."""

    runs: Counter[str] = field(default_factory=Counter)
    """By outcome: ``succeeded`` and ``failed`` by the exit code of those that ended by themselves, else the reason."""
    trials: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By verb and verdict."""
    durations: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS) + 1))
    """How many runs took at most ``BOUNDS[n]`` seconds and more than the one before; last those above all."""
    seconds: float = 0.0
    """Of all runs together."""


class HistoryTally:
    """Of one history; safe to ask from many threads."""

    def __init__(self, history: SqliteHistory) -> None:
        """Nothing is read yet."""
        self._history, self._lock = history, threading.Lock()
        self._counts, self._run, self._deed = Counts(), 0, 0

    def counts(self) -> Counts:
        """With what was added since it was asked last."""
        with self._lock:
            self._history.database.do(self._read)
            return copy.deepcopy(self._counts)

    def _read(self, connection: sqlite3.Connection) -> None:
        self._run = _start(connection, "runs", self._run)
        for seq, reason, code, seconds in connection.execute(_RUNS, (self._run,)):
            self._counts.runs[_outcome(str(reason), code)] += 1
            if seconds is not None:
                self._counts.durations[bisect.bisect_left(BOUNDS, seconds)] += 1
                self._counts.seconds += seconds
            self._run = seq
        self._deed = _start(connection, "deeds", self._deed)
        for seq, verb, verdict in connection.execute(_DEEDS, (self._deed,)):
            self._counts.trials[str(verb), str(verdict)] += 1
            self._deed = seq


def _start(connection: sqlite3.Connection, table: str, seen: int) -> int:
    """Where to go on; at the beginning where another file has taken the place of the one that was read."""
    (last,) = connection.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = ?",
                                 (table,)).fetchone()
    return 0 if last < seen else seen


def _outcome(reason: str, exit_code: int) -> str:
    if reason != "exited":
        return reason
    return "succeeded" if exit_code == 0 else "failed"


class AuditTally:
    """Acts of the audit log by their outcome; what was sealed away before it was asked first is not opened for it."""

    def __init__(self, log: AuditLog) -> None:
        """Nothing is read yet."""
        self._log, self._lock = log, threading.Lock()
        self._outcomes: Counter[str] = Counter()
        self._seen: int | None = None

    def counts(self) -> Counter[str]:
        """With what was added since it was asked last."""
        with self._lock:
            seen = self._log.shelf.begins() - 1 if self._seen is None else self._seen
            found = count(self._log, AuditQuery(after=seen), "outcome")
            self._seen = seen + sum(found.values())  # places have no gaps
            self._outcomes.update(found)
            return self._outcomes.copy()
