"""Which process began an act, so that a later one can tell whether it is still there."""

from __future__ import annotations

import functools
import os
from pathlib import Path

_START = 19
"""The place of the start time in ``/proc/PID/stat``, counted after the name, which may hold anything."""


def this_process() -> str:
    """This process, told from all others of this machine since it was switched on."""
    return f"{_machine()} {os.getpid()} {_started(os.getpid())}"


def is_gone(told: str) -> bool:
    """Whether the process is certainly not there any more; one of another machine or container cannot be judged."""
    machine, _, rest = told.rpartition(" ")[0].rpartition(" ")
    started = told.rpartition(" ")[2]
    if machine == _machine():
        return not rest.isdecimal() or str(_started(int(rest))) != started
    # After a restart of the same machine none of its processes is there.
    return machine.split(" ")[0] == _machine().split(" ")[0] and machine != _machine()


@functools.cache
def _machine() -> str:
    """The machine, its namespace of processes, and which time it was switched on."""
    try:
        name = Path("/etc/machine-id").read_text().strip()[:64] or "-"
    except OSError:
        name = "-"
    space = Path("/proc/self/ns/pid").stat().st_ino
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return f"{name}/{space} {boot}"


def _started(pid: int) -> int | None:
    """When it was started, in ticks since the machine was; None where there is none."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[_START])
    except (OSError, ValueError, IndexError):
        return None
