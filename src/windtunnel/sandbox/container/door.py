"""The socket in a gate's folder, to which a container's starter comes once, with the listener of its filter.

What holds: whoever comes is taken for the starter only if it is the first process's child under the program's user,
and is the first such; then the socket is closed and gone, before any program is there that could come to it. What it
hands over is a listener, and one alone. What does not hold: none of this says what the program does.
"""

from __future__ import annotations

import array
import contextlib
import errno
import os
import select
import socket
import struct
import time
from dataclasses import dataclass
from pathlib import Path

from windtunnel.core.errors import SandboxFailure

_CREDENTIALS = struct.Struct("=3i")
_MOST_DESCRIPTORS = 8
_LISTENER = "anon_inode:seccomp notify"
_NO_LISTENER = (errno.EBUSY, errno.EINVAL, errno.ENOSYS)
"""Somebody else listens to this machine's containers, or the kernel knows no listeners."""


class NoListener(Exception):
    """The starter may not have a listener here; no fault of the container's, which ends."""


@dataclass(slots=True, kw_only=True)
class Starter:
    """The one that came."""

    connection: socket.socket
    listener: int
    """Of its filter; -1 where it took none."""
    pid: int
    """On the host."""

    def ended(self) -> int | None:
        """The wait status that it tells; None when it went without a word."""
        with contextlib.suppress(OSError):
            told = self.connection.recv(8, socket.MSG_DONTWAIT)
            return int.from_bytes(told, "little") if len(told) == 4 else None  # noqa: PLR2004 -- an int of the kernel's
        return None

    def let_go(self) -> None:
        """It may end; so it may when we close."""
        with contextlib.suppress(OSError):
            self.connection.send(b"\0", socket.MSG_DONTWAIT | socket.MSG_NOSIGNAL)

    def close(self) -> None:
        """Also the listener, if nobody took it."""
        self.connection.close()
        if self.listener >= 0:
            os.close(self.listener)
            self.listener = -1


class Door:
    """Our end, from before the container is made until its starter has come."""

    def __init__(self, folder: str) -> None:
        """Listen in this folder."""
        self._path = Path(folder, "socket")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        held = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            self._socket.bind(f"/proc/self/fd/{held}/socket")  # the whole path may be too long for an address
            self._path.chmod(0o666)  # the folder's own way in decides who comes
            self._socket.listen(1)
            self._socket.setblocking(False)  # noqa: FBT003
        except BaseException:
            self.close()
            raise
        finally:
            os.close(held)

    def take(self, *, first: int, pidfd: int, uid: int, seconds: float) -> Starter | None:
        """The starter below the container's ``first`` process; None when that ended, or nobody came in time."""
        until = time.monotonic() + seconds
        try:
            while _came(self._socket, pidfd, until=until):
                connection, _ = self._socket.accept()
                pid = _child(connection, first=first, uid=uid)
                if pid:
                    return self._received(connection, pid, pidfd=pidfd, until=until)
                connection.close()
            return None
        finally:
            self.close()

    def _received(self, connection: socket.socket, pid: int, *, pidfd: int, until: float) -> Starter | None:
        connection.setblocking(False)  # noqa: FBT003
        try:
            if _came(connection, pidfd, until=until) and (told := _message(connection)) is not None:
                return Starter(connection=connection, listener=told, pid=pid)
        except BaseException:
            connection.close()
            raise
        connection.close()
        return None

    def close(self) -> None:
        """Nobody comes any more."""
        self._socket.close()
        self._path.unlink(missing_ok=True)


def _came(waited: socket.socket, pidfd: int, *, until: float) -> bool:
    """Whether there is something to take before the container's end."""
    poll = select.poll()
    poll.register(waited, select.POLLIN)
    poll.register(pidfd, select.POLLIN)
    found = dict(poll.poll(max(0.0, until - time.monotonic()) * 1000))
    return waited.fileno() in found


def _child(connection: socket.socket, *, first: int, uid: int) -> int:
    """The comer's number, if it is the first process's child under this user; else zero."""
    told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    pid, user, _ = _CREDENTIALS.unpack(told)
    with contextlib.suppress(OSError, ValueError, IndexError):
        parent = int(Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[1])
        if user == uid and first in (parent, pid):
            return int(pid)
    return 0


def _message(connection: socket.socket) -> int | None:
    """The listener, or -1 where none was asked for; None when the comer went away without a word."""
    data, ancillary, _, _ = connection.recvmsg(8, socket.CMSG_SPACE(4 * _MOST_DESCRIPTORS), socket.MSG_CMSG_CLOEXEC)
    descriptors = array.array("i")
    for _, _, rights in ancillary:
        descriptors.frombytes(rights[: len(rights) - len(rights) % 4])
    if data == b"\0" and not descriptors:
        return -1
    if data == b"\0" and len(descriptors) == 1 and os.readlink(f"/proc/self/fd/{descriptors[0]}") == _LISTENER:  # noqa: PTH115
        return descriptors[0]
    for descriptor in descriptors:
        os.close(descriptor)
    if not data:
        return None
    if data[0] in _NO_LISTENER:
        raise NoListener(os.strerror(data[0]))
    raise SandboxFailure(f"the container's starter could not take its filter: {os.strerror(data[0])}")
