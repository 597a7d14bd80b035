"""The log of a watched run: refused calls, and the addresses a program asked for.

This is a log and never a wall. The calls recorded as blocked are refused here as they would be without a watcher.
An address is read from the program's memory while the program may rewrite it, so a hostile one can have another
address recorded than the one it reaches: what it can reach is decided by the network namespace, never here.
Not seen: addresses given to sendmsg and sendmmsg, and clone3, which the filter refuses without asking. Seen although
nothing was sent: connect on a datagram socket, which also name resolution does to sort addresses.
"""

from __future__ import annotations

import socket

from windtunnel.core.effects import BlockedCall, NetworkAttempt
from windtunnel.core.errors import SandboxFailure
from windtunnel.sandbox.inside import notices
from windtunnel.sandbox.syscalls import MACHINES

_NAMES = {machine.audit: {number: name for name, number in machine.numbers.items()} for machine in MACHINES.values()}


class Watcher(notices.Notices):
    """Answers the filter's questions and turns what was counted into effects."""

    def __init__(self, listener_fd: int, *, refuse_network: bool) -> None:
        """``refuse_network`` says that the run has no network, so every address asked for is out of reach."""
        super().__init__(listener_fd)
        self._refuse_network = refuse_network

    def network(self) -> tuple[NetworkAttempt, ...]:
        """Targets outside the loopback, in the order of their first attempt, at most 256 of them."""
        found = ((target_text(target), count) for target, count in self.targets.items())
        return tuple(attempt(text, count, refused=self._refuse_network) for text, count in found if text)

    def blocked(self) -> tuple[BlockedCall, ...]:
        """Refused calls by name, in the order of their first attempt."""
        return tuple(
            BlockedCall(name=call_name(number, architecture=architecture) or f"system call {number}", count=count)
            for (architecture, number), count in self.calls.items())

    def _ioctl(self, request: int, buffer: bytearray) -> bool:
        try:
            return super()._ioctl(request, buffer)
        except OSError as error:
            raise SandboxFailure(f"the system call listener failed: {error.strerror}") from error


def attempt(target: str, count: int, *, refused: bool) -> NetworkAttempt:
    """How an address asked for is told: out of reach without a network, else let through to the host's."""
    if refused:
        return NetworkAttempt(target=target, outcome="refused", rule="no network", count=count)
    return NetworkAttempt(target=target, outcome="allowed", rule="host network", count=count)


def call_name(number: int, *, architecture: int = MACHINES["x86_64"].audit) -> str | None:
    """The name of a system call; None for a number that is in no table."""
    return _NAMES.get(architecture, {}).get(number)


def target_text(packed: bytes) -> str | None:
    """``address:port`` of what ``packed_target`` made; None for bytes that it never makes."""
    family = int.from_bytes(packed[:2], "little")
    _, start, end = notices.ADDRESSES.get(family, (0, 0, 0))
    address = packed[4:]
    if not end or len(address) != end - start or notices.is_own(address.removeprefix(notices.MAPPED)):
        return None
    text, port = socket.inet_ntop(family, address), int.from_bytes(packed[2:4], "big")
    return f"{text}:{port}" if family == socket.AF_INET else f"[{text}]:{port}"
