"""Which workspaces there are, and whose; their files are elsewhere.

What holds: an id is known to its owner alone; to anybody else it is one that there is none of.
"""

from __future__ import annotations

import os
import sqlite3
from datetime import UTC, datetime

from windtunnel.core.errors import NotFound, UsageError
from windtunnel.core.workspace import Snapshot, Workspace
from windtunnel.store.database import Database, Shape

SHAPE = Shape(
    what="list of workspaces", application=0x57545753, elsewhere="or set WINDTUNNEL_STATE_DIR to another folder",
    migrations=((
        """CREATE TABLE workspaces (id TEXT PRIMARY KEY, owner TEXT NOT NULL, name TEXT NOT NULL, origin TEXT NOT NULL,
            source TEXT NOT NULL, git_commit TEXT NOT NULL, made REAL NOT NULL, used REAL NOT NULL,
            idle_seconds REAL NOT NULL, life_seconds REAL NOT NULL)""",
        "CREATE UNIQUE INDEX workspaces_by_name ON workspaces (owner, name)",
        """CREATE TABLE snapshots (workspace TEXT NOT NULL, name TEXT NOT NULL, made REAL NOT NULL,
            files INTEGER NOT NULL, PRIMARY KEY (workspace, name))""",
    ),))
_SELECT = """SELECT id, owner, name, origin, source, git_commit, made, used, idle_seconds, life_seconds
    FROM workspaces"""


class WorkspaceList:
    """All workspaces of one state folder; safe to use from many threads and processes."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Remember where; nothing is opened or made yet."""
        self.database = Database(path, SHAPE)

    def add(self, made: Workspace) -> None:
        """A new one; refused where its owner has one of that name."""
        row = (made.id, made.owner, made.name, made.origin, made.source, made.commit, made.made.timestamp(),
               made.used.timestamp(), made.idle_seconds, made.life_seconds)
        try:
            self.database.alone(lambda connection: connection.execute(
                "INSERT INTO workspaces VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row))
        except sqlite3.IntegrityError:
            raise UsageError(f"name: you have a workspace named {made.name!r} already", field="name") from None

    def get(self, name: str, *, owner: str) -> Workspace:
        """One by its id or name."""
        def act(connection: sqlite3.Connection) -> Workspace | None:
            row = connection.execute(f"{_SELECT} WHERE owner = ? AND (id = ? OR name = ?) ORDER BY id = ? DESC",
                                     (owner, name, name, name)).fetchone()
            return None if row is None else _workspace(connection, row)

        found = self.database.do(act) if isinstance(name, str) else None
        if found is None:
            raise NotFound(f"workspace: none is named {name!r:.80} (windtunnel workspaces lists them)",
                           field="workspace")
        return found

    def all(self, *, owner: str | None = None) -> tuple[Workspace, ...]:
        """Oldest first; of one owner, or of everybody."""
        where, values = ("WHERE owner = ?", (owner,)) if owner is not None else ("", ())
        return self.database.do(lambda connection: tuple(
            _workspace(connection, row)
            for row in connection.execute(f"{_SELECT} {where} ORDER BY made, id", values).fetchall()))

    def touch(self, workspace: str) -> None:
        """It was used now."""
        now = datetime.now(UTC).timestamp()
        self.database.do(lambda connection: connection.execute(
            "UPDATE workspaces SET used = max(used, ?) WHERE id = ?", (now, workspace)))

    def add_snapshot(self, workspace: str, snapshot: Snapshot) -> None:
        """One more."""
        self.database.do(lambda connection: connection.execute(
            "INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?)",
            (workspace, snapshot.name, snapshot.made.timestamp(), snapshot.files)))

    def remove(self, workspace: str) -> None:
        """Forget it."""
        def act(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM snapshots WHERE workspace = ?", (workspace,))
            connection.execute("DELETE FROM workspaces WHERE id = ?", (workspace,))

        self.database.alone(act)

    def close(self) -> None:
        """Let go of the file."""
        self.database.close()


def _workspace(connection: sqlite3.Connection, row: tuple[object, ...]) -> Workspace:
    id_, owner, name, origin, source, commit, made, used, idle, life = row
    kept = connection.execute("SELECT name, made, files FROM snapshots WHERE workspace = ? ORDER BY made", (id_,))
    return Workspace(
        id=str(id_), owner=str(owner), name=str(name), origin=str(origin),  # type: ignore[arg-type]  # as it was written
        source=str(source), commit=str(commit), made=_time(made), used=_time(used), idle_seconds=float(str(idle)),
        life_seconds=float(str(life)),
        snapshots=tuple(Snapshot(name=str(one), made=_time(at), files=int(files)) for one, at, files in kept))


def _time(stamp: object) -> datetime:
    return datetime.fromtimestamp(float(str(stamp)), UTC)
