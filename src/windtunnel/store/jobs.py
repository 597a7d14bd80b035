"""Long work as rows: who asked for it, how far it is, what came of it.

What holds: a job is found by its owner alone; when one has ended, its answer is on the disk before anybody is told. A
job whose process is gone is ``lost``, and never said to be still at work. At most ``MOST_JOBS`` of one owner are kept.
"""

from __future__ import annotations

import json
import os
import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, TypeAlias, get_args

from windtunnel.core.errors import NotFound
from windtunnel.core.randomness import fresh_id
from windtunnel.store.audit.process import is_gone, this_process
from windtunnel.store.database import Database, Shape

JobState: TypeAlias = Literal["working", "completed", "failed", "cancelled", "lost"]
MOST_JOBS = 1000
SHAPE = Shape(
    what="jobs", application=0x57544A42, elsewhere="or set WINDTUNNEL_STATE_DIR to another folder", migrations=((
        """CREATE TABLE jobs (seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, owner TEXT NOT NULL,
            tool TEXT NOT NULL, state TEXT NOT NULL, made TEXT NOT NULL, changed TEXT NOT NULL, process TEXT NOT NULL,
            note TEXT NOT NULL, answer TEXT NOT NULL)""",
        "CREATE INDEX jobs_by_owner ON jobs (owner, seq)",
        "CREATE INDEX jobs_by_state ON jobs (state)",
    ),))
_COLUMNS = "id, owner, tool, state, made, changed, note, answer"
_LOST = "the server that worked on it ended before it did; what it had done by then is in the audit log"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """One job as it is kept."""

    id: str
    owner: str
    tool: str
    state: JobState
    made: str
    changed: str
    note: str = ""
    answer: Any = None
    """The tool's answer, or why there is none, as JSON; none while it is at work."""

    @property
    def ended(self) -> bool:
        """Whether it will not change any more."""
        return self.state != "working"


class JobShelf:
    """One file of them; safe to use from many threads and processes."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Remember where; nothing is opened or made yet."""
        self.database = Database(path, SHAPE)

    def begin(self, owner: str, *, tool: str) -> JobRow:
        """A new one, at work."""
        now = _now()
        row = JobRow(id=fresh_id(), owner=owner, tool=tool, state="working", made=now, changed=now)

        def act(connection: sqlite3.Connection) -> None:
            connection.execute("INSERT INTO jobs (id, owner, tool, state, made, changed, process, note, answer) VALUES "
                               "(?, ?, ?, ?, ?, ?, ?, '', '')",
                               (row.id, owner, tool, row.state, now, now, this_process()))
            connection.execute("DELETE FROM jobs WHERE owner = ?1 AND state != 'working' AND seq <= (SELECT seq FROM "
                               "jobs WHERE owner = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2)", (owner, MOST_JOBS))

        self.database.alone(act)
        return row

    def end(self, name: str, state: JobState, *, answer: Any, note: str = "") -> None:  # noqa: ANN401 -- any JSON
        """How it ended; the first word on that counts."""
        self.database.alone(lambda connection: connection.execute(
            "UPDATE jobs SET state = ?, changed = ?, note = ?, answer = ? WHERE id = ? AND state = 'working'",
            (state, _now(), note[:1000], json.dumps(answer), name)))

    def get(self, owner: str, name: str) -> JobRow:
        """One of theirs."""
        row = self.database.do(lambda connection: connection.execute(
            f"SELECT {_COLUMNS} FROM jobs WHERE id = ? AND owner = ?", (name, owner)).fetchone())  # noqa: S608 -- constants
        if row is None:
            raise NotFound("job: no job of that id (GET /v1/jobs lists yours)", field="job")
        return _row(row)

    def all(self, owner: str, *, limit: int = 100) -> list[JobRow]:
        """Theirs, newest first."""
        return self.database.do(lambda connection: [_row(row) for row in connection.execute(
            f"SELECT {_COLUMNS} FROM jobs WHERE owner = ? ORDER BY seq DESC LIMIT ?", (owner, limit))])  # noqa: S608

    def find_lost(self) -> int:
        """Say of each whose process is gone that it is lost; how many."""
        def act(connection: sqlite3.Connection) -> int:
            gone = [name for name, process in connection.execute("SELECT id, process FROM jobs WHERE state = 'working'")
                    if is_gone(str(process))]
            for name in gone:
                connection.execute("UPDATE jobs SET state = 'lost', changed = ?, note = ? WHERE id = ?",
                                   (_now(), _LOST, name))
            return len(gone)

        return self.database.alone(act)

    def counts(self) -> dict[str, int]:
        """How many there are in each state."""
        found = self.database.do(lambda connection: dict(connection.execute(
            "SELECT state, count(*) FROM jobs GROUP BY state").fetchall()))
        return {state: int(found.get(state, 0)) for state in get_args(JobState)}

    def close(self) -> None:
        """Let go of the file."""
        self.database.close()


def _row(row: tuple[Any, ...]) -> JobRow:
    name, owner, tool, state, made, changed, note, answer = row
    return JobRow(id=name, owner=owner, tool=tool, state=state, made=made, changed=changed, note=note,
                  answer=json.loads(answer) if answer else None)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
