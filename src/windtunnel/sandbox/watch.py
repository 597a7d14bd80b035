"""The log of a watched run: refused calls, and the addresses a program asked for.

This is a log and never a wall. The calls recorded as blocked are refused here as they would be without a watcher.
An address is read from the program's memory while the program may rewrite it, so a hostile one can have another
address recorded than the one it reaches: what it can reach is decided by the network namespace, never here.
Not seen: addresses given to sendmsg and sendmmsg, and clone3, which the filter refuses without asking. Seen although
nothing was sent: connect on a datagram socket, which also name resolution does to sort addresses.
"""

from __future__ import annotations

import errno
import fcntl
import os
import select
import socket
import struct
from collections import Counter
from typing import NamedTuple

from windtunnel.core.effects import BlockedCall, NetworkAttempt
from windtunnel.core.errors import SandboxFailure
from windtunnel.sandbox.seccomp import SOCKET_ERRNO
from windtunnel.sandbox.syscalls import MACHINES

MOST_TARGETS = 256

_NOTICE = struct.Struct("=QIIiIQ6Q")
_ANSWER = struct.Struct("=QqiI")
_RECEIVE, _SEND, _STILL_VALID = 0xC0502100, 0xC0182101, 0x40082102
_CONTINUE = 1
_NAMES = {machine.audit: {number: name for name, number in machine.numbers.items()} for machine in MACHINES.values()}
_ADDRESS_ARGUMENTS = {"connect": (1, 2), "sendto": (4, 5)}
_SOCKET_CALLS = ("socket", "socketpair")
_LONGEST_ADDRESS = 28
_ADDRESSES: dict[int, tuple[int, int, int]] = {socket.AF_INET: (16, 4, 8), socket.AF_INET6: (24, 8, 24)}
"""For each family the shortest structure that the kernel takes, and where in it the address starts and ends."""
_MAPPED = bytes(10) + b"\xff\xff"
"""What stands before an IPv4 address written as an IPv6 one."""
_GONE = (errno.ENOENT, errno.EINTR)
"""The caller was killed, or a signal took it out of the call; if it comes back, it asks again."""


class _Notice(NamedTuple):
    """One ``struct seccomp_notif``."""

    id: int
    pid: int
    name: str
    arguments: tuple[int, ...]


