"""Watching over one run: output drained always, one deadline for everything, a reason for each kill."""

from __future__ import annotations

import array
import contextlib
import io
import os
import select
import signal
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO

from windtunnel.core.errors import SandboxFailure
from windtunnel.core.result import Reason
from windtunnel.spawn.output import Kept

_CHUNK = 1 << 16
_TICK_SECONDS = 0.04
_GRACE_SECONDS = 3.0


@dataclass(slots=True, kw_only=True)
class Watched:
    """The handles of one run; all descriptors are the supervisor's own ends."""

    channel: socket.socket
    """Where init reports."""
    pidfd: int
    """Init of the run's process namespace; its death is the death of all."""
    stdin: int
    stdout: int
    stderr: int
    kept_out: Kept
    kept_err: Kept
    wall_seconds: float
    tick: Callable[[], Reason | None]
    """Asked now and then whether a limit was passed."""
    input: bytes = b""
    live_input: IO[bytes] | None = None
    readers: dict[int, Callable[[], object]] = field(default_factory=dict)
    """Further descriptors to serve while the run lasts, or until one answers False."""
    on_descriptors: Callable[[list[int]], dict[int, Callable[[], object]]] = lambda _: {}
    """Takes the descriptors that the run hands out when it begins; answers with more readers."""
    heard: list[tuple[bytes, list[int]]] = field(default_factory=list)
    """Messages that came before the watch began."""
    end: Callable[[], None] | None = None
    """Ends the run where its init is not ours to signal."""
    linger_seconds: float = 0.0
    """How long output may still be on its way when all is dead, where someone else carries it."""

    def kill(self) -> None:
        """End everything in the run."""
        if self.end is not None:
            self.end()
        else:
            kill(self.pidfd)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How it ended, as seen from outside."""

    status: int | None
    """The wait status that init reported; None when it was ended before it could."""
    reason: Reason
    wall_seconds: float
    cpu_seconds: float | None = None
    memory_peak_bytes: int | None = None
    read_bytes: int | None = None
    written_bytes: int | None = None
    left: tuple[str, ...] = ()


def receive(channel: socket.socket) -> tuple[bytes, list[int]]:
    """One message from inside and the descriptors that came with it."""
    try:
        data, ancillary, _, _ = channel.recvmsg(8192, socket.CMSG_SPACE(4 * 64), socket.MSG_CMSG_CLOEXEC)
    except ConnectionError:
        return b"", []
    descriptors = array.array("i")
    for _, _, rights in ancillary:
        descriptors.frombytes(rights[: len(rights) - len(rights) % 4])
    return data, list(descriptors)


def _buffered(stream: IO[bytes]) -> bytes:
    """What a reader has already taken from its descriptor, without waiting for more."""
    if not isinstance(stream, io.BufferedReader):
        return b""
    descriptor = stream.fileno()
    waits = os.get_blocking(descriptor)
    os.set_blocking(descriptor, False)
    try:
        return stream.read1(len(stream.peek() or b""))
    except BlockingIOError:
        return b""
    finally:
        os.set_blocking(descriptor, waits)


def kill(pidfd: int) -> None:
    """End init, and with it everything in its namespace."""
    with contextlib.suppress(ProcessLookupError):
        signal.pidfd_send_signal(pidfd, signal.SIGKILL)


def supervise(run: Watched) -> Ending:
    """Watch until everything is dead; on our own interruption the run dies first."""
    watch = _Watch(run)
    try:
        watch.begin()
        return watch.until_dead()
    except BaseException:
        run.kill()
        raise
    finally:
        watch.close()


class _Watch:
    def __init__(self, run: Watched) -> None:
        self.run = run
        self.poll = select.poll()
        self.handlers: dict[int, Callable[[], object]] = {}
        self.begun = time.monotonic()
        self.deadline = self.begun + run.wall_seconds
        self.next_tick = self.begun + _TICK_SECONDS
        self.reason: Reason | None = None
        self.report: bytes | None = None
        self.dead = False
        self.pending = memoryview(run.input)
        self.timer: threading.Timer | None = None
        self.late = False

    def begin(self) -> None:
        run = self.run
        for descriptor, handler in (
            (run.stdout, lambda: self._drain(run.stdout, run.kept_out)),
            (run.stderr, lambda: self._drain(run.stderr, run.kept_err)),
            (run.channel.fileno(), self._hear),
            (run.pidfd, self._died),
            *run.readers.items(),
        ):
            self._add(descriptor, handler)
        os.set_blocking(run.stdin, False)
        self.timer = self._second_clock()
        self._feed_begin()
        for data, descriptors in run.heard:
            self._heed(data, descriptors)

    def until_dead(self) -> Ending:
        while not self.dead and self.report is None:
            self._step()
        ended = time.monotonic()
        if self.late and self.report is None and self.reason is None:
            self.reason = Reason.TIMEOUT
        self._drain_rest()
        return self._ending(ended - self.begun)

    def _step(self) -> None:
        left = self.deadline - time.monotonic()
        if self.reason is not None and left <= 0:
            raise SandboxFailure("a killed sandbox did not end within 3 seconds; the machine may be overloaded")
        if self.reason is None and (self.late or left <= 0):
            self._stop(Reason.TIMEOUT)
            left = _GRACE_SECONDS
        wait = min(left, _TICK_SECONDS) if self.reason is None else left
        for descriptor, _ in self.poll.poll(wait * 1000):
            handler = self.handlers.get(descriptor)
            if handler is not None and handler() is False:
                self._remove(descriptor)
        now = time.monotonic()
        if now >= self.next_tick and self.reason is None and self.report is None and not self.dead:
            self.next_tick = now + _TICK_SECONDS / 2
            over = self.run.tick()
            if over is not None:
                self._stop(over)

    def _second_clock(self) -> threading.Timer | None:
        """A deadline that fires even while someone who takes the output keeps us waiting."""
        if not (self.run.kept_out.streams or self.run.kept_err.streams):
            return None
        timer = threading.Timer(self.run.wall_seconds, self._ring)
        timer.daemon = True
        timer.start()
        return timer

    def _ring(self) -> None:
        self.late = True
        self.run.kill()

    def _stop(self, reason: Reason) -> None:
        self.reason = reason
        self.run.kill()
        self.deadline = time.monotonic() + _GRACE_SECONDS

    def _drain(self, descriptor: int, kept: Kept) -> None:
        data = os.read(descriptor, _CHUNK)
        if data:
            kept.add(data)
        else:
            self._remove(descriptor)

    def _hear(self) -> None:
        self._heed(*receive(self.run.channel))

    def _heed(self, data: bytes, descriptors: list[int]) -> None:
        kind = data[:1]
        if kind == b"G":
            for descriptor, handler in self.run.on_descriptors(descriptors).items():
                self._add(descriptor, handler)
            return
        for descriptor in descriptors:
            os.close(descriptor)
        if kind == b"E":
            self.report = data
        elif kind == b"X":
            raise SandboxFailure(f"the sandbox could not be built: {data[1:].decode('utf-8', 'replace')}")
        else:
            self._remove(self.run.channel.fileno())

    def _died(self) -> None:
        self.dead = True

    def _drain_rest(self) -> None:
        """Read what is still in the pipes; every writer is dead, so this cannot wait."""
        if self.dead and self.report is None:
            self.run.channel.setblocking(False)  # noqa: FBT003
            with contextlib.suppress(BlockingIOError):
                data, descriptors = receive(self.run.channel)
                for descriptor in descriptors:
                    os.close(descriptor)
                if data[:1] == b"X":
                    raise SandboxFailure(f"the sandbox could not be built: {data[1:].decode('utf-8', 'replace')}")
                self.report = data if data[:1] == b"E" else None
        self._await_rest()
        for descriptor, kept in ((self.run.stdout, self.run.kept_out), (self.run.stderr, self.run.kept_err)):
            os.set_blocking(descriptor, False)
            with contextlib.suppress(BlockingIOError):
                while descriptor in self.handlers and (data := os.read(descriptor, _CHUNK)):
                    kept.add(data)

    def _await_rest(self) -> None:
        """Until both streams end, where others carry them to us."""
        until = time.monotonic() + self.run.linger_seconds
        while (left := until - time.monotonic()) > 0 and {self.run.stdout, self.run.stderr} & self.handlers.keys():
            for descriptor, _ in self.poll.poll(left * 1000):
                if descriptor in (self.run.stdout, self.run.stderr):
                    self.handlers[descriptor]()
                else:
                    self._remove(descriptor)

    def _ending(self, wall_seconds: float) -> Ending:
        if self.report is None:
            return Ending(status=None, reason=self.reason or Reason.KILLED, wall_seconds=wall_seconds)
        numbers, *left = self.report[1:].split(b"\0")
        status, cpu, memory, *traffic = numbers.split()
        return Ending(
            status=int(status), reason=self.reason or Reason.EXITED, wall_seconds=wall_seconds,
            cpu_seconds=float(cpu), memory_peak_bytes=int(memory),
            read_bytes=int(traffic[0]) if traffic else None, written_bytes=int(traffic[1]) if traffic else None,
            left=tuple(name.decode("utf-8", "backslashreplace") for name in left))

    def _feed_begin(self) -> None:
        run = self.run
        if run.live_input is not None and not self.pending:
            self.pending = memoryview(_buffered(run.live_input))
        if run.live_input is not None and not self.pending:
            self._add(run.live_input.fileno(), self._feed_live)
        elif self.pending:
            self._add(run.stdin, self._feed, select.POLLOUT)
        else:
            self._close_stdin()

    def _feed(self) -> None:
        try:
            self.pending = self.pending[os.write(self.run.stdin, self.pending[:_CHUNK]):]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self.pending, self.run.live_input = memoryview(b""), None
        if not self.pending:
            self._remove(self.run.stdin)
            self._feed_begin()

    def _feed_live(self) -> None:
        assert self.run.live_input is not None
        descriptor = self.run.live_input.fileno()
        data = os.read(descriptor, 4096)
        if not data:
            self.run.live_input = None
            self._remove(descriptor)
            self._close_stdin()
            return
        self._remove(descriptor)
        self.pending = memoryview(data)
        self._feed_begin()

    def _close_stdin(self) -> None:
        if self.run.stdin >= 0:
            self._remove(self.run.stdin)
            os.close(self.run.stdin)
            self.run.stdin = -1

    def _add(self, descriptor: int, handler: Callable[[], object], events: int = select.POLLIN) -> None:
        self.handlers[descriptor] = handler
        self.poll.register(descriptor, events)

    def _remove(self, descriptor: int) -> None:
        if self.handlers.pop(descriptor, None) is not None:
            self.poll.unregister(descriptor)

    def close(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.timer.join()
        self._close_stdin()
        for descriptor in (self.run.stdout, self.run.stderr):
            os.close(descriptor)
        self.run.kept_out.close()
        self.run.kept_err.close()
