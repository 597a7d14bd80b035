"""Runs of scenarios in one SQLite file: how far they got, what they measured last, how often they died.

What holds: when a call has returned, its change is on the disk. A restart that was counted stays counted, also when the
run itself is forgotten. A run whose process is gone before it ended is ``crashed``, and never said to be still at work.
Everybody sees only what is their own, unless nobody is named. At most ``MOST_RUNS`` runs are kept. The cycles are in
the journal of the run, in its own folder.
"""

from __future__ import annotations

import json
import math
import os
import sqlite3
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, TypeAlias, get_args

from windtunnel.core.errors import NotFound, UsageError
from windtunnel.store.audit.process import is_gone, this_process
from windtunnel.store.database import Database, Shape

RunOutcome: TypeAlias = Literal["open", "done", "stopped", "failed", "crashed"]
NAME = "scenario-runs.db"
"""In the folder of state."""
MOST_RUNS = 1000
_MOST_METRICS = 1000
_MOST_TEXT = 4096
SHAPE = Shape(
    what="list of scenario runs", application=0x57545352, elsewhere="or set WINDTUNNEL_STATE_DIR to another folder",
    synchronous="FULL", migrations=((
        """CREATE TABLE runs (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL,
            verb TEXT NOT NULL, target TEXT NOT NULL, folder TEXT NOT NULL, seed TEXT NOT NULL, begun TEXT NOT NULL,
            ended TEXT NOT NULL, outcome TEXT NOT NULL, cycles INTEGER NOT NULL, metrics TEXT NOT NULL,
            restarts INTEGER NOT NULL, last_failure REAL NOT NULL, reason TEXT NOT NULL, holder TEXT NOT NULL)""",
        "CREATE INDEX runs_by_owner ON runs (owner, seq)",
        "CREATE TABLE totals (name TEXT PRIMARY KEY, restarts INTEGER NOT NULL, last_failure REAL NOT NULL)",
        "INSERT INTO totals VALUES ('all', 0, 0.0)",
        f"""CREATE TRIGGER runs_bounded AFTER INSERT ON runs
            BEGIN DELETE FROM runs WHERE seq <= NEW.seq - {MOST_RUNS}; END""",  # noqa: S608 -- a constant of this file
    ),))
