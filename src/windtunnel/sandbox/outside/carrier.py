"""Carries packets between the two sides of a simulated link, each when it is due.

What holds: a packet is counted from the moment that the kernel saw it, so a late carrier is late once, not twice; no
more than ``MOST_HELD`` packets are held. What does not hold: on a machine without a free processor packets come later
than they are due, by as much as the carrier waits for its turn.
"""

from __future__ import annotations

import contextlib
import heapq
import select
import socket
import struct
import time
from dataclasses import dataclass

from windtunnel.sandbox.outside.lane import Lane

MOST_HELD = 16_384
_FRAME = 2048
_HARDWARE_HEADER = 14
_BATCH = 64
_STAMP = struct.Struct("=qq")
_STAMPS = 35
"""SO_TIMESTAMPNS, which the socket module has no name for."""
_OLDEST = 0.5
"""Seconds; a stamp that says more is from before a jump of the clock."""


@dataclass(slots=True)
class Way:
    """From one packet socket to the other."""

    source: socket.socket
    sink: socket.socket
    lane: Lane
    seen: int = 0


class Carrier:
    """Both directions."""

    def __init__(self, near: socket.socket, far: socket.socket, *, up: Lane, down: Lane) -> None:
        """Take over both sockets; ``up`` leads from the near one to the far one."""
        self._ways = {near.fileno(): Way(near, far, up), far.fileno(): Way(far, near, down)}
        self._held: list[tuple[float, int, socket.socket, bytes]] = []
        self._number = 0
        self._overflowed = 0
        for sock in (near, far):
            sock.setblocking(False)  # noqa: FBT003
            sock.setsockopt(socket.SOL_SOCKET, _STAMPS, 1)

    def carry(self, until: socket.socket) -> None:
        """Until that socket has something to say."""
        sockets = [*self._ways, until.fileno()]
        while True:
            wait = None if not self._held else max(0.0, self._held[0][0] - time.monotonic())
            ready, _, _ = select.select(sockets, (), (), wait)
            if until.fileno() in ready:
                return
            for descriptor in ready:
                self._take(self._ways[descriptor])
            self._release()

    def report(self) -> dict[str, int]:
        """How many packets there were, and what became of them."""
        ways = list(self._ways.values())
        return {"packets": sum(way.seen for way in ways), "lost": sum(way.lane.lost for way in ways),
                "doubled": sum(way.lane.doubled for way in ways),
                "dropped": self._overflowed + sum(way.lane.full for way in ways)}

    def _take(self, way: Way) -> None:
        mono, real = time.monotonic(), time.time()
        for _ in range(_BATCH):
            try:
                frame, notes, _, _ = way.source.recvmsg(_FRAME, 64)
            except OSError:
                return
            way.seen += 1
            came = mono
            for _, _, stamp in notes:
                seconds, rest = _STAMP.unpack(stamp)
                came = mono - min(max(0.0, real - seconds - rest / 1e9), _OLDEST)
            for due in way.lane.arrivals(len(frame) - _HARDWARE_HEADER, came):
                self._hold(due, way.sink, frame)

    def _hold(self, due: float, sink: socket.socket, frame: bytes) -> None:
        if len(self._held) >= MOST_HELD:
            self._overflowed += 1
            return
        self._number += 1
        heapq.heappush(self._held, (due, self._number, sink, frame))

    def _release(self) -> None:
        held, now = self._held, time.monotonic()
        while held and held[0][0] <= now:
            _, _, sink, frame = heapq.heappop(held)
            with contextlib.suppress(OSError):
                sink.send(frame)
