"""Machines restored ahead of their runs, each used once and switched off."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar

from windtunnel.core.errors import WindtunnelError

_MOST_KINDS = 4
"""Kinds that are kept waiting at once; a waiting machine holds some hundred megabytes."""


class Waiting(Protocol):
    """What can wait."""

    def alive(self) -> bool:
        """Whether it still can be used."""
        ...

    def discard(self) -> None:
        """End it."""
        ...


Kind = TypeVar("Kind", bound=Hashable)
Kept = TypeVar("Kept", bound=Waiting)


class Pool(Generic[Kind, Kept]):
    """Keeps a few of each kind, made and thrown away on a thread of its own."""

    def __init__(self, size: int, make: Callable[[Kind], Kept]) -> None:
        """Keep ``size`` of each of the kinds that were asked for last."""
        self.size, self._make = size, make
        self._ready: dict[Kind, deque[Kept]] = {}
        self._lock = threading.Lock()
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._closed = False

    def take(self, kind: Kind) -> Kept | None:
        """One that waits, if there is one."""
        with self._lock:
            waiting = self._ready.pop(kind, deque())
            self._ready[kind] = waiting
            found = waiting.popleft() if waiting else None
        while found is not None and not found.alive():
            self.throw_away(found)
            with self._lock:
                found = waiting.popleft() if waiting else None
        return found

    def waiting(self) -> list[Kept]:
        """All that wait."""
        with self._lock:
            return [one for waiting in self._ready.values() for one in waiting]

    def refill(self, kind: Kind) -> None:
        """Make what is missing, later."""
        if self.size:
            self._later(lambda: self._fill(kind))

    def throw_away(self, old: Kept) -> None:
        """End one, later; at once when the pool is closed."""
        if self._closed:
            old.discard()
        else:
            self._later(old.discard)

    def flush(self, *, seconds: float = 300.0) -> None:
        """Return when all that was put off is done."""
        done = threading.Event()
        self._later(done.set)
        done.wait(timeout=seconds)

    def close(self) -> None:
        """End all that wait, and the thread."""
        self._closed = True
        if self._thread is not None:
            self._work.put(None)
            self._thread.join()
        while not self._work.empty():
            task = self._work.get()
            if task is not None:
                task()
        with self._lock:
            left = [one for waiting in self._ready.values() for one in waiting]
            self._ready.clear()
        for one in left:
            one.discard()

    def _later(self, task: Callable[[], None]) -> None:
        with self._lock:
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._serve, name="windtunnel-machines", daemon=True)
                self._thread.start()
        self._work.put(task)

    def _serve(self) -> None:
        while (task := self._work.get()) is not None:
            task()

    def _fill(self, kind: Kind) -> None:
        while not self._closed:
            with self._lock:
                waiting = self._ready.pop(kind, deque())
                self._ready[kind] = waiting
                dropped = [one for old in list(self._ready)[:-_MOST_KINDS] for one in self._ready.pop(old)]
                enough = len(waiting) >= self.size
            for one in dropped:
                one.discard()
            if enough:
                return
            try:
                made = self._make(kind)
            except (WindtunnelError, OSError):
                return  # the next run starts by itself, and says what is wrong
            with self._lock:
                waiting.append(made)
