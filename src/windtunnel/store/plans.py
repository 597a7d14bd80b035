"""Plans and how far their executions got, in one SQLite file.

What holds: when a call has returned, its change is on the disk, so that an execution that was killed goes on where it
stopped. Of two processes that want to work on one execution, one gets it. Everybody sees only what is their own.
Outputs are bounded, and the oldest plans are forgotten beyond a number. What does not hold: whoever may write the file
may change what a plan does; its digest is checked when it is read, and its approval is bound to that.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime

from windtunnel.core.errors import NotFound, SandboxFailure
from windtunnel.core.plan import PlanRun, TaskPlan, TaskState, plain_plan
from windtunnel.core.randomness import fresh_id
from windtunnel.core.revive import revive
from windtunnel.store.audit.process import is_gone, this_process
from windtunnel.store.database import Database, Shape

MOST_OUTPUT = 64 * 1024
"""Letters kept of what one task printed: its head and its tail."""
_MOST_PLANS = 1000
"""Of one owner; the oldest are forgotten, with their executions."""
_LEAST_NAME = 4
SHAPE = Shape(
    what="list of plans", application=0x5754504C, elsewhere="or set WINDTUNNEL_STATE_DIR to another folder",
    synchronous="FULL", migrations=((
        """CREATE TABLE plans (owner TEXT NOT NULL, id TEXT NOT NULL, made TEXT NOT NULL, told TEXT NOT NULL,
            PRIMARY KEY (owner, id))""",
        """CREATE TABLE runs (id TEXT PRIMARY KEY, seq INTEGER NOT NULL, owner TEXT NOT NULL, plan TEXT NOT NULL,
            workspace TEXT NOT NULL, outcome TEXT NOT NULL, begun TEXT NOT NULL, ended TEXT NOT NULL,
            approved INTEGER NOT NULL, cancel INTEGER NOT NULL, holder TEXT NOT NULL)""",
        "CREATE INDEX runs_by_plan ON runs (owner, plan)",
        "CREATE TABLE tasks (run TEXT NOT NULL, task TEXT NOT NULL, state TEXT NOT NULL, PRIMARY KEY (run, task))",
    ),))
_RUN = "SELECT id, plan, workspace, outcome, begun, ended, approved, holder FROM runs"


class PlanStore:
    """The plans of one user's state; safe to use from many threads and processes."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Remember where; nothing is opened or made yet."""
        self.database = Database(path, SHAPE)

    def put(self, plan: TaskPlan, *, owner: str) -> None:
        """Keep a plan; the same one again takes the place of itself."""
        told = json.dumps({"digest": plan.digest, "plan": plain_plan(plan)})

        def act(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT OR REPLACE INTO plans VALUES (?, ?, ?, ?)", (owner, plan.id, _now(), told))
            _forget(connection, owner)

        self.database.alone(act)

    def get(self, name: str, *, owner: str) -> tuple[str, Mapping[str, object]]:
        """The digest and the JSON of one's own plan whose id begins so."""
        def act(connection: sqlite3.Connection) -> list[tuple[str]]:
            query = "SELECT told FROM plans WHERE owner = ? AND substr(id, 1, ?) = ?"
            return connection.execute(query, (owner, len(name), name)).fetchmany(2)

        found = self.database.alone(act) if len(name) >= _LEAST_NAME else []
        if len(found) != 1:
            many = "more than one plan begins" if found else "there is no plan that begins"
            raise NotFound(f"plan: {many} with {name[:40]!r} (windtunnel plans)", field="plan")
        told = json.loads(found[0][0])
        return told["digest"], told["plan"]

    def all(self, *, owner: str, most: int = 100) -> list[tuple[str, Mapping[str, object]]]:
        """When they were made and their JSON, newest first."""
        rows = self.database.alone(lambda connection: connection.execute(
            "SELECT made, told FROM plans WHERE owner = ? ORDER BY made DESC, id LIMIT ?", (owner, most)).fetchall())
        return [(str(made), json.loads(told)["plan"]) for made, told in rows]

    def begin(self, plan: str, *, owner: str, workspace: str, approved: bool) -> PlanRun:
        """A new execution, held by this process."""
        run = PlanRun(id=fresh_id(), plan=plan, workspace=workspace, outcome="open", begun=_now(), approved=approved)
        self.database.alone(lambda connection: connection.execute(
            """INSERT INTO runs VALUES (?, (SELECT coalesce(max(seq), 0) + 1 FROM runs), ?, ?, ?, 'open', ?, '', ?, 0,
               ?)""", (run.id, owner, plan, workspace, run.begun, int(approved), this_process())))
        return run

    def latest(self, plan: str, *, owner: str) -> PlanRun | None:
        """The newest execution of a plan."""
        return next(iter(self.runs(plan, owner=owner)), None)

    def runs(self, plan: str, *, owner: str) -> list[PlanRun]:
        """Executions of a plan, newest first."""
        return [_run(row) for row in self.database.alone(lambda connection: connection.execute(
            f"{_RUN} WHERE owner = ? AND plan = ? ORDER BY seq DESC", (owner, plan)).fetchall())]

    def claim(self, run: str) -> bool:
        """Work on it from now on, unless somebody does; a wish to cancel it is over then."""
        def act(connection: sqlite3.Connection) -> bool:
            (holder,) = connection.execute("SELECT holder FROM runs WHERE id = ?", (run,)).fetchone()
            if holder and not is_gone(holder):
                return False
            connection.execute("UPDATE runs SET holder = ?, cancel = 0, outcome = 'open', ended = '' WHERE id = ?",
                               (this_process(), run))
            return True

        return self.database.alone(act)

    def release(self, run: str, outcome: str) -> None:
        """Work on it no longer."""
        self.database.alone(lambda connection: connection.execute(
            "UPDATE runs SET holder = '', outcome = ?, ended = ? WHERE id = ?",
            (outcome, "" if outcome == "open" else _now(), run)))

    def cancel(self, run: str) -> None:
        """Have whoever works on it stop."""
        self.database.alone(lambda connection: connection.execute("UPDATE runs SET cancel = 1 WHERE id = ?", (run,)))

    def is_cancelled(self, run: str) -> bool:
        """Whether somebody wants it stopped."""
        found = self.database.do(lambda connection: connection.execute(
            "SELECT cancel FROM runs WHERE id = ?", (run,)).fetchone())
        return bool(found and found[0])

    def note(self, run: str, task: str, state: TaskState) -> None:
        """How a task stands; the last word counts."""
        told = json.dumps(asdict(state))
        self.database.alone(lambda connection: connection.execute(
            "INSERT OR REPLACE INTO tasks VALUES (?, ?, ?)", (run, task, told)))

    def states(self, run: str) -> dict[str, TaskState]:
        """How the tasks of an execution stand, of those that were begun or skipped."""
        rows = self.database.alone(lambda connection: connection.execute(
            "SELECT task, state FROM tasks WHERE run = ?", (run,)).fetchall())
        try:
            return {task: revive(TaskState, json.loads(told)) for task, told in rows}
        except ValueError as error:
            raise SandboxFailure(f"{self.database.path}: a state of the execution {run} cannot be read: {error}"
                                 ) from error

    def close(self) -> None:
        """Let go of the file."""
        self.database.close()


def _run(row: tuple[object, ...]) -> PlanRun:
    id_, plan, workspace, outcome, begun, ended, approved, holder = row
    return PlanRun(id=str(id_), plan=str(plan), workspace=str(workspace), outcome=str(outcome), begun=str(begun),
                   ended=str(ended), approved=bool(approved), running=bool(holder) and not is_gone(str(holder)))


def _forget(connection: sqlite3.Connection, owner: str) -> None:
    old = connection.execute("SELECT id FROM plans WHERE owner = ? ORDER BY made DESC, id LIMIT -1 OFFSET ?",
                             (owner, _MOST_PLANS)).fetchall()
    for (plan,) in old:
        connection.execute("DELETE FROM tasks WHERE run IN (SELECT id FROM runs WHERE owner = ? AND plan = ?)",
                           (owner, plan))
        connection.execute("DELETE FROM runs WHERE owner = ? AND plan = ?", (owner, plan))
        connection.execute("DELETE FROM plans WHERE owner = ? AND id = ?", (owner, plan))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
