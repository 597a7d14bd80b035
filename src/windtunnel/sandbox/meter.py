"""What a running tree uses, by control group or, without one, by looking at its processes."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, field
from typing import Protocol

from windtunnel.core.limits import Limits
from windtunnel.core.result import Reason, Usage
from windtunnel.sandbox.cgroups import Group

_PAGE = os.sysconf("SC_PAGE_SIZE")
_MOST_SEEN = 10_000
_TICKS = os.sysconf("SC_CLK_TCK")


class Meter(Protocol):
    """Watches one run."""

    def over(self) -> Reason | None:
        """The limit that was passed, if one was."""
        ...

    def final(self) -> tuple[Usage, Reason | None]:
        """What was used in all, and a limit that was met on the way."""
        ...


@dataclass(slots=True)
class GroupMeter:
    """By the run's control group: exact, and the kernel enforces memory and processes itself."""

    group: Group
    limits: Limits

    def over(self) -> Reason | None:
        """Processor time and memory kills; the kernel holds the rest."""
        if self.group.oom_kills():
            return Reason.OUT_OF_MEMORY
        if self.limits.cpu_seconds is not None and self.group.cpu_seconds() > self.limits.cpu_seconds:
            return Reason.CPU_TIME
        return None

    def final(self) -> tuple[Usage, Reason | None]:
        """From the group's own counters."""
        spent = self.group.spent()
        refused = Reason.TOO_MANY_PROCESSES if spent.process_refusals else None
        reason = Reason.OUT_OF_MEMORY if spent.oom_kills else refused
        return Usage(
            cpu_seconds=spent.cpu_seconds, memory_peak_bytes=spent.memory_peak_bytes,
            processes_peak=spent.processes_peak), reason


@dataclass(slots=True)
class TreeMeter:
    """By reading /proc of init and all below it, many times a second; used where there are no control groups.

    Between two looks a program can pass its memory limit; how far depends on how fast it allocates.
    """

    init: int
    limits: Limits
    folder: int | None = None
    """A descriptor of the private file system where its pages are memory; None where they are on a disk."""
    memory_peak: int = 0
    processes_peak: int = 0
    cpu_seconds: float = 0.0
    seen: dict[tuple[int, str], int] = field(default_factory=dict)
    """Processor time of every process ever seen, by its number and start: what nobody waits for is lost elsewhere."""
    met: Reason | None = field(default=None)

    def over(self) -> Reason | None:
        """Sum the tree and compare."""
        self._look()
        if self.memory_peak > self.limits.memory_bytes:
            self.met = Reason.OUT_OF_MEMORY
        elif self.limits.cpu_seconds is not None and self.cpu_seconds > self.limits.cpu_seconds:
            self.met = Reason.CPU_TIME
        else:
            if self.processes_peak >= self.limits.processes:
                self.met = Reason.TOO_MANY_PROCESSES
            return None
        return self.met

    def final(self) -> tuple[Usage, Reason | None]:
        """The highest seen."""
        return Usage(
            cpu_seconds=self.cpu_seconds or None, memory_peak_bytes=self.memory_peak or None,
            processes_peak=self.processes_peak or None), self.met

    def _look(self) -> None:
        memory, tasks, ticks = 0, 0, 0
        for pid in tree(self.init):
            with contextlib.suppress(OSError, ValueError, IndexError):
                words = _text(f"/proc/{pid}/stat").rpartition(")")[2].split()
                memory += _own_memory(pid)
                tasks += int(words[17]) if pid != self.init else 0
                ticks += sum(int(word) for word in words[11:15])
                if len(self.seen) < _MOST_SEEN:
                    self.seen[pid, words[19]] = int(words[11]) + int(words[12])
        ticks = max(ticks, sum(self.seen.values()))
        if self.folder is not None:
            room = os.fstatvfs(self.folder)
            memory += (room.f_blocks - room.f_bfree) * room.f_frsize
        self.memory_peak = max(self.memory_peak, memory)
        self.processes_peak = max(self.processes_peak, tasks)
        self.cpu_seconds = max(self.cpu_seconds, ticks / _TICKS)


def _own_memory(pid: int) -> int:
    """The process's share of what it has in memory, so that pages shared after a fork count once in all."""
    try:
        rollup = _text(f"/proc/{pid}/smaps_rollup")
    except OSError:
        return _plain_memory(pid)
    shares = [rollup.partition(name)[2].split() for name in ("Pss_Anon:", "Pss_Shmem:")]
    return sum(int(words[0]) for words in shares if words) * 1024 or _plain_memory(pid)


def _plain_memory(pid: int) -> int:
    """By the first thread that still has some: a process whose leader has ended shows as empty under its number."""
    for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 -- many times a second
        with contextlib.suppress(OSError, ValueError):
            resident, shared = (int(word) for word in _text(f"/proc/{pid}/task/{task}/statm").split()[1:3])
            if resident:
                return (resident - shared) * _PAGE
    return 0


def tree(init: int) -> list[int]:
    """Init and all its descendants; orphans come to init, so nothing escapes the walk."""
    found, pending = [], [init]
    while pending:
        pid = pending.pop()
        found.append(pid)
        with contextlib.suppress(OSError, ValueError):
            for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 -- many times a second
                pending += [int(word) for word in _text(f"/proc/{pid}/task/{task}/children").split()]
    return found


def _text(path: str) -> str:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, 65536).decode("ascii", "replace")
    finally:
        os.close(descriptor)
