"""Workflows of a database, and the program that runs their steps inside a sandbox.

The database is an SQLite file with a table ``workflows`` (``id``, ``workflow``, ``title``, ``task_sequence``). It is
hostile input: a copy of it is read, with nothing in it trusted to run, within bounds of size, rows and time.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from windtunnel.core.errors import NotFound, UsageError
from windtunnel.metrics.steps import Step, split_steps, step

REPORT = "windtunnel-workflow"
"""Below /tmp inside the sandbox, to be collected."""
_MOST_BYTES = 64 * 1024 * 1024
_MOST_TEXT = 1_000_000
_MOST_WORKFLOWS = 1000
_MOST_STEPS = 200
_INSTRUCTIONS = 1_000_000
_MOST_TICKS = 100
_WANTED = ("id", "title", "workflow", "task_sequence")


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow:
    """Steps to be run one after the other."""

    id: int
    title: str
    steps: tuple[str, ...]
    """Each ``module:function``, ``module.function`` or a Python statement."""

    @property
    def module(self) -> str:
        """The name under which its figures are kept."""
        return f"workflow_{self.id}"


ALL = "all_workflows"
"""The name under which the figures of all of them combined are kept."""


def read_workflows(database: Path) -> tuple[Workflow, ...]:
    """All that have steps, by id; the file and its folder are left as they are."""
    with tempfile.TemporaryDirectory(prefix="windtunnel-") as folder:
        rows = _rows(_copy(database, Path(folder)))
    return tuple(found for row in rows if (found := _workflow(row)).steps)


def _copy(database: Path, folder: Path) -> Path:
    """With its log of writes, so that what was committed last is in it."""
    for path in (database, database.with_name(f"{database.name}-wal")):
        try:
            facts = path.stat()
        except OSError as error:
            if path == database:
                raise NotFound(f"workflows: {database.name!r} cannot be read: {error.strerror}",
                               field="workflows") from None
            continue
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > _MOST_BYTES:
            raise UsageError(f"workflows: {path.name!r} is no file of at most {_MOST_BYTES // 1024**2} MiB",
                             field="workflows")
        shutil.copyfile(path, folder / path.name)
    return folder / database.name


def _rows(database: Path) -> list[dict[str, Any]]:
    try:
        connection = sqlite3.connect(database, isolation_level=None)
    except sqlite3.Error as error:
        raise _unreadable(error) from None
    try:
        _distrust(connection)
        chosen = ", ".join(f"substr({name}, 1, {_MOST_TEXT}) AS {name}" for name in _columns(connection))
        found = connection.execute(f"SELECT {chosen} FROM main.workflows ORDER BY id LIMIT {_MOST_WORKFLOWS + 1}")  # noqa: S608 -- names of ours
        names = [column[0] for column in found.description]
        rows = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
    except (sqlite3.Error, OverflowError) as error:
        raise _unreadable(error) from None
    finally:
        connection.close()
    if len(rows) > _MOST_WORKFLOWS:
        raise UsageError(f"workflows: more than {_MOST_WORKFLOWS} of them", field="workflows")
    return rows


def _unreadable(error: Exception) -> UsageError:
    return UsageError(f"workflows: not a database of workflows that can be read ({str(error)[:200]}); an SQLite file "
                      "with a table workflows(id, workflow, title) would do", field="workflows")


def _distrust(connection: sqlite3.Connection) -> None:
    """Nothing in the file's schema gets to run code or to take for ever."""
    ticks = iter(range(_MOST_TICKS))
    connection.set_progress_handler(lambda: int(next(ticks, None) is None), _INSTRUCTIONS)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 4 * _MOST_TEXT)
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA query_only = ON")


def _columns(connection: sqlite3.Connection) -> list[str]:
    """Those of ours that the table has; a view is not taken for a table, since it computes what it likes."""
    kinds = connection.execute("SELECT type FROM main.sqlite_master WHERE name = 'workflows'").fetchall()
    if kinds != [("table",)]:
        raise sqlite3.DatabaseError("there is no table workflows")
    there = {row[1] for row in connection.execute("PRAGMA main.table_info(workflows)")}
    if not {"id", "workflow"} <= there:
        raise sqlite3.DatabaseError("the table workflows has no id or no workflow")
    return [name for name in _WANTED if name in there]


def _workflow(row: Mapping[str, Any]) -> Workflow:
    text = str(row["workflow"] or row.get("task_sequence") or "")
    if not str(row["id"]).isdecimal():
        raise UsageError(f"workflows: {str(row['id'])[:50]!r} is no id (a whole number is)", field="workflows")
    steps = split_steps(text)
    if len(steps) > _MOST_STEPS:
        raise UsageError(f"workflows: workflow {row['id']} has more than {_MOST_STEPS} steps", field="workflows")
    return Workflow(id=int(row["id"]), title=str(row.get("title") or "")[:200], steps=steps)


def program(
    workflows: Sequence[Workflow], *, faults: Mapping[str, object] | None = None, step_seconds: float = 10.0,
    total_seconds: float = 60.0, roots: Sequence[str] = (".", "src"),
) -> bytes:
    """Python that runs the steps of one workflow, or of several one after the other, and leaves a report to collect.

    ``faults`` is what ``windtunnel_faults.begin`` takes, whose files must then lie beside the program; they begin anew
    with each step. ``roots`` are folders of the project to import from, seen from where the program starts.
    """
    source = resources.files("windtunnel.metrics").joinpath("inside/windtunnel_workflow.py").read_bytes()
    plan = {
        "steps": [_planned(one, step(text), number) for one in workflows for number, text in enumerate(one.steps)],
        "faults": dict(faults or {}), "step_seconds": step_seconds, "total_seconds": total_seconds,
        "roots": list(roots), "report": f"/tmp/{REPORT}"}  # noqa: S108 -- inside the sandbox
    return source + f"\n\nmain(json.loads({json.dumps(plan)!r}))\n".encode()


def _planned(workflow: Workflow, parsed: Step, number: int) -> dict[str, object]:
    return {"workflow": workflow.id, "number": number, "kind": parsed.kind, "text": parsed.text,
            "module": parsed.module, "function": parsed.function, "reason": parsed.reason}