_COLUMNS = ("id, owner, verb, target, folder, seed, begun, ended, outcome, cycles, metrics, restarts, last_failure, "
            "reason, holder")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioRun:
    """One run as it is kept."""

    id: str
    owner: str = ""
    verb: str
    """The command: ``simulate``, ``full-autonomous-run``, …"""
    target: str
    """What it ran on."""
    folder: str
    """Where its journal and ``roi_history.json`` are."""
    seed: int = 0
    begun: str = ""
    ended: str = ""
    outcome: RunOutcome = "open"
    cycles: int = 0
    metrics: Mapping[str, float] = field(default_factory=dict)
    """Those of its last cycle."""
    restarts: int = 0
    last_failure: float = 0.0
    """Seconds since 1970, or 0 where there was none."""
    reason: str = ""
    """Why it died last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """How often runs were restarted, and when one died last; 0 where none did."""

    restarts: int
    last_failure: float


class RunStore:
    """One file of them; safe to use from many threads and processes."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Remember where; nothing is opened or made yet."""
        self.database = Database(path, SHAPE)

    def begin(self, run: ScenarioRun) -> None:
        """A new one, at work in this process; one that is there already is only taken over, where its folder is now."""
        def act(connection: sqlite3.Connection) -> None:
            known = connection.execute("UPDATE runs SET holder = ?, folder = ?, outcome = 'open', ended = '' "
                                       "WHERE id = ?", (this_process(), run.folder, run.id)).rowcount
            if not known:
                connection.execute(
                    f"INSERT INTO runs ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, '', 'open', 0, '{{}}', 0, 0.0, '', ?)",  # noqa: S608
                    (run.id, run.owner, run.verb, run.target[:_MOST_TEXT], run.folder, str(run.seed), _now(),
                     this_process()))

        self.database.alone(act)

    def note(self, name: str, *, cycles: int, metrics: Mapping[str, float]) -> None:
        """How far it is, and what its last cycle measured; figures that are none are left out."""
        kept = {key[:200]: float(value) for key, value in list(metrics.items())[:_MOST_METRICS] if math.isfinite(value)}
        self._change(name, "UPDATE runs SET cycles = ?, metrics = ? WHERE id = ?", cycles, json.dumps(kept))

    def fail(self, name: str, *, when: float, reason: str) -> None:
        """It died and is begun again; a run that is not kept here counts all the same."""
        def act(connection: sqlite3.Connection) -> None:
            for table, key, value in (("totals", "name", "all"), ("runs", "id", name)):
                connection.execute(
                    f"UPDATE {table} SET restarts = restarts + 1, last_failure = max(last_failure, ?) WHERE {key} = ?",  # noqa: S608
                    (when, value))
            connection.execute("UPDATE runs SET reason = ? WHERE id = ?", (reason[:_MOST_TEXT], name))

        self.database.alone(act)

    def end(self, name: str, outcome: RunOutcome) -> None:
        """How it ended."""
        if outcome not in get_args(RunOutcome) or outcome in ("open", "crashed"):
            raise UsageError(f"outcome: {outcome!r} is not how a run ends (done, stopped or failed)", field="outcome")
        self._change(name, "UPDATE runs SET outcome = ?, ended = ?, holder = '' WHERE id = ?", outcome, _now())

    def all(self, *, owner: str | None = None, limit: int = 100) -> list[ScenarioRun]:
        """Newest first."""
        where, own = ("1", ()) if owner is None else ("owner = ?", (owner,))
        rows = self.database.do(lambda connection: connection.execute(
            f"SELECT {_COLUMNS} FROM runs WHERE {where} ORDER BY seq DESC LIMIT ?", (*own, limit)).fetchall())  # noqa: S608
        return [_run(row) for row in rows]

    def newest(self, *, owner: str | None = None) -> ScenarioRun | None:
        """The one that was begun last."""
        return next(iter(self.all(owner=owner, limit=1)), None)

    def get(self, name: str, *, owner: str | None = None) -> ScenarioRun:
        """One, by its id."""
        row = self.database.do(lambda connection: connection.execute(
            f"SELECT {_COLUMNS} FROM runs WHERE id = ?", (name,)).fetchone())  # noqa: S608 -- constants
        if row is None or owner not in (None, row[1]):
            raise NotFound("run: no run of that id", field="run")
        return _run(row)

    def counts(self) -> dict[str, int]:
        """How many there are of each outcome."""
        rows = self.database.do(lambda connection: connection.execute(
            "SELECT outcome, holder, count(*) FROM runs GROUP BY outcome, holder").fetchall())
        found: Counter[str] = Counter()
        for outcome, holder, count in rows:
            found[_outcome(outcome, holder)] += count
        return {name: found[name] for name in get_args(RunOutcome)}

    def recovery(self) -> Recovery:
        """Of all runs that there ever were."""
        restarts, last = self.database.do(lambda connection: connection.execute(
            "SELECT restarts, last_failure FROM totals WHERE name = 'all'").fetchone())
        return Recovery(restarts=int(restarts), last_failure=float(last))

    def close(self) -> None:
        """Let go of the file."""
        self.database.close()

    def _change(self, name: str, statement: str, *values: object) -> None:
        if not self.database.alone(lambda connection: connection.execute(statement, (*values, name)).rowcount):
            raise NotFound("run: no run of that id", field="run")


def _run(row: tuple[object, ...]) -> ScenarioRun:
    *values, holder = row
    named = dict(zip(_COLUMNS.split(", "), values, strict=False))
    return ScenarioRun(**named | {  # type: ignore[arg-type]  # the columns are of these kinds
        "seed": int(str(named["seed"])), "metrics": json.loads(str(named["metrics"])),
        "outcome": _outcome(str(named["outcome"]), str(holder))})


def _outcome(outcome: str, holder: str) -> str:
    return "crashed" if outcome == "open" and is_gone(holder) else outcome


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
