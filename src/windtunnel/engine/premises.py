"""What trials, gates and runs of mutants begin with: a folder that may be tried in, limits, a change laid over it."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import replace

from windtunnel.core.change import ChangeSet
from windtunnel.core.errors import UsageError
from windtunnel.core.limits import GIB, Limits
from windtunnel.core.result import Artifact
from windtunnel.engine.check import check_workspace
from windtunnel.engine.limits import check_limits

_LEAST_OPEN_FILES = 128
TRIAL_LIMITS = Limits(
    wall_seconds=600.0, cores=float(os.cpu_count() or 1), memory_bytes=4 * GIB, processes=1024, disk_bytes=2 * GIB,
    files=200_000, open_files=4096, output_bytes=4 * 1024**2)
"""What each command of a trial gets where nobody asks for limits; lowered to the operator's caps."""


def overlay_of(changes: ChangeSet) -> dict[str, Artifact | None]:
    """A change set as a sandbox lays it over a project."""
    return {change.relative_path: None if change.operation == "delete" else
            Artifact(data=change.data, mode=change.mode) for change in changes}


def check_project(project: object, *, private: Sequence[str]) -> str:
    """A folder that may be tried in: no link, not the root or a home, nothing of our own."""
    try:
        found = check_workspace(project, private=private)  # type: ignore[arg-type]  # it refuses what is no path
    except UsageError as error:
        raise UsageError(str(error).replace("workspace:", "project:", 1), field="project") from None
    assert found is not None
    return found


def check_seconds(seconds: object) -> None:
    """A time there is: more than none, and not for ever."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 < seconds < math.inf:
        raise UsageError(f"seconds: not a number of seconds above 0: {seconds!r}"[:200], field="seconds")


def trial_limits(limits: Limits | None, *, caps: Limits) -> Limits:
    """As asked for; without a word, the usual ones within the caps."""
    if limits is not None:
        checked = check_limits(limits, caps=caps)
        if checked.open_files < _LEAST_OPEN_FILES:
            raise UsageError(f"open_files: a test runner needs at least {_LEAST_OPEN_FILES}", field="open_files")
        return checked
    lowered = {name: min(getattr(TRIAL_LIMITS, name), most) for name in Limits.__dataclass_fields__
               if (most := getattr(caps, name)) is not None and getattr(TRIAL_LIMITS, name) is not None}
    return check_limits(replace(TRIAL_LIMITS, **lowered), caps=caps)
