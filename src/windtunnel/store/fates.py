"""Fates of mutants between runs, and the scores of each project over time.

What holds: a fate is given back only for the project, the mutant and the surroundings that it was found with; whether
what it rests on in the code is still the same, the runner decides by its footprint. Fates that depend on chance or time
are not kept. What does not hold: whoever may write the file may write anything into it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from sqlite3 import Connection
from typing import Any

from windtunnel.core.mutation import Experience, Fate, Judged, Kept, MutationResult, State
from windtunnel.store.database import Database, Shape, transaction

SHAPE = Shape(
    what="list of fates", application=0x57544654, elsewhere="or set WINDTUNNEL_STATE_DIR to another folder",
    migrations=((
        """CREATE TABLE fates (project TEXT NOT NULL, mutant TEXT NOT NULL, environment TEXT NOT NULL,
            fate TEXT NOT NULL, footprint TEXT NOT NULL, noticed_by TEXT NOT NULL, operator TEXT NOT NULL,
            path TEXT NOT NULL, function TEXT NOT NULL, found REAL NOT NULL,
            PRIMARY KEY (project, mutant)) WITHOUT ROWID""",
        """CREATE TABLE scores (project TEXT NOT NULL, time REAL NOT NULL, score REAL NOT NULL, killed INTEGER NOT NULL,
            survived INTEGER NOT NULL, untested INTEGER NOT NULL, others INTEGER NOT NULL, low REAL, high REAL)""",
        "CREATE INDEX scores_by_project ON scores (project, time)",
    ), (
        """CREATE TABLE verdicts (project TEXT NOT NULL, basis TEXT NOT NULL, found REAL NOT NULL,
            verdict TEXT NOT NULL, PRIMARY KEY (project, basis)) WITHOUT ROWID""",
    )))
KEPT = (Fate.KILLED, Fate.SURVIVED, Fate.SAME)
"""A timeout may be one of this day, and what no test runs is known anew without trying."""
_MOST = 200_000
"""Fates of one project; the oldest go first."""
_MOST_SCORES = 10_000
_MOST_VERDICTS = 200
_MOST_VERDICT = 1024 * 1024
"""Letters; a longer one is found anew."""
_WHERE = "WHERE project = ? AND environment = ?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How one run ended."""

    time: float
    """Seconds since 1970."""
    score: float
    killed: int
    survived: int
    untested: int
    others: int
    """Those whose fate says nothing of the tests."""
    low: float | None = None
    high: float | None = None
    """Where not all were judged: between which the score of all lies."""


class Fates:
    """Those of one state folder; safe to use from many threads and processes."""

    def __init__(self, path: str | os.PathLike[str], *, clock: Callable[[], float] = time.time) -> None:
        """Remember where; nothing is opened or made yet."""
        self.database, self._clock = Database(path, SHAPE), clock

    def known(self, project: str, environment: str) -> Mapping[str, Kept]:
        """Fates found in this project with these surroundings, by the id of the mutant."""
        query = f"SELECT mutant, fate, footprint, noticed_by FROM fates {_WHERE}"  # noqa: S608 -- our own words
        rows = self.database.do(lambda connection: connection.execute(query, (project, environment)).fetchall())
        return {mutant: Kept(fate=Fate(fate), footprint=footprint, by=by) for mutant, fate, footprint, by in rows}

    def experience(self, project: str) -> Experience:
        """How often mutants survived there, whatever the surroundings."""
        def read(connection: Connection) -> Experience:
            return Experience(
                operators={row[0]: (row[1], row[2]) for row in _shares(connection, project, "operator")},
                functions={(path, function): (survived, judged) for path, function, survived, judged in _shares(
                    connection, project, "path, function")})

        return self.database.do(read)

    def keep(self, project: str, environment: str, result: MutationResult) -> None:
        """Remember what a run found, and its score where it has one."""
        now = self._clock()
        rows = [_row(one, project, environment, now=now) for one in result.judged if one.fate in KEPT and one.footprint]

        def write(connection: Connection) -> None:
            with transaction(connection):
                connection.executemany(f"INSERT OR REPLACE INTO fates VALUES ({', '.join('?' * 10)})", rows)  # noqa: S608
                _trim(connection, project)
                if result.score is not None and result.state is State.JUDGED:
                    row = _score(project, result, now)
                    connection.execute(f"INSERT INTO scores VALUES ({', '.join('?' * len(row))})", row)  # noqa: S608

        self.database.do(write)

    def scores(self, project: str, *, most: int = 100) -> list[Score]:
        """Of the latest runs, oldest first."""
        query = ("SELECT time, score, killed, survived, untested, others, low, high FROM scores WHERE project = ? "
                 "ORDER BY time DESC, rowid DESC LIMIT ?")
        rows = self.database.do(lambda connection: connection.execute(query, (project, most)).fetchall())
        names = ("time", "score", "killed", "survived", "untested", "others", "low", "high")
        return [Score(**dict(zip(names, row, strict=True))) for row in reversed(rows)]

    def verdict(self, project: str, key: str) -> tuple[float, str] | None:
        """When a verdict of the gate was found that rests on the same, and what it was."""
        query = "SELECT found, verdict FROM verdicts WHERE project = ? AND basis = ?"
        row = self.database.do(lambda connection: connection.execute(query, (project, key)).fetchone())
        return None if row is None else (float(row[0]), str(row[1]))

    def keep_verdict(self, project: str, key: str, text: str) -> None:
        """Remember it; the oldest of the project go."""
        if len(text) > _MOST_VERDICT:
            return
        row = (project, key, self._clock(), text)

        def write(connection: Connection) -> None:
            with transaction(connection):
                connection.execute("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?)", row)
                connection.execute(
                    "DELETE FROM verdicts WHERE project = ?1 AND found < (SELECT found FROM verdicts "
                    "WHERE project = ?1 ORDER BY found DESC LIMIT 1 OFFSET ?2)", (project, _MOST_VERDICTS - 1))

        self.database.do(write)

    def close(self) -> None:
        """Let go of the file."""
        self.database.close()


def _shares(connection: Connection, project: str, columns: str) -> Iterator[tuple[Any, ...]]:
    query = (f"SELECT {columns}, sum(fate = 'survived'), count(*) FROM fates "  # noqa: S608 -- our own words
             f"WHERE project = ? AND fate IN ('killed', 'survived') GROUP BY {columns}")
    yield from connection.execute(query, (project,))


def _row(one: Judged, project: str, environment: str, *, now: float) -> tuple[object, ...]:
    mutant = one.mutant
    return (project, mutant.id, environment, str(one.fate), one.footprint, one.by, mutant.operator, mutant.path,
            mutant.function, now)


def _score(project: str, result: MutationResult, now: float) -> tuple[object, ...]:
    counts, estimate = result.counts, result.estimate
    told = [counts.get(fate, 0) for fate in (Fate.KILLED, Fate.SURVIVED, Fate.UNTESTED)]
    return (project, now, result.score, *told, len(result.judged) - sum(told),
            estimate.low if estimate is not None else None, estimate.high if estimate is not None else None)


def _trim(connection: Connection, project: str) -> None:
    connection.execute(
        "DELETE FROM fates WHERE project = ?1 AND found < (SELECT found FROM fates WHERE project = ?1 "
        "ORDER BY found DESC LIMIT 1 OFFSET ?2)", (project, _MOST))
    connection.execute(
        "DELETE FROM scores WHERE project = ?1 AND time < (SELECT time FROM scores WHERE project = ?1 "
        "ORDER BY time DESC LIMIT 1 OFFSET ?2)", (project, _MOST_SCORES))
