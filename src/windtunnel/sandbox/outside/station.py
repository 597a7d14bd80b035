"""The process that simulated outsides are served from: ours, outside every sandbox, gone when its owner is.

It holds no run itself. For each it starts two processes, a carrier of packets and the services behind them, so that
neither keeps the other from being in time, and nobody's are shared. Each gets its sockets over a channel of its own,
says ``R`` when it is ready, is told to end by a message, and answers with what it saw; the end of its channel ends it.
"""

from __future__ import annotations

import contextlib
import gc
import marshal
import os
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from windtunnel.core.dying import die_with
from windtunnel.core.scenario import Fault, Link
from windtunnel.sandbox.outside.carrier import Carrier
from windtunnel.sandbox.outside.lane import Lane
from windtunnel.sandbox.outside.prompt import be_prompt
from windtunnel.sandbox.outside.services import Services

_NOBODY = 65_534
_MOST_MESSAGE, _MOST_DESCRIPTORS = 1 << 16, 64


def main(control: int, parent: int) -> NoReturn:
    """Take orders until the owner is gone."""
    leave_root()
    die_with(parent)
    be_prompt()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    orders = socket.socket(fileno=control)
    gc.collect()
    gc.freeze()
    while True:
        data, descriptors, _, _ = socket.recv_fds(orders, _MOST_MESSAGE, _MOST_DESCRIPTORS)
        if not data:
            os._exit(0)
        start_both(orders, marshal.loads(data), descriptors)  # noqa: S302 -- from our own supervisor
        for descriptor in descriptors:
            os.close(descriptor)


def leave_root() -> None:
    """Nothing here needs any power; what it reads was written by programs."""
    if os.geteuid() == 0:
        with contextlib.suppress(OSError):  # in a namespace without that user
            os.setgroups([])
            os.setresgid(_NOBODY, _NOBODY, _NOBODY)
            os.setresuid(_NOBODY, _NOBODY, _NOBODY)


def start_both(orders: socket.socket, order: dict[str, Any], channels: list[int]) -> None:
    """The carrier and the services of one run, before there is anything to carry."""
    parent = os.getpid()
    for act, mine in zip((carry, serve), channels, strict=True):
        if os.fork() == 0:
            try:
                die_with(parent)
                orders.close()
                for other in set(channels) - {mine}:
                    os.close(other)
                be(act, order, socket.socket(fileno=mine))
            finally:
                os._exit(1)


def be(act: Callable[[dict[str, Any], list[socket.socket], socket.socket], Any], order: dict[str, Any],
       channel: socket.socket) -> NoReturn:
    """One of the two, from its first word to its last."""
    with contextlib.suppress(OSError):  # the owner may be gone at any moment
        data, descriptors, _, _ = socket.recv_fds(channel, 1, _MOST_DESCRIPTORS)
        if data:
            seen = act(order, [socket.socket(fileno=descriptor) for descriptor in descriptors], channel)
            if channel.recv(1):
                channel.send(marshal.dumps(seen))
    os._exit(0)


def carry(order: dict[str, Any], sockets: list[socket.socket], channel: socket.socket) -> dict[str, int]:
    """Packets until told to end."""
    near, far = sockets
    link = Link(**order["link"])
    up, down = (Lane(link, seed=f"{order['seed']} {way}") for way in ("up", "down"))
    carrier = Carrier(near, far, up=up, down=down)
    channel.send(b"R")
    carrier.carry(channel)
    return carrier.report()


def serve(order: dict[str, Any], sockets: list[socket.socket], channel: socket.socket) -> list[str]:
    """Answers until told to end; the names that were asked for."""
    resolver, *pairs = sockets
    ports = order["ports"]
    services = Services(
        resolver=resolver, streams=dict(zip(ports, pairs[::2], strict=True)),
        datagrams=dict(zip(ports, pairs[1::2], strict=True)), faults=frozenset(map(Fault, order["faults"])))
    channel.send(b"R")
    services.serve(channel)
    return list(services.names)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
