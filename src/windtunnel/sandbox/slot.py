"""One sandbox, from the order that makes it to the end of its one run."""

from __future__ import annotations

import array
import contextlib
import marshal
import os
import select
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from windtunnel.core.errors import SandboxFailure
from windtunnel.sandbox.cgroups import Group
from windtunnel.sandbox.handover import memory_file
from windtunnel.sandbox.stems import Stem
from windtunnel.spawn.supervise import kill, receive

_INLINE = 1 << 15
_READY_SECONDS = 20.0


@dataclass(slots=True, kw_only=True)
class Slot:
    """A sandbox that has been ordered: its channel, its streams, its control group."""

    channel: socket.socket
    stdin: int
    stdout: int
    stderr: int
    group: Group | None
    order: Mapping[str, Any]
    pidfd: int = -1
    folders: list[int] = field(default_factory=list)
    """The private writable folders, then /sandbox, then with a workspace its upper layer."""
    workspace: str = ""
    """How a workspace is shown: as an ``overlay``, or as a ``copy``."""
    handed: list[int] | None = None
    """Descriptors that an already waiting interpreter handed out."""
    heard: list[tuple[bytes, list[int]]] = field(default_factory=list)
    """Messages of a run that was quicker than the word of its birth; for whoever watches over it."""
    stem: object = None
    """What it grew from, for its owner's book-keeping."""

    def settle(self) -> None:
        """Wait until the sandbox is built; raise what it says if it cannot be."""
        self.channel.settimeout(_READY_SECONDS)
        gate = bool(self.order["gate"])
        while self.pidfd < 0 or not self.folders or (gate and self.handed is None):
            try:
                data, descriptors = receive(self.channel)
            except TimeoutError as error:
                raise SandboxFailure("a sandbox was not ready within 20 seconds; is the machine overloaded?") from error
            self._take(data, descriptors)
        self.channel.settimeout(None)

    def _take(self, data: bytes, descriptors: list[int]) -> None:
        kind = data[:1]
        if kind == b"P" and len(descriptors) == 1:
            (self.pidfd,) = descriptors
        elif kind == b"R" and descriptors:
            self.folders, self.workspace = descriptors, data[1:].decode()
        elif kind == b"G" and self.order["gate"]:
            self.handed = descriptors
        elif kind in (b"G", b"E"):
            self.heard.append((data, descriptors))
        else:
            for descriptor in descriptors:
                os.close(descriptor)
            said = data[1:].decode("utf-8", "replace") if kind == b"X" else "it ended before it was ready"
            raise SandboxFailure(f"the sandbox could not be built: {said}")

    def request(self, request: Mapping[str, Any]) -> None:
        """Hand over the program; large ones through memory instead of the socket."""
        data = marshal.dumps(dict(request))
        try:
            if len(data) <= _INLINE:
                self.channel.send(data)
                return
            payload = memory_file(data)
            try:
                socket.send_fds(self.channel, [b"M"], [payload])
            finally:
                os.close(payload)
        except ConnectionError:
            return  # the sandbox is gone; settling says why

    def init(self) -> int:
        """The process number of init on the host."""
        with open(f"/proc/self/fdinfo/{self.pidfd}") as file:  # noqa: PTH123
            for line in file:
                if line.startswith("Pid:"):
                    return int(line.split()[1])
        return -1

    def alive(self) -> bool:
        """Whether its init still lives."""
        poll = select.poll()
        poll.register(self.pidfd, select.POLLIN)
        return not poll.poll(0)

    def discard(self, *, ended: bool = False) -> None:
        """End it unused, or let go of it after its run; an init that has reported ends when its channel closes."""
        if self.pidfd >= 0 and not ended:
            kill(self.pidfd)
        heard = [descriptor for _, descriptors in self.heard for descriptor in descriptors]
        for descriptor in (
            self.pidfd, self.stdin, self.stdout, self.stderr, *self.folders, *(self.handed or []), *heard,
        ):
            if descriptor >= 0:
                with contextlib.suppress(OSError):
                    os.close(descriptor)
        self.channel.close()
        self.pidfd = self.stdin = self.stdout = self.stderr = -1
        self.folders, self.handed, self.heard = [], None, []


def order_slot(stem: Stem, order: Mapping[str, Any], group: Group | None) -> Slot:
    """Order a sandbox from a stem; it is built while we go on."""
    entrances = group.entrances() if group is not None else []
    channel, inner = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    pipes = [os.pipe() for _ in range(3)]
    given = [inner.fileno(), pipes[0][0], pipes[1][1], pipes[2][1], *entrances]
    slot = Slot(channel=channel, stdin=pipes[0][1], stdout=pipes[1][0], stderr=pipes[2][0], group=group, order=order)
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", given))]
    try:
        stem.control.sendmsg([marshal.dumps(dict(order))], rights)
    except OSError as error:
        slot.discard()
        raise SandboxFailure("the stem of the sandboxes is gone") from error
    finally:
        inner.close()
        for descriptor in given[1:]:
            os.close(descriptor)
    return slot


def remove_soon(group: Group, *, seconds: float) -> bool:
    """Remove a control group whose last process is about to be gone."""
    until = time.monotonic() + seconds
    while not group.remove():
        if time.monotonic() > until:
            return False
        time.sleep(0.001)
    return True
