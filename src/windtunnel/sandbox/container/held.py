"""One container, from its making to its removal; its starter waits at the gate until a program comes."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import threading
from collections.abc import Hashable
from dataclasses import replace
from pathlib import Path

from windtunnel.core.errors import SandboxFailure
from windtunnel.core.limits import Limits
from windtunnel.core.result import Reason, Usage
from windtunnel.sandbox import cgroups
from windtunnel.sandbox.container.cell import Cell
from windtunnel.sandbox.container.door import Starter
from windtunnel.sandbox.container.engine import Engine, Spec, State, Streams, close_all
from windtunnel.sandbox.meter import GroupMeter, Meter, TreeMeter

_COME_SECONDS = 20.0
_STARTER = 1
"""One process more than the program's and the first, which no meter knows of."""


class Held:
    """A started container that is ours to end."""

    def __init__(self, engine: Engine, cell: Cell, *, kind: Hashable, limited: bool = True) -> None:
        """Nothing is started yet; the cell is removed with it. ``limited`` is whether it gets a group of its own."""
        self._engine, self.cell, self.kind, self._limited = engine, cell, kind, limited
        self.id = ""
        self.pid, self.pidfd = 0, -1
        self.streams: Streams | None = None
        self.starter: Starter | None = None
        """The one that came, where the cell has a door."""
        self.cancelled = False
        self.thread = 0
        """Which runs its program; zero while it waits."""
        self.gone = threading.Event()
        self.state: State | None = None

    def start(self, spec: Spec) -> None:
        """Make and start it, hold its first process, and wait for its starter."""
        begun = self._engine.begin(spec)
        self.id, self.streams = begun.id, begun.streams
        try:
            self.pidfd = os.pidfd_open(begun.pid)
        except ProcessLookupError:
            raise SandboxFailure(f"the container ended before its program came: {self.said()}") from None
        if not self._holds(begun.pid):
            raise SandboxFailure(f"the container ended before its program came: {self.said()}")
        self.pid = begun.pid
        if self.cell.door is not None:
            self.starter = self.cell.door.take(
                first=self.pid, pidfd=self.pidfd, uid=self.cell.user, seconds=_COME_SECONDS)
            if self.starter is None and not self.cancelled:
                raise SandboxFailure(f"the container ended before its program came: {self.said()}")

    def _holds(self, pid: int) -> bool:
        """Whether the process is still the container's: its control group, or else the engine, says so.

        Where the group is not the container's own, as with a runtime that ignores groups, it limits nothing.
        """
        with contextlib.suppress(OSError):
            if self.id in Path(f"/proc/{pid}/cgroup").read_text():
                return True
        self._limited = False
        return self._engine.state(self.id).pid == pid

    def said(self) -> str:
        """What its streams hold, for an error message."""
        if self.streams is None:
            return "no answer"
        poll = select.poll()
        poll.register(self.streams.stderr, select.POLLIN)
        said = os.read(self.streams.stderr, 500).decode("utf-8", "replace").strip() if poll.poll(500) else ""
        return said or "no message; an engine with a file system of its own cannot be used"

    def alive(self) -> bool:
        """Whether it still waits."""
        poll = select.poll()
        poll.register(self.pidfd, select.POLLIN)
        return not poll.poll(0)

    def kill(self) -> None:
        """End all its processes: by its first one where we may, else through the engine."""
        if self.pidfd >= 0:
            try:
                signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)
            except ProcessLookupError:
                return
            except PermissionError:
                self._engine.kill(self.id)

    def ended(self, *, seconds: float) -> State:
        """How it ended, as the engine tells."""
        self.state = self._engine.wait(self.id, seconds=seconds)
        return self.state

    def remove(self) -> None:
        """The container, then the folder behind it."""
        with contextlib.suppress(OSError):
            self.kill()
        if self.streams is not None:
            close_all([self.streams.stdin, self.streams.stdout, self.streams.stderr])
            self.streams.close()
            self.streams = None
        if self.starter is not None:
            self.starter.close()
        if self.pidfd >= 0:
            os.close(self.pidfd)
            self.pidfd = -1
        try:
            if self.id:
                self._engine.remove(self.id)
        finally:
            self.cell.remove()

    def taken(self) -> tuple[int, int, int]:
        """The streams, which are the taker's to close."""
        assert self.streams is not None
        streams = self.streams.stdin, self.streams.stdout, self.streams.stderr
        self.streams.stdin = self.streams.stdout = self.streams.stderr = -1
        return streams

    def meter(self, limits: Limits) -> LastMeter:
        """By the container's own control group where it can be read, else by looking at its processes."""
        group = cgroups.of_process(self.pid) if self._limited else None  # else its group is one of many others too
        if group is not None:
            return LastMeter(GroupMeter(group, limits))
        return LastMeter(TreeMeter(self.pid, replace(limits, processes=limits.processes + _STARTER)))


class LastMeter:
    """Remembers what it saw last: the engine removes the group soon after the end."""

    def __init__(self, meter: Meter) -> None:
        """Ask this one."""
        self._meter = meter
        self._last: tuple[Usage, Reason | None] = Usage(), None
        self.grouped = isinstance(meter, GroupMeter)

    def over(self) -> Reason | None:
        """The limit that was passed, if one was."""
        try:
            reason = self._meter.over()
            usage, met = self._meter.final()
            peak = usage.processes_peak
            self._last = replace(usage, processes_peak=peak and max(1, peak - _STARTER)), met
        except OSError:
            return None
        return reason

    def now(self) -> Usage:
        """As it is at this moment."""
        self.over()
        return self._last[0]

    def final(self) -> tuple[Usage, Reason | None]:
        """The last that could be read."""
        return self._last
