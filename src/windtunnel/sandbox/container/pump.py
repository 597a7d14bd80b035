"""The one connection of an attached container as three plain streams.

The engine puts an eight-byte head before each piece of output: which stream, three zeros, the length. A head that says
anything else ends the streams: what follows could be taken for output that it is not.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import threading

_HEAD = 8
_CHUNK = 1 << 16


class Pump:
    """Carries bytes on a thread of its own until the container's end."""

    def __init__(self, connection: socket.socket, *, owner: object) -> None:
        """``owner`` is kept, because it closes the connection when it goes."""
        self._connection, self._owner = connection, owner
        self._connection.settimeout(0)
        self._in, self.stdin = os.pipe()
        self.stdout, self._out = os.pipe()
        self.stderr, self._err = os.pipe()
        self._wake, self._stop = os.pipe()
        self._unsent = memoryview(b"")
        self._closed = False
        self._lock = threading.Lock()
        threading.Thread(target=self._carry, name="windtunnel-pump", daemon=True).start()

    def close(self) -> None:
        """Stop carrying."""
        with self._lock:
            if not self._closed:
                self._closed = True
                os.close(self._stop)

    def _carry(self) -> None:
        parser = Frames({1: self._out, 2: self._err})
        poll = select.poll()
        for descriptor in (self._connection.fileno(), self._in, self._wake):
            poll.register(descriptor, select.POLLIN)
        try:
            while self._turn(poll, parser):
                pass
        except (OSError, ValueError):
            pass  # the container or the reader is gone: the streams end
        finally:
            for descriptor in (self._in, self._out, self._err, self._wake):
                with contextlib.suppress(OSError):
                    os.close(descriptor)
            for end in (self._connection, self._owner):  # a file made of a socket keeps it open
                with contextlib.suppress(OSError):
                    getattr(end, "close", lambda: None)()

    def _turn(self, poll: select.poll, parser: Frames) -> bool:
        for descriptor, event in poll.poll():
            if descriptor == self._wake:
                return False
            if descriptor == self._in:
                self._feed(poll)
                continue
            if event & select.POLLOUT:
                self._send(poll)
            if event != select.POLLOUT and not self._receive(parser):
                return False
        return True

    def _receive(self, parser: Frames) -> bool:
        try:
            data = self._connection.recv(_CHUNK)
        except BlockingIOError:
            return True
        parser.take(data)
        return bool(data)

    def _feed(self, poll: select.poll) -> None:
        """Take a piece of input, and no more before it is sent; meanwhile output is carried."""
        self._unsent = memoryview(os.read(self._in, _CHUNK))
        poll.unregister(self._in)
        if self._unsent:
            poll.modify(self._connection, select.POLLIN | select.POLLOUT)
        else:
            with contextlib.suppress(OSError):
                self._connection.shutdown(socket.SHUT_WR)

    def _send(self, poll: select.poll) -> None:
        try:
            self._unsent = self._unsent[self._connection.send(self._unsent):]
        except BlockingIOError:
            return
        except OSError:  # nobody reads any more; output may still be on its way
            self._unsent = memoryview(b"")
            poll.modify(self._connection, select.POLLIN)
            os.close(self._in)
            self._in = -1
            return
        if not self._unsent:
            poll.modify(self._connection, select.POLLIN)
            poll.register(self._in, select.POLLIN)


class Frames:
    """Takes the engine's pieces apart."""

    def __init__(self, streams: dict[int, int]) -> None:
        """Stream number to the descriptor that gets its bytes."""
        self._streams = streams
        self._head = b""
        self._left, self._into = 0, -1

    def take(self, data: bytes) -> None:
        """Hand on what is in it; raises ``ValueError`` for what is no head."""
        view = memoryview(data)
        while view:
            if not self._left:
                missing = _HEAD - len(self._head)
                self._head += bytes(view[:missing])
                view = view[missing:]
                if len(self._head) == _HEAD:
                    self._begin()
                continue
            piece, view = view[:self._left], view[self._left:]
            self._left -= len(piece)
            while piece:
                piece = piece[os.write(self._into, piece):]

    def _begin(self) -> None:
        if self._head[0] not in self._streams or any(self._head[1:4]):
            raise ValueError(f"not the head of a piece of output: {self._head!r}")
        self._into, self._left = self._streams[self._head[0]], int.from_bytes(self._head[4:], "big")
        self._head = b""
