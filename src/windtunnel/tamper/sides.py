"""A project before and after a change, read one file at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from windtunnel.core.change import ChangeSet

Read = Callable[[str], bytes | None]
"""The content of a file of the project, by relative path; None where there is none."""


@dataclass(frozen=True, slots=True)
class Sides:
    """Both sides of a change."""

    before: Read
    after: Read
    """The project with the change applied."""

    @classmethod
    def of(cls, changes: ChangeSet, *, before: Read) -> Sides:
        """The sides that a change set makes of a project."""
        new = {change.relative_path: None if change.operation == "delete" else change.data for change in changes}
        return cls(before=before, after=lambda path: new[path] if path in new else before(path))
