"""Histories as SQLite: our own tables, and those that the original wrote.

What holds: a file from elsewhere is opened for reading alone, and only tables of it are looked at, never a view. Rows,
the size of a value and the steps of a query are bounded, so that a computed column cannot run on.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.returns.history import MOST_CYCLES, VERSION, History, cycle_json, from_json, to_json

MAGIC = b"SQLite format 3\x00"
_MOST_VALUE_BYTES = 4 * 1024**2
_STEPS, _MOST_STEPS = 100_000, 1000
"""How often it is asked whether a reading runs on, in steps of SQLite's machine, and how often it may be."""
_SHAPE = ("CREATE TABLE cycles (at INTEGER PRIMARY KEY, time REAL, roi REAL, scenario TEXT, data TEXT)",
          "CREATE TABLE about (name TEXT PRIMARY KEY, data TEXT)", f"PRAGMA user_version = {VERSION}")
_ORIGINAL = {
    "roi_history": ("delta",), "module_deltas": ("module", "delta"), "predictions": ("pred", "actual"),
    "metrics_history": ("metric", "value"), "metric_predictions": ("metric", "pred", "actual"),
    "scenario_synergy": ("scenario", "data"), "scenario_deltas": ("scenario", "delta")}


def write(path: Path, history: History) -> None:
    """Into a file that is not there yet."""
    told = to_json(history)
    told.pop("cycles")
    try:
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
            for statement in ("PRAGMA synchronous = FULL", *_SHAPE, "BEGIN"):
                database.execute(statement)
            database.executemany("INSERT INTO about VALUES (?, ?)", ((name, json.dumps(part))
                                                                     for name, part in told.items()))
            database.executemany("INSERT INTO cycles VALUES (?, ?, ?, ?, ?)", (
                (at, cycle.time, cycle.roi, cycle.scenario, json.dumps(cycle_json(cycle)))
                for at, cycle in enumerate(history.cycles)))
            database.execute("COMMIT")
    except sqlite3.Error as error:
        raise SandboxFailure(f"{path}: cannot be written: {error}") from error


def read(path: Path) -> History:
    """Of our own tables or the original's."""
    with _reading(path) as database:
        names = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if {"cycles", "about"} <= names:
            return from_json({**{str(name): _json(data) for name, data in _rows(database, "about", ("name", "data"))},
                              "cycles": [_json(data) for (data,) in _rows(database, "cycles", ("data",), by="at")]})
        if not names & set(_ORIGINAL):
            raise UsageError("an SQLite file without the tables of a history (cycles or roi_history)", field="path")
        found = {table: _rows(database, table, columns, by="rowid") if table in names else []
                 for table, columns in _ORIGINAL.items()}
    return from_json(_as_dictionary(found))


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    try:
        with contextlib.closing(sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)) as database:
            database.execute("PRAGMA trusted_schema = OFF")
            database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_VALUE_BYTES)
            steps = itertools.count()
            database.set_progress_handler(lambda: next(steps) >= _MOST_STEPS, _STEPS)
            yield database
    except sqlite3.Error as error:
        raise UsageError(f"not a readable SQLite file: {str(error)[:200]}", field="path") from None


def _rows(database: sqlite3.Connection, table: str, columns: Sequence[str], *, by: str = "1") -> list[tuple[Any, ...]]:
    statement = f"SELECT {', '.join(columns)} FROM {table} ORDER BY {by} LIMIT {MOST_CYCLES + 1}"  # noqa: S608 -- names of ours
    found = database.execute(statement).fetchall()
    if len(found) > MOST_CYCLES:
        raise UsageError(f"{table}: more than {MOST_CYCLES} rows", field="path")
    return found


def _as_dictionary(found: dict[str, list[tuple[Any, ...]]]) -> dict[str, object]:
    """The tables as the original's dictionary."""
    foretold, came = (_grouped((metric, pair[at]) for metric, *pair in found["metric_predictions"]) for at in (0, 1))
    return {
        "roi_history": [delta for (delta,) in found["roi_history"]],
        "module_deltas": _grouped(found["module_deltas"]), "metrics_history": _grouped(found["metrics_history"]),
        "predicted_roi": [pair[0] for pair in found["predictions"]],
        "actual_roi": [pair[1] for pair in found["predictions"]],
        "predicted_metrics": foretold, "actual_metrics": came,
        "scenario_synergy": _grouped((name, _json(data)) for name, data in found["scenario_synergy"]),
        "scenario_roi_deltas": dict(found["scenario_deltas"])}


def _grouped(rows: Any) -> dict[str, list[Any]]:  # noqa: ANN401 -- pairs of a name and whatever the file holds
    made: dict[str, list[Any]] = {}
    for name, value in rows:
        made.setdefault(str(name), []).append(value)
    return made


def _json(data: object) -> Any:  # noqa: ANN401 -- whatever it says
    try:
        return json.loads(str(data))
    except (ValueError, RecursionError):
        raise UsageError(f"not JSON in a row: {str(data)[:60]!r}", field="path") from None
