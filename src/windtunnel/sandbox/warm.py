"""Sandboxes made ahead of their runs, each used once and thrown away."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar

from windtunnel.core.errors import WindtunnelError
from windtunnel.sandbox.cgroups import Group
from windtunnel.sandbox.slot import remove_soon

_REST_SECONDS = 0.004


class Waiting(Protocol):
    """A sandbox that waits for its run."""

    def alive(self) -> bool:
        """Whether it still does."""
        ...


Slot = TypeVar("Slot", bound=Waiting)


class Pool(Generic[Slot]):
    """Keeps a few sandboxes of each kind waiting, and clears away after runs, on a thread of its own."""

    def __init__(self, size: int, make: Callable[[Hashable], Slot], *, drop: Callable[[Slot], None]) -> None:
        """Keep ``size`` of each kind ever asked for; ``make`` builds one and waits for it, ``drop`` throws one away."""
        self.size = size
        self._make = make
        self._drop = drop
        self._ready: dict[Hashable, deque[Slot]] = {}
        self._lock = threading.Lock()
        self._work: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._closed = False

    def take(self, kind: Hashable) -> Slot | None:
        """A waiting sandbox, if there is one; ``refill`` makes another, when the run no longer needs the processor."""
        with self._lock:
            waiting = self._ready.setdefault(kind, deque())
            dead = []
            slot = waiting.popleft() if waiting else None
            while slot is not None and not slot.alive():
                dead.append(slot)
                slot = waiting.popleft() if waiting else None
        for old in dead:
            self._drop(old)
        return slot

    def waiting(self) -> int:
        """How many wait, of all kinds together."""
        with self._lock:
            return sum(map(len, self._ready.values()))

    def refill(self, kind: Hashable) -> None:
        """Make what is missing, on the pool's own thread; a moment later, for whoever carries the answer goes first."""
        self.later(lambda: self._fill_after_rest(kind))

    def fill(self, kind: Hashable) -> None:
        """Make the waiting ones now, and return when they wait."""
        done = threading.Event()
        self.take_none(kind)
        self.later(lambda: self._fill(kind))
        self.later(done.set)
        done.wait(timeout=60)

    def take_none(self, kind: Hashable) -> None:
        """Remember the kind without taking one."""
        with self._lock:
            self._ready.setdefault(kind, deque())

    def forget(self, kind: Hashable) -> None:
        """Throw away those of one kind."""
        with self._lock:
            slots = self._ready.pop(kind, deque())
        for slot in slots:
            self._drop(slot)

    def bury(self, group: Group) -> None:
        """Remove the control group of a finished run, off the caller's path."""
        if self._closed:
            self._remove(group)
        else:
            self.later(lambda: self._remove(group))

    def flush(self) -> None:
        """Wait until all that was put off is done."""
        done = threading.Event()
        self.later(done.set)
        done.wait(timeout=60)

    def close(self) -> None:
        """Throw away all that waits and stop the thread."""
        self._closed = True
        if self._thread is not None:
            self._work.put(None)
            self._thread.join(timeout=60)
        with self._lock:
            slots = [slot for waiting in self._ready.values() for slot in waiting]
            self._ready.clear()
        for slot in slots:
            self._drop(slot)

    def later(self, task: Callable[[], None]) -> None:
        """Do it on the pool's own thread."""
        if self._thread is None:
            with self._lock:
                if self._thread is None:
                    self._thread = threading.Thread(target=self._serve, name="windtunnel-pool", daemon=True)
                    self._thread.start()
        self._work.put(task)

    def _serve(self) -> None:
        while (task := self._work.get()) is not None:
            task()

    def _fill_after_rest(self, kind: Hashable) -> None:
        if self._work.empty():  # else others are waiting, and a moment for each would add up
            time.sleep(_REST_SECONDS)
        self._fill(kind)

    def _fill(self, kind: Hashable) -> None:
        while not self._closed:
            with self._lock:
                if kind not in self._ready or len(self._ready[kind]) >= self.size:
                    return
            try:
                slot = self._make(kind)
            except (WindtunnelError, OSError):
                return  # the next run starts cold and says what is wrong
            with self._lock:
                self._ready.setdefault(kind, deque()).append(slot)

    def _remove(self, group: Group) -> None:
        with contextlib.suppress(OSError):
            remove_soon(group, seconds=3)
