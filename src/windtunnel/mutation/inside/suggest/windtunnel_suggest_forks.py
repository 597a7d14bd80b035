"""Many calls in copies of this process: a call that ends its copy, hangs or eats memory costs nothing but itself."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import time
from typing import Any, Callable, List

from windtunnel_mutant_items import alarm, bound_memory  # type: ignore[import-not-found]  # lies beside this file when it runs

CALL_SECONDS, WALL_SECONDS, MOST_DEATHS = 0.5, 10.0, 6
"""Of the processor for one call, of the clock without a word, and copies that may be lost over one list of calls."""
MOST_BYTES = 16 * 1024**2
LOST = "lost"


def each(
    things: List[Any], act: Callable[[Any], Any], *, prepare: Callable[[], bool], memory: int, until: float,
) -> List[Any]:
    """What ``act`` gives for each, ``LOST`` where it did not come to its end; in a copy that ``prepare`` made ready.

    Several calls share a copy; one that ends it is left behind, and those after it get another. Where ``prepare`` says
    no, all are lost.
    """
    found: List[Any] = []
    deaths = 0
    while len(found) < len(things) and deaths < MOST_DEATHS and time.monotonic() < until:
        told = _in_copy(things[len(found) :], act, prepare=prepare, memory=memory, until=until)
        found += told
        if len(found) < len(things):
            found.append(LOST)
            deaths += 1
    return (found + [LOST] * len(things))[: len(things)]


def _in_copy(
    things: List[Any], act: Callable[[Any], Any], *, prepare: Callable[[], bool], memory: int, until: float,
) -> List[Any]:
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        with contextlib.suppress(BaseException):
            os.setpgid(0, 0)
            bound_memory(memory)
            if prepare():
                _work(things, act, write)
        os._exit(0)
    os.close(write)
    try:
        return _heard(read, until=until)
    finally:
        os.close(read)
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _work(things: List[Any], act: Callable[[Any], Any], write: int) -> None:
    put, leave, dumps = os.write, os._exit, json.dumps
    for thing in things:
        alarm(CALL_SECONDS, lambda: leave(1))
        data = dumps(act(thing)).encode() + b"\n"
        while data:
            data = data[put(write, data) :]


def _heard(read: int, *, until: float) -> List[Any]:
    """Whole lines, until the copy has ended or says nothing for long."""
    data, size = [], 0
    while size < MOST_BYTES:
        wait = min(WALL_SECONDS, until - time.monotonic())
        if wait <= 0 or not select.select([read], [], [], wait)[0]:
            break
        part = os.read(read, 1 << 16)
        if not part:
            break
        data.append(part)
        size += len(part)
    found = []
    for line in b"".join(data).split(b"\n")[:-1]:
        try:
            found.append(json.loads(line))
        except ValueError:
            break
    return found
