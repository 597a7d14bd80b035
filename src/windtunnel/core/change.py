"""What is proposed: files made, changed or deleted, nothing applied yet."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Operation = Literal["create", "modify", "delete"]


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file as it should become."""

    relative_path: str
    """Below the project, with forward slashes."""
    operation: Operation
    new_content: str | bytes | None = None
    """The whole new content; text is written as UTF-8 with its line ends as given. None for a deletion."""
    mode: int | None = None
    """Permission bits of the new file: 0o644 or 0o755; None keeps the old ones."""

    @property
    def data(self) -> bytes:
        """The new content as bytes; empty for a deletion."""
        content = self.new_content
        return content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content or b""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeSet:
    """Changes that are applied together or not at all; at most one for each path."""

    changes: tuple[FileChange, ...]
    notes: tuple[str, ...] = ()
    """What the reading of a patch had to allow for: an offset, ignored blanks, a rename."""

    def __iter__(self) -> Iterator[FileChange]:
        """The changes, in order."""
        return iter(self.changes)

    def __len__(self) -> int:
        """How many files it touches."""
        return len(self.changes)

    @property
    def paths(self) -> frozenset[str]:
        """The files it touches."""
        return frozenset(change.relative_path for change in self.changes)

    def get(self, path: str) -> FileChange | None:
        """The change of one file, if it has one."""
        return next((change for change in self.changes if change.relative_path == path), None)

    def digest(self) -> str:
        """The same for change sets that leave the same files behind, however they were written down."""
        seen = hashlib.sha256()
        for change in sorted(self.changes, key=lambda change: change.relative_path):
            deleted = change.operation == "delete"
            for part in (change.relative_path.encode("utf-8", "surrogateescape"), b"-" if deleted else change.data,
                         b"%o" % (change.mode or 0), b"d" if deleted else b"f"):
                seen.update(b"%d:" % len(part))
                seen.update(part)
        return seen.hexdigest()
