"""The way out of a container that may reach some hosts: sockets of ours inside its network, served by us outside.

The container keeps a network of its own with nothing but a loopback. Root may enter it for the moment that it takes to
make listening sockets there; whoever holds such a socket serves it from anywhere.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Sequence

from windtunnel.core.errors import IsolationUnavailable, SandboxFailure
from windtunnel.core.ports import Job
from windtunnel.sandbox.egress import Egress, parse_hosts
from windtunnel.sandbox.request import PROXY

_NEW_NETWORK = 0x40000000
_ENTER_SECONDS = 10.0


def egress_for(job: Job) -> Egress | None:
    """For a job with an allow-list."""
    if not job.network.allow_hosts:
        return None
    if os.geteuid() != 0:
        raise IsolationUnavailable(
            "at the container level only root can allow single hosts (start as root, or take the process level)")
    return Egress(parse_hosts(job.network.allow_hosts))


def serve(egress: Egress, pid: int) -> None:
    """Put our sockets into the network of a process, and serve them."""
    direct = egress.direct_ports()
    proxy, *others = listeners(pid, [PROXY, *((address, port) for address, port, _ in direct)])
    egress.serve_proxy(proxy)
    for listener, (_, port, host) in zip(others, direct, strict=True):
        egress.serve_direct(listener, host=host, port=port)


def listeners(pid: int, places: Sequence[tuple[str, int]]) -> list[socket.socket]:
    """Sockets that listen in the network of a process; made by a thread that ends in there."""
    made: list[socket.socket] = []
    failed: list[OSError] = []

    def enter() -> None:
        try:
            _enter(pid)
            made.extend(_listening(place) for place in places)
        except OSError as error:
            failed.append(error)

    thread = threading.Thread(target=enter, name="windtunnel-enter", daemon=True)
    thread.start()
    thread.join(_ENTER_SECONDS)
    if failed or len(made) != len(places):
        for one in made:
            one.close()
        raise SandboxFailure(f"no way out can be made in the container: {failed[0] if failed else 'no answer'}")
    return made


def _enter(pid: int) -> None:
    from windtunnel.sandbox.inside import kernel  # noqa: PLC0415 -- ctypes, which few need

    descriptor = os.open(f"/proc/{pid}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        kernel.call(kernel.libc.setns(descriptor, _NEW_NETWORK), "setns")
    finally:
        os.close(descriptor)


def _listening(place: tuple[str, int]) -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(place)
        made.listen(64)
    except OSError:
        made.close()
        raise
    return made
