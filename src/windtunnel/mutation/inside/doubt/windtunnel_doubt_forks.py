"""Some copies of this process at a time, each bounded, each leading a group that ends with it."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional

MOST_BYTES = 4 * 1024**2


class Ended(NamedTuple):
    """A copy that is over."""

    job: Any
    data: bytes
    status: Optional[int]
    """As ``waitpid`` gives it; None for one that could not be made."""
    late: bool


class _Running:
    def __init__(self, job: Any, pid: int, *, deadline: float) -> None:
        self.job, self.pid, self.deadline = job, pid, deadline
        self.parts: List[bytes] = []
        self.size = 0
        self.late = False


def forked(
    jobs: Iterable[Any], act: Callable[[Any, int], None], *, workers: int, wall: float, until: float,
) -> Iterator[Ended]:
    """Each job in a copy, which writes to a descriptor; in the order of their ends.

    ``wall`` seconds of the clock for each; none is begun after ``until``.
    """
    waiting, running = iter(jobs), {}  # type: ignore[var-annotated]  # by descriptor
    more = True
    while more or running:
        while more and len(running) < workers:
            job = next(waiting, None) if time.monotonic() < until else None
            if job is None:
                more = False
                break
            begun = _begin(job, act, running, deadline=time.monotonic() + wall)
            if begun is not None:
                yield begun
        yield from _ended(running)


def _begin(job: Any, act: Callable[[Any, int], None], running: Dict[int, _Running], *, deadline: float) -> Any:
    read, write = os.pipe()
    try:
        pid = os.fork()
    except OSError:
        os.close(read)
        os.close(write)
        return Ended(job, b"", None, late=False)
    if pid == 0:
        with contextlib.suppress(BaseException):
            os.setpgid(0, 0)
            for descriptor in [read, *running]:
                os.close(descriptor)
            act(job, write)
        os._exit(1)
    with contextlib.suppress(OSError):
        os.setpgid(pid, pid)
    os.close(write)
    running[read] = _Running(job, pid, deadline=deadline)
    return None


def _ended(running: Dict[int, _Running]) -> Iterator[Ended]:
    if not running:
        return
    poll = select.poll()
    for descriptor in running:
        poll.register(descriptor, select.POLLIN)
    until = min(one.deadline for one in running.values())
    for descriptor, _ in poll.poll(max(0.0, until - time.monotonic()) * 1000 + 1):
        one = running[descriptor]
        data = os.read(descriptor, 1 << 16)
        one.size += len(data)
        if data and one.size <= MOST_BYTES:
            one.parts.append(data)
            continue
        yield _over(running, descriptor)
    for descriptor, one in list(running.items()):
        if time.monotonic() > one.deadline:
            one.late = True
            yield _over(running, descriptor)


def _over(running: Dict[int, _Running], descriptor: int) -> Ended:
    """Whatever it started in its group ends with it."""
    one = running.pop(descriptor)
    os.close(descriptor)
    if one.late or one.size > MOST_BYTES:
        end_group(one.pid)
    status = os.waitpid(one.pid, 0)[1]
    end_group(one.pid)
    return Ended(one.job, b"".join(one.parts), status, late=one.late)


def end_group(pid: int) -> None:
    """All of a copy's processes."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
