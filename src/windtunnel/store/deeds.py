"""How the history keeps trials and what came of them: a table beside that of the runs, in the same file."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from datetime import UTC, datetime

from windtunnel.core.deed import Deed

MOST_DEEDS = 50_000
"""The oldest beyond these is forgotten with each new one."""
COLUMNS = ("id", "timestamp", "verb", "project", "verdict", "change", "level", "execution_time", "part_of", "counts",
           "reasons")
TABLE = (
    """CREATE TABLE deeds (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, timestamp TEXT NOT NULL, verb TEXT NOT NULL,
        project TEXT NOT NULL, verdict TEXT NOT NULL, change TEXT NOT NULL, level TEXT NOT NULL, execution_time REAL,
        part_of TEXT NOT NULL, counts TEXT NOT NULL, reasons TEXT NOT NULL)""",
    "CREATE INDEX deeds_by_time ON deeds (timestamp)",
    f"""CREATE TRIGGER deeds_bounded AFTER INSERT ON deeds
        BEGIN DELETE FROM deeds WHERE seq <= NEW.seq - {MOST_DEEDS}; END""",  # noqa: S608 -- a constant of this file
)
_INSERT = f"INSERT INTO deeds ({', '.join(COLUMNS)}, owner) VALUES ({'?, ' * len(COLUMNS)}?)"  # noqa: S608 -- constants
SELECT = f"SELECT seq, {', '.join(COLUMNS)} FROM deeds"  # noqa: S608 -- constants of this file


def put(connection: sqlite3.Connection, deed: Deed, *, owner: str = "") -> None:
    """Store one."""
    connection.execute(_INSERT, (
        text(deed.id), stamp(deed.timestamp), deed.verb, text(deed.project), text(deed.verdict), text(deed.change),
        text(deed.level), deed.execution_time, text(deed.part_of), json.dumps(dict(deed.counts)),
        json.dumps(list(deed.reasons)), text(owner)))


def record(row: tuple[object, ...]) -> Mapping[str, object]:
    """One as plain JSON."""
    found = dict(zip(COLUMNS, row[1:], strict=True))
    return found | {name: json.loads(str(found[name])) for name in ("counts", "reasons")}


def text(value: str) -> str:
    """Without lone surrogates, which SQLite cannot hold."""
    return value.encode("utf-8", "backslashreplace").decode()


def stamp(moment: datetime) -> str:
    """UTC and always of the same length, so that the order of the texts is the order of time."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")
