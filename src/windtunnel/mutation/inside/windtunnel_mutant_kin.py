"""Processes made of this one: kept apart from it, watched to their end, and swept away when they hide.

What holds: no process of the project can look into the one that decides or use its way out; one that kills its parent
kills a keeper. What does not hold: a program that kills every process it may, kills the one that decides too; the other
side of the sandbox then begins again without the mutants that were under way.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from typing import Callable, Collection, FrozenSet

PR_SET_DUMPABLE = 4


class Kin:
    """Those that this process makes."""

    def __init__(self) -> None:
        """All that is there now is not ours to end."""
        self.strangers = _processes()
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
        """End all processes that are neither older than this one, nor keepers, nor in one of these groups."""
        self._reap()
        spared = {*self.strangers, os.getpid(), *self.keepers}
        for pid in _processes() - spared:
            with contextlib.suppress(OSError):
                if os.getpgid(pid) not in groups and pid not in groups:
                    os.kill(pid, signal.SIGKILL)


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
    _set_dumpable(0)


def become_plain() -> None:
    """As any process is: tests look into themselves."""
    _set_dumpable(1)


def _set_dumpable(value: int) -> None:
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, value, 0, 0, 0)


def _processes() -> FrozenSet[int]:
    try:
        return frozenset(int(name) for name in os.listdir("/proc") if name.isdigit())
    except OSError:
        return frozenset()
