"""Other processes that get in the way: some take the processor, one sends signals.

They are children of nobody the program knows, so that its own waiting for children is not disturbed; each holds the end
of a pipe and is gone when this process closes the other end, also when it is killed.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import threading
import time
import warnings
from typing import Any, Callable, Dict, List, Optional, Tuple

from windtunnel_fault_base import Fault, Measured, Option, Own  # type: ignore[import-not-found]  # lies beside this file

_monotonic, _cpu, _fork, _kill, _read, _close = time.monotonic, time.thread_time, os.fork, os.kill, os.read, os.close
_write = os.write
_MOST = 32


class Siblings:
    """Processes that do one thing until told to stop."""

    def __init__(self, work: Callable[[Callable[[], bool]], None], *, count: int) -> None:
        """``work`` is given a function that says whether to go on; it runs in each of them once all are there."""
        gone, held = os.pipe()
        ends, lifeline = os.pipe()
        gate, opened = os.pipe()
        self.gone, self.lifeline = Own(gone), Own(lifeline)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a program with threads may fork, if all it does then is this
                first = _fork()
                if first == 0:
                    _be(lambda: _after(gate, work, ends), count, kept=(ends, held, gate))
            os.waitpid(first, 0)
        finally:
            for number in (held, ends, gate, opened):
                _close(number)

    def stop(self) -> None:
        """Return when all of them are gone; a word is said, since children of the program may hold the pipe too."""
        if self.lifeline.is_ours():
            with contextlib.suppress(BrokenPipeError):
                _write(self.lifeline.number, b"x")
            self.lifeline.close()
        if self.gone.is_ours():
            _read(self.gone.number, 1)
            self.gone.close()


def _be(work: Callable[[], None], count: int, *, kept: Tuple[int, ...]) -> None:
    """In the process between: start the others, and end without a word of Python's own end."""
    try:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM):
            signal.signal(number, signal.SIG_DFL)
        edges = (-1, *sorted(kept), 4096)
        for low, high in zip(edges, edges[1:]):  # noqa: RUF007 -- Python 3.8 has no pairwise
            os.closerange(low + 1, high)
        for _ in range(count):
            if _fork() == 0:
                work()
                break
    finally:
        os._exit(0)


def _after(gate: int, work: Callable[[Callable[[], bool]], None], ends: int) -> None:
    """Wait until the gate is closed from outside, then work until there is something to hear."""
    _read(gate, 1)
    work(lambda: not select.select([ends], [], [], 0)[0])


class CpuSpike(Fault):  # type: ignore[misc]  # known only where it runs
    """So many processes for each processor spin beside this one, under the same limit."""

    name = "cpu_spike"
    options = {"processes": Option(4, 1, _MOST)}
    siblings: Optional[Siblings] = None

    def begin(self) -> None:
        count = min(_MOST, int(self.values["processes"]) * len(os.sched_getaffinity(0)))
        self.siblings = Siblings(_spin, count=count)

    def end(self) -> None:
        if self.siblings is not None:
            self.siblings.stop()
            self.siblings = None

    def probe(self) -> Measured:
        """How many seconds pass while this thread gets a thirtieth of a second of processor."""
        began, had = _monotonic(), _cpu()
        while _cpu() - had < 0.03:  # noqa: PLR2004 -- the thirtieth
            sum(range(1000))
        slower = (_monotonic() - began) / (_cpu() - had)
        return Measured(f"work takes {slower:.1f} times its processor time",
                        self.siblings is not None and slower >= 1 + self.values["processes"] / 2)


def _spin(go_on: Callable[[], bool]) -> None:
    while go_on():
        until = _monotonic() + 0.001
        while _monotonic() < until:
            pass


SENT = (signal.SIGUSR1, signal.SIGCHLD, signal.SIGWINCH, signal.SIGCONT, signal.SIGURG)
"""Signals that programs meet without anything being wrong."""


class Signals(Fault):  # type: ignore[misc]  # known only where it runs
    """Each so many seconds one of ``SENT`` arrives, and interrupts whatever system call waits.

    Where the program has no handler for it, one that does nothing stands in for it, so that only code breaks that does
    not bear to be interrupted, or that believes a signal before it looks. ``SIGALRM`` is never sent.
    """

    name = "signals"
    options = {"seconds": Option(0.01, 0.001, 1.0)}
    siblings: Optional[Siblings] = None

    def begin(self) -> None:
        self.old: Dict[int, Any] = {}
        if threading.current_thread() is not threading.main_thread():
            raise OSError("signals are handled in the main thread alone, and this is another")
        for number in SENT:
            if signal.getsignal(number) in (signal.SIG_DFL, signal.SIG_IGN):
                self.old[number] = signal.signal(number, _nothing)
        target, seconds = os.getpid(), self.values["seconds"]
        self.siblings = Siblings(lambda go_on: _send(go_on, target, seconds), count=1)

    def end(self) -> None:
        if self.siblings is not None:
            self.siblings.stop()
            self.siblings = None
        for number, old in self.old.items():
            if signal.getsignal(number) is _nothing:
                signal.signal(number, old)
        self.old = {}

    def probe(self) -> Measured:
        """Wait for three of the first kind, for two rounds or two seconds."""
        seen: List[int] = []
        old = signal.signal(SENT[0], lambda number, _: seen.append(number))
        try:
            until = _monotonic() + max(2.0, 2 * len(SENT) * self.values["seconds"])
            while _monotonic() < until and len(seen) < 3:  # noqa: PLR2004 -- three are no accident
                time.sleep(self.values["seconds"])
        finally:
            signal.signal(SENT[0], old)
        return Measured(f"{len(seen)} of {SENT[0].name} arrived", bool(seen))


def _nothing(number: int, frame: object) -> None:
    """Stands for a handler that copes."""


def _send(go_on: Callable[[], bool], target: int, seconds: float) -> None:
    turn = 0
    with contextlib.suppress(ProcessLookupError):
        while go_on():
            _kill(target, SENT[turn % len(SENT)])
            turn += 1
            select.select([], [], [], seconds)
