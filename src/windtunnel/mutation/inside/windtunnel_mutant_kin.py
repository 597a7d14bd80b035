"""Processes made of this one: kept apart from it, watched to their end, and swept away when they hide.

What holds: no process of the project can look into the one that decides or use its way out; one that kills its parent
kills a keeper; nothing is ever ended that did not come of this process, whoever else there is to be seen. What does not
hold: a program that kills every process it may, kills the one that decides too; the other side of the sandbox then
begins again without the mutants that were under way.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from typing import Callable, Collection, FrozenSet

PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 4, 36


class Kin:
    """Those that this process makes."""

    def __init__(self) -> None:
        """Whoever loses its parent below us comes to us, and nobody else's processes ever do."""
        _control(PR_SET_CHILD_SUBREAPER, 1)
        self.keepers: dict[int, int] = {}

    def kept(self, act: Callable[[], None]) -> int:
        """Do it in a copy that leads its own group, below a keeper; gives where its number and its end can be read."""
        read, write = os.pipe()
        try:
            keeper = os.fork()
        except OSError:
            os.close(read)
            os.close(write)
            raise
        if keeper == 0:
            os.close(read)
            with contextlib.suppress(BaseException):
                _keep(write, act)
            os._exit(1)
        os.close(write)
        self.keepers[keeper] = read
        self._reap()
        return read

    def _reap(self) -> None:
        for keeper in list(self.keepers):
            with contextlib.suppress(ChildProcessError):
                if os.waitpid(keeper, os.WNOHANG)[0] == 0:
                    continue
            del self.keepers[keeper]

    def sweep(self, groups: Collection[int]) -> None:
        """End all that came of this process and are neither keepers nor in one of these groups."""
        self._reap()
        for pid in _below(os.getpid()) - {*self.keepers}:
            with contextlib.suppress(OSError):
                if os.getpgid(pid) not in groups and pid not in groups:
                    os.kill(pid, signal.SIGKILL)
                    os.waitpid(pid, os.WNOHANG)  # of those that came to us, nobody else sees the end


def _keep(write: int, act: Callable[[], None]) -> None:
    pid = os.fork()
    if pid == 0:
        os.close(write)
        os.setpgid(0, 0)
        with contextlib.suppress(BaseException):
            act()
        os._exit(1)
    os.write(write, b"%d " % pid)
    _, status = os.waitpid(pid, 0)
    os.write(write, b"%d " % status)
    os._exit(0)


def become_hidden() -> None:
    """Let no other process look into this one, nor use what it has open."""
    _control(PR_SET_DUMPABLE, 0)


def become_plain() -> None:
    """As any process is: tests look into themselves."""
    _control(PR_SET_DUMPABLE, 1)


def _control(option: int, value: int) -> None:
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _below(top: int) -> FrozenSet[int]:
    """All processes that came of one, at whatever distance; its own is not among them."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                    parent = int(file.read().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(name))
    found: set[int] = set()
    waiting = [top]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in found:
                found.add(child)
                waiting.append(child)
    return frozenset(found)