class Watcher:
    """Answers the filter's questions and remembers them; memory is bounded whatever the program does.

    The program waits for each answer. One that asks without end spends the watcher's processor time, one question
    at a time, until its own time limit. It takes the descriptor over and closes it in ``close``; from then on the
    kernel answers ENOSYS to all that would have been asked, connect included.
    """

    def __init__(self, listener_fd: int, *, refuse_network: bool) -> None:
        """``refuse_network`` says that the run has no network, so every address asked for is out of reach."""
        self._listener = listener_fd
        self._refuse_network = refuse_network
        self._blocked: Counter[str] = Counter()
        self._targets: Counter[str] = Counter()
        self.omitted = 0
        """Attempts to reach further targets than the record holds."""
        self.unreadable = 0
        """Addresses that could not be read although the caller still waited: a bad pointer, or no right to read."""

    def fileno(self) -> int:
        """The descriptor to wait on; -1 once closed."""
        return self._listener

    def close(self) -> None:
        """Stop watching; what was recorded stays."""
        if self._listener >= 0:
            os.close(self._listener)
            self._listener = -1

    def handle(self) -> bool:
        """Answer one question if there is one, without waiting; False once nobody is left who could ask."""
        poll = select.poll()
        poll.register(self._listener, select.POLLIN)
        events = dict(poll.poll(0)).get(self._listener, 0)
        if events & select.POLLIN:
            notice = self._receive()
            if notice is not None:
                self._answer(notice)
            return True
        return not events

    def network(self) -> tuple[NetworkAttempt, ...]:
        """Targets outside the loopback, in the order of their first attempt, at most 256 of them."""
        return tuple(self._attempt(target, count) for target, count in self._targets.items())

    def blocked(self) -> tuple[BlockedCall, ...]:
        """Refused calls by name, in the order of their first attempt."""
        return tuple(BlockedCall(name=name, count=count) for name, count in self._blocked.items())

    def _attempt(self, target: str, count: int) -> NetworkAttempt:
        if self._refuse_network:
            return NetworkAttempt(target=target, outcome="refused", rule="no network", count=count)
        return NetworkAttempt(target=target, outcome="allowed", rule="host network", count=count)

    def _receive(self) -> _Notice | None:
        buffer = bytearray(_NOTICE.size)
        if not self._ioctl(_RECEIVE, buffer):
            return None
        identity, pid, _, number, architecture, _, *arguments = _NOTICE.unpack(buffer)
        name = _NAMES.get(architecture, {}).get(number, f"system call {number}")
        return _Notice(identity, pid, name, tuple(arguments))

    def _answer(self, notice: _Notice) -> None:
        if notice.name in _ADDRESS_ARGUMENTS:
            self._record_address(notice)
            answer = _ANSWER.pack(notice.id, 0, 0, _CONTINUE)
        else:
            self._blocked[notice.name] += 1
            refusal = SOCKET_ERRNO if notice.name in _SOCKET_CALLS else errno.EPERM
            answer = _ANSWER.pack(notice.id, 0, -refusal, 0)
        self._ioctl(_SEND, bytearray(answer))

    def _record_address(self, notice: _Notice) -> None:
        pointer, length = (notice.arguments[index] for index in _ADDRESS_ARGUMENTS[notice.name])
        raw = _memory(notice.pid, pointer, length=min(length & 0xFFFFFFFF, _LONGEST_ADDRESS))
        # Without this the pid could by now be another process, and the bytes that one's.
        if not self._ioctl(_STILL_VALID, bytearray(struct.pack("=Q", notice.id))):
            return
        if raw is None:
            self.unreadable += 1
        elif target := _target(raw):
            self._count(target)

    def _count(self, target: str) -> None:
        if target in self._targets or len(self._targets) < MOST_TARGETS:
            self._targets[target] += 1
        else:
            self.omitted += 1

    def _ioctl(self, request: int, buffer: bytearray) -> bool:
        """Whether the kernel still knew the question; any other failure is ours."""
        try:
            fcntl.ioctl(self._listener, request, buffer)
        except OSError as error:
            if error.errno in _GONE:
                return False
            raise SandboxFailure(f"the system call listener failed: {error.strerror}") from error
        return True


def _memory(pid: int, pointer: int, *, length: int) -> bytes | None:
    """Bytes of a process that may end, lie about the pointer, or be out of reach; None for all of these."""
    try:
        descriptor = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return os.pread(descriptor, length, pointer)
    except (OSError, OverflowError):
        return None
    finally:
        os.close(descriptor)


def _target(raw: bytes) -> str | None:
    """``address:port`` of an IPv4 or IPv6 address outside the program's own loopback, else None.

    The unspecified address counts as loopback, because that is where the kernel connects it to.
    """
    family = int.from_bytes(raw[:2], "little")
    shortest, start, end = _ADDRESSES.get(family, (_LONGEST_ADDRESS + 1, 0, 0))
    if len(raw) < shortest:
        return None
    packed, port = raw[start:end], int.from_bytes(raw[2:4], "big")
    if _is_own(packed.removeprefix(_MAPPED)):
        return None
    text = socket.inet_ntop(family, packed)
    return f"{text}:{port}" if family == socket.AF_INET else f"[{text}]:{port}"


def _is_own(packed: bytes) -> bool:
    if len(packed) == 4:  # noqa: PLR2004 -- the bytes of an IPv4 address
        return packed[0] == 127 or not any(packed)  # noqa: PLR2004 -- 127.0.0.0/8
    return int.from_bytes(packed, "big") <= 1
