"""Copies of this process that do one thing each: one that crashes, hangs, prints or forks hurts nothing but itself.

A copy leads a group of its own, has nothing to read and nowhere to print, and is heard through a pipe of its own, line
by line, in bounds. What does not hold: a copy that leaves its group is ended only when whoever started us is.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import sys
import time
from typing import Any, Callable, Dict, Iterator, List, Set, Tuple

Say = Callable[[Any], None]
Act = Callable[[Say], None]
MOST_BYTES = 4 * 1024**2
"""That one copy may tell; more ends it."""
KILLED, ENDED, CLOSED = "killed", "ended", "closed"
LATE = "its time ran out"
_DUMPABLE, _SUBREAPER = 4, 36
_WAYS: Set[int] = set()
"""Descriptors that belong to this process alone; a copy closes them first."""


class Copy:
    """One copy at work."""

    def __init__(self, act: Act, *, line_seconds: float, whole_seconds: float, leads: bool = True) -> None:
        """``line_seconds`` may pass without a word, ``whole_seconds`` in all; ``leads`` gives it its own group."""
        read, write = os.pipe()
        self.pid = _fork()
        if self.pid == 0:
            _work(act, write, read, leads=leads)
        os.close(write)
        _WAYS.add(read)
        self.read, self.leads, self.line_seconds = read, leads, line_seconds
        self.until = time.monotonic() + whole_seconds
        self.heard = time.monotonic()
        self.lines: List[Any] = []
        self.data, self.size = b"", 0
        self.how = ""
        self.code = 0

    def deadline(self) -> float:
        return min(self.until, self.heard + self.line_seconds)

    def listen(self) -> bool:
        """Take what is there; whether there may be more."""
        part = os.read(self.read, 1 << 16)
        self.size += len(part)
        if not part or self.size > MOST_BYTES:
            self.how = self.how or (CLOSED if not part else KILLED)
            return False
        whole, _, self.data = (self.data + part).rpartition(b"\n")
        for line in whole.split(b"\n") if whole else []:
            try:
                self.lines.append(json.loads(line))
            except (ValueError, RecursionError):
                self.how = KILLED
                return False
            self.heard = time.monotonic()
        return True

    def end(self) -> None:
        """Whatever it does, it is over."""
        _WAYS.discard(self.read)
        os.close(self.read)
        if self.how == CLOSED:
            self._wait_a_little()
        kills = (os.killpg, os.kill) if self.leads else (os.kill,)
        for kill in kills:
            with contextlib.suppress(OSError):
                kill(self.pid, signal.SIGKILL)
        if self.how != ENDED:
            with contextlib.suppress(OSError):
                _, self.code = os.waitpid(self.pid, 0)

    def _wait_a_little(self) -> None:
        """It has closed its way out, so it is about to end; a crash is told by how it does."""
        for _ in range(50):
            try:
                pid, self.code = os.waitpid(self.pid, os.WNOHANG)
            except OSError:
                pid = self.pid
            if pid:
                self.how = ENDED
                return
            time.sleep(0.0005)

    def why(self) -> str:
        """How it ended, in words."""
        if self.how == KILLED:
            return LATE
        if os.WIFSIGNALED(self.code):
            try:
                return "ended by " + signal.Signals(os.WTERMSIG(self.code)).name
            except ValueError:
                return "ended by signal " + str(os.WTERMSIG(self.code))
        return "ended with exit code " + str(os.WEXITSTATUS(self.code))


def _fork() -> int:
    """Where the limit of processes is reached, what was ended may need a moment to be gone."""
    for wait in (0.01, 0.05, 0.2, 0.5):
        try:
            return os.fork()
        except OSError:
            time.sleep(wait)
    return os.fork()


def _work(act: Act, write: int, read: int, *, leads: bool) -> None:
    leave = os._exit
    try:
        os.close(read)
        for way in list(_WAYS):
            with contextlib.suppress(OSError):
                os.close(way)
        _WAYS.clear()
        _WAYS.add(write)
        if leads:
            os.setsid()
        act(_sayer(write))
    except BaseException:
        leave(70)
    leave(0)


def _sayer(write: int) -> Say:
    put, dumps = os.write, json.dumps

    def say(thing: Any) -> None:
        data = dumps(thing).encode("ascii") + b"\n"
        while data:
            data = data[put(write, data) :]

    return say


def silent() -> None:
    """Nothing to read, nowhere to print."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)
    sys.stdin, sys.stdout, sys.stderr = (open(number, mode, closefd=False) for number, mode in enumerate("rww"))  # noqa: SIM115 -- for good


def each(
    things: List[Any], act: Callable[[Any], Any], *, seconds: float, until: float,
) -> Iterator[Tuple[Any, Any, str]]:
    """Each thing with what ``act`` gives for it, and a word on how it ended where that is nothing.

    All in one copy; a thing that ends it, or takes longer than ``seconds``, is left behind, and those after it get
    another. What was not tried in time is not given.
    """
    at = 0
    while at < len(things) and time.monotonic() < until:
        some = things[at:]
        copy = Copy(lambda say, some=some: _act(some, act, say), line_seconds=seconds,  # type: ignore[misc]
                    whole_seconds=max(0.01, until - time.monotonic()), leads=False)
        follow([copy])
        copy.end()
        for thing, line in zip(some, copy.lines):
            yield thing, line, ""
        at += len(copy.lines)
        if at < len(things) and time.monotonic() < until:
            yield things[at], None, copy.why()
            at += 1


def _act(things: List[Any], act: Callable[[Any], Any], say: Say) -> None:
    for thing in things:
        say(act(thing))


def follow(copies: List[Copy], *, once: bool = False) -> None:
    """Listen until one of them is over, which says so in ``how``; ``once`` until one has said something."""
    while not any(copy.how for copy in copies):
        now = time.monotonic()
        wait = max(0.0, min(copy.deadline() for copy in copies) - now)
        ways: Dict[int, Copy] = {copy.read: copy for copy in copies}
        for way in select.select(list(ways), [], [], wait)[0]:
            ways[way].listen()
        now = time.monotonic()
        for copy in copies:
            if not copy.how and copy.deadline() <= now:
                copy.how = KILLED
        if once:
            return


def sweep(known: Set[int]) -> None:
    """End and forget processes that came to us because their parents are gone."""
    with contextlib.suppress(OSError):
        with open("/proc/self/task/" + str(os.getpid()) + "/children", "rb") as file:
            strays = {int(word) for word in file.read().split()} - known
        for pid in strays:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def adopt() -> None:
    """From now on those below us that lose their parents come to us."""
    with contextlib.suppress(Exception):
        import ctypes

        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def hide() -> None:
    """No process beside us or our copies may open our descriptors or read our memory."""
    with contextlib.suppress(Exception):
        import ctypes

        ctypes.CDLL(None).prctl(_DUMPABLE, 0, 0, 0, 0)

