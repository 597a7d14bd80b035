"""Papers: receipts and whole answers, kept for those whose they are.

What holds: a paper is found by its owner alone; anybody else gets the answer of one that is not there. At most
``MOST_PAPERS`` and ``MOST_BYTES`` of one owner are kept, the oldest goes first.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Literal, TypeAlias, TypeVar

from windtunnel.store.database import Database, Shape, transaction

Kind: TypeAlias = Literal["receipt", "report"]
_Answer = TypeVar("_Answer")
MOST_PAPERS = 500
MOST_BYTES = 64 * 1024**2
SHAPE = Shape(
    what="papers", application=0x57545050, elsewhere="or set WINDTUNNEL_STATE_DIR to another folder", migrations=((
        """CREATE TABLE papers (seq INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, kind TEXT NOT NULL,
            name TEXT NOT NULL, made TEXT NOT NULL, bytes INTEGER NOT NULL, text TEXT NOT NULL)""",
        "CREATE UNIQUE INDEX papers_by_name ON papers (owner, kind, name)",
    ),))
_TOO_MANY = """DELETE FROM papers WHERE owner = ?1 AND seq IN (SELECT seq FROM (SELECT seq, row_number() OVER newest AS
    place, sum(bytes) OVER newest AS total FROM papers WHERE owner = ?1 WINDOW newest AS (ORDER BY seq DESC))
    WHERE place > ?2 OR (place > 1 AND total > ?3))"""


class Papers:
    """One file of them."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Remember where; nothing is opened or made yet."""
        self.database = Database(path, SHAPE)

    def keep(self, owner: str, *, kind: Kind, name: str, text: str) -> None:
        """Keep one, in the place of one with the same name."""
        clean = text.encode("utf-8", "backslashreplace").decode()
        row = (owner, kind, name, datetime.now(UTC).isoformat(timespec="seconds"), len(clean.encode()), clean)

        def act(connection: sqlite3.Connection) -> None:
            with transaction(connection):
                connection.execute("INSERT OR REPLACE INTO papers (owner, kind, name, made, bytes, text) "
                                   "VALUES (?, ?, ?, ?, ?, ?)", row)
                connection.execute(_TOO_MANY, (owner, MOST_PAPERS, MOST_BYTES))

        self._do(act)

    def get(self, owner: str, *, kind: Kind, name: str) -> str | None:
        """One of theirs; None where there is none."""
        query = "SELECT text FROM papers WHERE owner = ? AND kind = ? AND name = ?"
        found = self._do(lambda connection: connection.execute(query, (owner, kind, name)).fetchone())
        return None if found is None else str(found[0])

    def names(self, owner: str, *, kind: Kind, limit: int = 100) -> list[tuple[str, str]]:
        """Name and time of theirs, newest first."""
        query = "SELECT name, made FROM papers WHERE owner = ? AND kind = ? ORDER BY seq DESC LIMIT ?"
        return self._do(lambda connection: [(str(name), str(made)) for name, made in connection.execute(
            query, (owner, kind, limit))])

    def close(self) -> None:
        """Let go of the file."""
        self.database.close()

    def _do(self, act: Callable[[sqlite3.Connection], _Answer]) -> _Answer:
        return self.database.do(act)
