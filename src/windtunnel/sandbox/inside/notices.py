"""Answering a watching filter's questions, and counting them: in a guest by its agent, on the host by ``watch``.

What is counted are numbers and packed addresses, as the kernel has them; the host alone turns them into names, so a
guest has no text to put in a record. Memory is bounded whatever the program does. Imports nothing of ours, because
this one file runs on both sides.
"""

from __future__ import annotations

import errno
import fcntl
import os
import select
import struct

MOST_TARGETS = 256
CALLS = {
    0xC000003E: {41: "socket", 42: "connect", 44: "sendto", 53: "socketpair"},
    0xC00000B7: {198: "socket", 199: "socketpair", 203: "connect", 206: "sendto"},
}
"""For each machine's calling convention, the calls that are not just refused with EPERM and counted."""
ADDRESS_ARGUMENTS = {"connect": (1, 2), "sendto": (4, 5)}
NOTICE, ANSWER = struct.Struct("=QIIiIQ6Q"), struct.Struct("=QqiI")
RECEIVE, SEND, STILL_VALID = 0xC0502100, 0xC0182101, 0x40082102
CONTINUE = 1
LONGEST_ADDRESS = 28
ADDRESSES = {2: (16, 4, 8), 10: (24, 8, 24)}
"""For IPv4 and IPv6 the shortest structure that the kernel takes, and where in it the address starts and ends."""
MAPPED = bytes(10) + b"\xff\xff"
"""What stands before an IPv4 address written as an IPv6 one."""
GONE = (errno.ENOENT, errno.EINTR)
"""The caller was killed, or a signal took it out of the call; if it comes back, it asks again."""


class Notice:
    """One ``struct seccomp_notif``."""

    def __init__(self, raw: bytes | bytearray) -> None:
        """As the kernel gave it."""
        self.id, self.pid, _, self.number, self.architecture, _, *self.arguments = NOTICE.unpack(raw)
        self.call = CALLS.get(self.architecture, {}).get(self.number, "")


class Notices:
    """Answers the filter's questions and remembers them.

    The program waits for each answer. One that asks without end spends the answerer's processor time, one question
    at a time, until its own time limit. It takes the descriptor over and closes it in ``close``; from then on the
    kernel answers ENOSYS to all that would have been asked, connect included.
    """

    def __init__(self, listener: int) -> None:
        """Of one filter."""
        self._listener = listener
        self.calls: dict[tuple[int, int], int] = {}
        """How often each call, by convention and number, was refused; as many as the filter asks about at most."""
        self.targets: dict[bytes, int] = {}
        """How often each packed address outside the loopback was asked for, in the order of the first attempt."""
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
            self.answer()
            return True
        return not events

    def answer(self) -> None:
        """Answer the question that waits; without one, wait for it."""
        buffer = bytearray(NOTICE.size)
        if not self._ioctl(RECEIVE, buffer):
            return
        notice = Notice(buffer)
        if notice.call in ADDRESS_ARGUMENTS:
            self._record_address(notice)
            answer = ANSWER.pack(notice.id, 0, 0, CONTINUE)
        else:
            key = (notice.architecture, notice.number)
            self.calls[key] = self.calls.get(key, 0) + 1
            refusal = errno.EAFNOSUPPORT if notice.call else errno.EPERM
            answer = ANSWER.pack(notice.id, 0, -refusal, 0)
        self._ioctl(SEND, bytearray(answer))

    def _record_address(self, notice: Notice) -> None:
        pointer, length = (notice.arguments[index] for index in ADDRESS_ARGUMENTS[notice.call])
        raw = memory(notice.pid, pointer, length=min(length & 0xFFFFFFFF, LONGEST_ADDRESS))
        # Without this the pid could by now be another process, and the bytes that one's.
        if not self._ioctl(STILL_VALID, bytearray(struct.pack("=Q", notice.id))):
            return
        if raw is None:
            self.unreadable += 1
        elif target := packed_target(raw):
            self._count(target)

    def _count(self, target: bytes) -> None:
        if target in self.targets or len(self.targets) < MOST_TARGETS:
            self.targets[target] = self.targets.get(target, 0) + 1
        else:
            self.omitted += 1

    def _ioctl(self, request: int, buffer: bytearray) -> bool:
        """Whether the kernel still knew the question; any other failure is ours."""
        try:
            fcntl.ioctl(self._listener, request, buffer)
        except OSError as error:
            if error.errno in GONE:
                return False
            raise
        return True


def memory(pid: int, pointer: int, *, length: int) -> bytes | None:
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


def packed_target(raw: bytes) -> bytes | None:
    """Family, port and address of an internet address outside the program's own loopback, else None.

    The unspecified address counts as loopback, because that is where the kernel connects it to.
    """
    shortest, start, end = ADDRESSES.get(int.from_bytes(raw[:2], "little"), (LONGEST_ADDRESS + 1, 0, 0))
    if len(raw) < shortest or is_own(raw[start:end].removeprefix(MAPPED)):
        return None
    return raw[:4] + raw[start:end]


def is_own(packed: bytes) -> bool:
    """Whether an address leads back to the program's own machine."""
    if len(packed) == 4:
        return packed[0] == 127 or not any(packed)
    return int.from_bytes(packed, "big") <= 1
