"""Moving bytes between two sockets within bounds, and counting what was asked for."""

from __future__ import annotations

import contextlib
import select
import socket
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from windtunnel.core.effects import NetworkAttempt

CHUNK = 64 * 1024
_MOST_ATTEMPTS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """Bytes of the connections that have ended, as the origins saw them."""

    sent: int = 0
    received: int = 0


class Flow:
    """One direction of a connection; it holds one chunk, so a slow reader slows the writer and fills no memory."""

    def __init__(
        self, source: socket.socket, sink: socket.socket, *, first: bytes = b"", left: int | None = None
    ) -> None:
        """``first`` goes ahead of what is read; ``left`` is how much to read, None meaning until the end."""
        self._source = source
        self._sink = sink
        self._pending = memoryview(first)
        self._left = left
        self._open = left != 0
        self.read = 0
        self.written = 0

    @property
    def over(self) -> bool:
        """Whether there is nothing to read and nothing to write any more."""
        return not self._open and not self._pending

    def wants(self) -> tuple[socket.socket, int]:
        """What to wait for before the next move."""
        return (self._sink, select.POLLOUT) if self._pending else (self._source, select.POLLIN)

    def move(self) -> None:
        """Write what is held, or else read; the end of the source is passed on."""
        with contextlib.suppress(BlockingIOError):
            if self._pending:
                self._write()
            else:
                self._read()

    def _write(self) -> None:
        sent = self._sink.send(self._pending)
        self._pending = self._pending[sent:]
        self.written += sent

    def _read(self) -> None:
        data = self._source.recv(CHUNK if self._left is None else min(CHUNK, self._left))
        self._pending = memoryview(data)
        self.read += len(data)
        if not data:
            self._open = False
            self._sink.shutdown(socket.SHUT_WR)
        elif self._left is not None:
            self._left -= len(data)
            self._open = self._left > 0


class Bell:
    """Ends every wait at once when it is rung."""

    def __init__(self) -> None:
        """Silent at first."""
        self._here, self._there = socket.socketpair()

    def wait(self, events: Mapping[socket.socket, int], *, seconds: float | None = None) -> dict[socket.socket, int]:
        """The sockets that are ready; a TimeoutError when none is in time, a ConnectionAbortedError when rung."""
        if seconds is not None and seconds <= 0:
            raise TimeoutError  # even if bytes are there: a client that drips must not stretch its time
        poller = select.poll()
        poller.register(self._here, select.POLLIN)
        sides = {side.fileno(): side for side in events}
        for side, event in events.items():
            poller.register(side, event)
        ready = dict(poller.poll(None if seconds is None else seconds * 1000))
        if self._here.fileno() in ready:
            raise ConnectionAbortedError
        if not ready:
            raise TimeoutError
        return {sides[number]: event for number, event in ready.items()}

    def ring(self) -> None:
        """Now and for ever."""
        with contextlib.suppress(OSError):
            self._there.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Only when nobody waits."""
        self._here.close()
        self._there.close()


class Ledger:
    """What was asked for, each kind once with a count; bounded, because the program chooses the targets."""

    def __init__(self) -> None:
        """Empty."""
        self._lock = threading.Lock()
        self._counts: dict[tuple[str, Literal["allowed", "refused"], str], int] = {}
        self._sent = 0
        self._received = 0

    def add(self, target: str, *, outcome: Literal["allowed", "refused"], rule: str) -> None:
        """One attempt more."""
        key = (target, outcome, rule)
        with self._lock:
            if key not in self._counts and len(self._counts) >= _MOST_ATTEMPTS:
                key = ("(other targets)", outcome, "the report is full")
            self._counts[key] = self._counts.get(key, 0) + 1

    def count(self, *, sent: int, received: int) -> None:
        """Bytes of one connection."""
        with self._lock:
            self._sent += sent
            self._received += received

    def attempts(self) -> tuple[NetworkAttempt, ...]:
        """All so far."""
        with self._lock:
            items = tuple(self._counts.items())
        return tuple(
            NetworkAttempt(target=target, outcome=outcome, rule=rule, count=count)
            for (target, outcome, rule), count in items
        )

    def traffic(self) -> Traffic:
        """All so far."""
        with self._lock:
            return Traffic(sent=self._sent, received=self._received)
