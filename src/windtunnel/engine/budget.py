"""The limits of one side of a trial, over all its commands together.

What holds: whatever commands are under way, they cannot use more between them than the whole. Memory, swap, processes,
disk and files are cut into equal lanes, and a command waits until one is free; processor time is what those before left
over; wall time is one clock. Each command gets the same lane on both sides of a trial, so that no verdict depends on
what ran beside it. What does not hold: the unchanged project has a budget of its own, because it may not have to run
at all.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from windtunnel.core.limits import GIB, MIB, Limits

SHARED = ("memory_bytes", "swap_bytes", "processes", "disk_bytes", "files")
"""What commands under way at once have between them."""
_LEAST = {"memory_bytes": 512 * MIB, "processes": 32, "disk_bytes": 64 * MIB, "files": 2000}
"""A lane with less than this is of no use to a test runner."""
_USUAL_MEMORY = 2 * GIB
"""What a lane has at least where nobody asked for limits."""


@dataclass(slots=True)
class Lane:
    """What one command may use; whoever had it says what it spent."""

    limits: Limits
    spent_cpu: float = 0.0


class Budget:
    """Handed out in lanes; safe to use from many threads."""

    def __init__(self, limits: Limits, *, lanes: int = 1) -> None:
        """``limits`` are the whole, and ``lanes`` how many commands may be under way at once."""
        self.limits = limits
        self.lanes: int = max(1, min(lanes, *(getattr(limits, name) // least for name, least in _LEAST.items())))
        self.lane_limits = _cut(limits, self.lanes)
        """What each command gets, but for the time that those before it took."""
        self._free = threading.Semaphore(self.lanes)
        self._lock = threading.Lock()
        self._under_way = 0
        self.renew()

    def renew(self) -> None:
        """Begin anew: each side of a trial has its own."""
        self._deadline = time.monotonic() + self.limits.wall_seconds
        self._cpu_left: float | None = self.limits.cpu_seconds

    @contextlib.contextmanager
    def lane(self) -> Iterator[Lane | None]:
        """Wait for a lane; None when the time is up."""
        if not self._free.acquire(timeout=max(0.0, self._deadline - time.monotonic())):
            yield None
            return
        try:
            share = self._take()
            lane = self._lane(share)
            try:
                yield lane
            finally:
                self._give_back(share, lane)
        finally:
            self._free.release()

    def _lane(self, cpu_seconds: float | None) -> Lane | None:
        wall = self._deadline - time.monotonic()
        if wall <= 0 or (cpu_seconds is not None and cpu_seconds <= 0):
            return None
        cpu = None if cpu_seconds is None else max(cpu_seconds, 0.05)
        return Lane(replace(self.lane_limits, wall_seconds=max(wall, 0.05), cpu_seconds=cpu))

    def _take(self) -> float | None:
        """An equal part of the processor time that is left, for every lane that is free."""
        with self._lock:
            free = self.lanes - self._under_way
            self._under_way += 1
            if self._cpu_left is None:
                return None
            share = self._cpu_left / free
            self._cpu_left -= share
            return share

    def _give_back(self, share: float | None, lane: Lane | None) -> None:
        with self._lock:
            self._under_way -= 1
            if share is not None and self._cpu_left is not None:
                self._cpu_left += share - (lane.spent_cpu if lane is not None else 0.0)


def usual_budget(command: Limits, *, caps: Limits, jobs: int) -> Budget:
    """Where nobody asked for limits: what ``command`` says for each of ``jobs`` lanes, within caps and machine."""
    lanes = max(1, min(jobs, _memory(caps) // _USUAL_MEMORY))
    wider = {name: min(getattr(command, name) * lanes, getattr(caps, name)) for name in SHARED}
    whole = replace(command, **wider | {"memory_bytes": min(wider["memory_bytes"], _memory(caps))})
    return Budget(whole, lanes=lanes)


def _memory(caps: Limits) -> int:
    """The most that a trial takes of this machine unasked: three quarters, which leaves room for whoever asks."""
    return min(caps.memory_bytes, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 3 // 4)


def _cut(limits: Limits, lanes: int) -> Limits:
    """One of several equal parts; processors are not cut where the machine has no more of them than the limit."""
    bound = limits.cores < (os.cpu_count() or 1)
    return replace(limits, cores=limits.cores / lanes if bound else limits.cores,
                   **{name: getattr(limits, name) // lanes for name in SHARED})
