"""The host's process table: finding, looking at and ending the processes of an attack by their token."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress
from pathlib import Path

_POLL_SECONDS = 0.01


def marked(token: str) -> dict[int, str]:
    """Living processes whose name begins with the token, as seen from the host; zombies are not alive."""
    found = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit() and (name := _living_name(entry.name)) is not None and name.startswith(token):
            found[int(entry.name)] = name
    return found


def _living_name(pid: str) -> str | None:
    try:
        stat = Path("/proc", pid, "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    name, state = stat[stat.index("(") + 1 : stat.rindex(")")], stat[stat.rindex(")") + 2]
    return None if state in "ZX" else name


def await_held(token: str, stop: threading.Event) -> int | None:
    """The process that holds still to be looked at; None when the run ended without one."""
    while not stop.wait(_POLL_SECONDS):
        for pid, name in marked(token).items():
            if name.endswith("+"):
                return pid
    return None


def end(token: str) -> None:
    """End every process of the attack, and no other: the name is read again through a held pidfd's pid."""
    for pid in marked(token):
        with suppress(OSError):
            _end_one(pid, token)


def _end_one(pid: int, token: str) -> None:
    handle = os.pidfd_open(pid)
    try:
        if (_living_name(str(pid)) or "").startswith(token):
            signal.pidfd_send_signal(handle, signal.SIGKILL)
    finally:
        os.close(handle)
