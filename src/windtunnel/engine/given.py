"""What callers give to verbs on changes, as ours; anything else is refused by name."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.core.errors import UsageError

if TYPE_CHECKING:
    from windtunnel.engine.trial import Trial

Project = str | os.PathLike[str]
Changes = ChangeSet | Sequence[FileChange]


def trial_of(project: Project, changes: Changes, options: Mapping[str, Any]) -> Trial:
    """A trial with these options, which are its fields."""
    from windtunnel.engine.trial import Trial  # noqa: PLC0415 -- who only runs programs does not load it

    check_options(options, Trial.__dataclass_fields__.keys() - {"project", "changes"}, what="a trial", see="Trial")
    check_project_name(project)
    return Trial(project=project, changes=changes, **options)


def changes_of(given: Changes) -> ChangeSet:
    """A list of changes as one set."""
    if isinstance(given, ChangeSet):
        return given
    try:
        return ChangeSet(changes=tuple(given))
    except TypeError:
        raise UsageError(f"changes: not a list of FileChange: {type(given).__name__}", field="changes") from None


def check_options(options: Mapping[str, Any], known: set[str], *, what: str, see: str) -> None:
    """Refuse an option that there is none of."""
    for name in options.keys() - known:
        raise UsageError(f"{name}: not an option of {what} (see {see} for those there are)", field=name)


def check_project_name(project: object) -> None:
    """Refuse what names no folder."""
    if not isinstance(project, str | os.PathLike):
        raise UsageError(f"project: not a path: {type(project).__name__}", field="project")
