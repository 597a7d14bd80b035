"""What is seen of a run in a container besides its answer, and how much of it can be seen at all.

Refused calls and addresses come from the listener of the starter's own filter, processes left over from the host's
/proc while the starter waits for our word to end. What does not hold: a program that ends its starter by ``SIGKILL``
ends with it, and what it leaves is not looked at; of a runtime with a kernel of its own the host sees files alone.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import platform
from collections.abc import Callable
from dataclasses import dataclass

from windtunnel.core.effects import BlockedCall, NetworkAttempt
from windtunnel.sandbox import seccomp
from windtunnel.sandbox.container.door import Starter
from windtunnel.sandbox.container.starter import program
from windtunnel.sandbox.meter import tree
from windtunnel.sandbox.watch import Watcher

_OWN_KERNELS = ("runsc", "kata", "krun")
_MOST_LEFT = 16


def own_kernel(runtime: str) -> bool:
    """Whether a runtime does not hand a program's calls to the host's kernel, and so not to our filters either."""
    return any(name in runtime.rpartition("/")[2] for name in _OWN_KERNELS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """How much of a run can be seen from outside."""

    processes: bool
    """Whether the starter can come to us, and its processes are the host's."""
    calls: bool
    """Whether it takes a filter that asks."""

    def starter(self, folder: str) -> bytes:
        """The starter that makes it so."""
        machine = platform.machine()
        calls = seccomp.load(machine, watch=True) if self.calls else b""
        return program(machine, folder=folder, connect=self.processes, calls=calls)


class Watch:
    """One run's, from before its gate is opened."""

    def __init__(self, starter: Starter | None, *, first: int, host_network: bool) -> None:
        """``starter`` is the one that came, if one could; ``first`` the container's first process."""
        self._starter, self._first = starter, first
        self._watcher: Watcher | None = None
        self._readable = False
        self._ended = False
        self.left: tuple[str, ...] = ()
        if starter is not None and starter.listener >= 0:
            self._readable = _readable(starter.pid)
            self._watcher = Watcher(starter.listener, refuse_network=not host_network)
            starter.listener = -1

    def readers(self) -> dict[int, Callable[[], object]]:
        """What to serve while the run lasts."""
        found: dict[int, Callable[[], object]] = {}
        if self._starter is not None:
            found[self._starter.connection.fileno()] = self._told
        if self._watcher is not None:
            found[self._watcher.fileno()] = self._watcher.handle
        return found

    def _told(self) -> bool:
        """The program has ended: see what it left, and let the starter end, and with it all of that."""
        assert self._starter is not None
        if self._starter.ended() is not None:
            self._ended = True
            self.left = names_below(self._first, apart_from=self._starter.pid)
            self._starter.let_go()
        return False

    def ended(self) -> bool:
        """Whether the starter told that the program ended, be it while nobody looked: then it did not fail itself."""
        if not self._ended and self._starter is not None:
            self._ended = self._starter.ended() is not None
        return self._ended

    @property
    def watched(self) -> tuple[str, ...]:
        """What was looked at; addresses only where the program's memory may be read."""
        calls = (*(("network",) if self._readable else ()), "blocked") if self._watcher is not None else ()
        return ("files", *(("processes",) if self._starter is not None else ()), *calls)

    def network(self) -> tuple[NetworkAttempt, ...]:
        """Addresses that were asked for."""
        return self._watcher.network() if self._watcher is not None else ()

    def omitted(self) -> int:
        """Attempts on further addresses than are kept."""
        return self._watcher.omitted if self._watcher is not None else 0

    def blocked(self) -> tuple[BlockedCall, ...]:
        """Calls that were refused."""
        return self._watcher.blocked() if self._watcher is not None else ()

    def close(self) -> None:
        """Stop listening; what was seen stays."""
        if self._watcher is not None:
            self._watcher.close()


def names_below(first: int, *, apart_from: int) -> tuple[str, ...]:
    """Names of the living processes below the first one, the starter left out, oldest number first; at most 16."""
    from windtunnel.sandbox.inside.kernel import living_name  # noqa: PLC0415 -- ctypes, which few need

    below = sorted(set(tree(first)) - {first, apart_from})
    names = (name for name in map(living_name, below) if name is not None)
    return tuple(name.decode("utf-8", "backslashreplace") for name in itertools.islice(names, _MOST_LEFT))


def _readable(pid: int) -> bool:
    """Whether we may read the memory of the starter, who is yet what its program will be."""
    with contextlib.suppress(OSError):
        os.close(os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC))
        return True
    return False
