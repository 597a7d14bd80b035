"""The processes below one of ours, at the restricted level, where no namespace holds them together.

What holds: once we are made their reaper, orphans become our children, so ``end_tree`` ends all of them. What does
not hold: a process that leaves by our own death is its next reaper's to end.
"""

from __future__ import annotations

import os
import resource
import signal
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from windtunnel.sandbox.inside import kernel
else:
    import kernel


def wakeup() -> int:
    """A descriptor that becomes readable when a child ends or we are told to end."""
    reader, writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    return reader


def below(pid: int) -> list[int]:
    """All descendants that can be seen now."""
    found, pending = [], [pid]
    while pending:
        top = pending.pop()
        try:
            for task in os.listdir(f"/proc/{top}/task"):
                with open(f"/proc/{top}/task/{task}/children", "rb") as file:
                    children = [int(word) for word in file.read().split()]
                found += children
                pending += children
        except OSError:
            continue
    return found


def end_tree() -> None:
    """End every descendant; returns when there is none, because orphans become children of ours."""
    while True:
        for pid in below(os.getpid()):
            try:
                resource.prlimit(pid, resource.RLIMIT_NPROC, (0, 0))  # it cannot fork faster than we kill
            except OSError:
                pass  # refused to init by its filter; the killing must not wait for it
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.001)


def reap(pid: int) -> int | None:
    """Bury dead children; the wait status of the one asked for, once it is among them."""
    found = None
    try:
        while True:
            ended, status = os.waitpid(-1, os.WNOHANG)
            if not ended:
                return found
            if ended == pid:
                found = status
    except ChildProcessError:
        return found


def still_running() -> list[bytes]:
    """Names of the descendants, the already dead left out."""
    names = [kernel.living_name(pid) for pid in below(os.getpid())]
    return [name for name in names if name is not None]
