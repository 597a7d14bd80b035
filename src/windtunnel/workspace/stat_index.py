"""What files looked like from outside when they were last hashed."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

_VERSION = 1
_COARSE_NS, _FINE_NS, _SECOND_NS = 2_000_000_000, 20_000_000, 1_000_000_000


class Rows(dict[str, list[Any]]):
    """Files of one folder: hash, size, time of change of content and of anything, inode, mode."""


class StatIndex:
    """One file for one project. It is ours to believe or to throw away: what cannot be read is as good as empty."""

    def __init__(self, project: str, *, stamp: int = 0, folders: dict[str, Rows] | None = None) -> None:
        """``stamp`` is when the hashing of the old rows began, in nanoseconds."""
        self.project, self.stamp = project, stamp
        self.changed = False
        self._old = folders or {}
        self._new: dict[str, Rows] = {}
        self._began = 0

    @classmethod
    def load(cls, path: Path | None, project: str) -> Self:
        """The index as it was saved for this project, or an empty one."""
        try:
            told = json.loads(path.read_bytes()) if path else {}
            if told["version"] == _VERSION and told["project"] == project:
                return cls(project, stamp=int(told["stamp"]), folders=dict(told["folders"]))
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            pass
        return cls(project)

    def begin(self, now: int) -> None:
        """Start a walk."""
        self._began = now

    def rows(self, folder: str) -> Rows:
        """What is known of a folder's files."""
        found = self._old.get(folder)
        return found if isinstance(found, dict) else Rows()

    def is_racy(self, changed: int) -> bool:
        """Whether a file that last changed then could have changed again, unseen, after it was hashed.

        Kernel clocks tick every few milliseconds, so two changes can carry one time; a file system that keeps whole
        seconds needs more. The time of change of anything is compared, which no program can set.
        """
        slack = _COARSE_NS if changed % _SECOND_NS == 0 else _FINE_NS
        return changed + slack >= self.stamp

    def keep(self, folder: str, rows: Rows) -> None:
        """Note a folder's files for the next time."""
        if rows:
            self._new[folder] = rows

    def files(self) -> Iterator[tuple[str, str, int]]:
        """Path, hash and size of every file that the last walk hashed or knew."""
        for folder, rows in self._new.items():
            for name, row in rows.items():
                yield f"{folder}/{name}" if folder else name, str(row[0]), int(row[1])

    def save(self, path: Path) -> str | None:
        """Write it down if anything changed, for this user alone and in one step; a sentence when that failed."""
        if not self.changed and self._old.keys() == self._new.keys():
            return None
        told = {"version": _VERSION, "project": self.project, "stamp": self._began, "folders": self._new}
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
            try:
                with os.fdopen(descriptor, "w", encoding="ascii") as file:
                    file.write(json.dumps(told, separators=(",", ":")))  # far faster than dump
                Path(name).replace(path)
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise
        except OSError as error:
            return f"{path}: the index was not kept: {error.strerror}"
        return None
