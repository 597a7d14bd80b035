"""How a run ended, by what the supervisor did and the kernel counted."""

from __future__ import annotations

import os
from dataclasses import replace

from windtunnel.core.limits import Limits
from windtunnel.core.result import TIMEOUT_EXIT, Reason, Usage
from windtunnel.spawn import Ending

EXIT = {Reason.TIMEOUT: TIMEOUT_EXIT, Reason.CPU_TIME: TIMEOUT_EXIT, Reason.CANCELLED: 130}
"""The exit codes of runs that we ended; any other has the program's own."""


def exit_code(status: int | None) -> int:
    """The exit code of a wait status, as a shell would tell it; 137 where there was nobody left to tell."""
    if status is None:
        return 137
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def reason(
    ending: Ending, *, code: int, met: Reason | None, full: bool, limits: Limits, cpu: float | None,
) -> Reason:
    """Why it ended: what the supervisor did or the kernel counted, never what the exit code pretends."""
    if ending.reason not in (Reason.EXITED, Reason.KILLED):
        return ending.reason
    if met is Reason.OUT_OF_MEMORY:
        return met
    if code and limits.cpu_seconds is not None and cpu is not None and cpu >= limits.cpu_seconds:
        return Reason.CPU_TIME
    if code and full:
        return Reason.OUT_OF_DISK
    if code and met is not None:
        return met
    return ending.reason


def at_least(usage: Usage, ending: Ending) -> Usage:
    """A meter that only looks now and then, corrected by what init counted of the dead."""
    return replace(usage, cpu_seconds=max(usage.cpu_seconds or 0.0, ending.cpu_seconds or 0.0),
                   memory_peak_bytes=max(usage.memory_peak_bytes or 0, ending.memory_peak_bytes or 0))
