"""Who answers in a simulated outside: the resolver, HTTP and echoes, and how they misbehave.

The faults, as a program meets them:

- ``timeout``: connections open, and nothing ever answers; nor does UDP. Names resolve.
- ``reset_connections``: a connection opens and is reset as soon as anything is said in it.
- ``slow_connections``: answers come a byte at a time, one each ``DRIP_SECONDS``.
- ``killed_dependency``: the first thing said in any connection is answered; from then on nobody listens, on TCP or UDP,
  and connections that are still open are reset when anything more is said in them.
- ``dns_failure``: the resolver answers SERVFAIL.

What holds: a program costs no more than ``MOST_CONNECTIONS`` connections and one chunk each; further ones wait.
"""

from __future__ import annotations

import contextlib
import select
import socket
import struct
import time
from collections.abc import Mapping

from windtunnel.core.scenario import Fault
from windtunnel.sandbox.outside import names
from windtunnel.sandbox.outside.pages import HTTP_PORT, Echo, Http, Talk

MOST_CONNECTIONS = 256
DRIP_SECONDS = 0.02
_CHUNK = 64 * 1024
_MOST_NAMES = 256
_BATCH = 32
_PACKET_INFO = 8
_INFO = struct.Struct("=I4s4s")
_RESET_AT_CLOSE = struct.pack("ii", 1, 0)


class Connection:
    """One that the program opened, and what is still to be said in it."""

    def __init__(self, sock: socket.socket, talk: Talk) -> None:
        """Nothing was said yet."""
        self.sock, self.talk = sock, talk
        self.pending = b""
        self.heard_all = False

    @property
    def events(self) -> int:
        """What to wait for; who does not listen is not heard either."""
        return select.EPOLLOUT if self.pending else 0 if self.heard_all else select.EPOLLIN

    def reset(self) -> None:
        """End it as a machine does that knows nothing of it."""
        with contextlib.suppress(OSError):
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_AT_CLOSE)
        self.sock.close()


class Services:
    """All of them, in one thread."""

    def __init__(
        self, *, resolver: socket.socket, streams: Mapping[int, socket.socket], datagrams: Mapping[int, socket.socket],
        faults: frozenset[Fault],
    ) -> None:
        """Take over the sockets, by their ports."""
        self._poll = select.epoll()
        self._faults = faults
        self._resolver = resolver
        self._listeners = {sock.fileno(): (sock, port) for port, sock in streams.items()}
        self._datagrams = {sock.fileno(): sock for sock in datagrams.values()}
        self._open: dict[int, Connection] = {}
        self._dripping: dict[int, float] = {}
        self._full = False
        self.names: dict[str, None] = {}
        """Asked for, in the order of the first time; the first 256."""
        for sock in (resolver, *streams.values(), *datagrams.values()):
            sock.setblocking(False)  # noqa: FBT003
            self._poll.register(sock, select.EPOLLIN)

    def serve(self, until: socket.socket) -> None:
        """Until that socket has something to say."""
        self._poll.register(until, select.EPOLLIN)
        while True:
            for descriptor, _ in self._poll.poll(self._wait()):
                if descriptor == until.fileno():
                    return
                self._attend(descriptor)
            self._drip()

    def _attend(self, descriptor: int) -> None:
        if descriptor in self._open:
            self._converse(descriptor, self._open[descriptor])
        elif descriptor in self._listeners:
            self._accept(*self._listeners[descriptor])
        elif descriptor == self._resolver.fileno():
            self._hear_datagrams(self._resolver, resolve=True)
        elif descriptor in self._datagrams:
            self._hear_datagrams(self._datagrams[descriptor], resolve=False)

    # --- datagrams ---

    def _hear_datagrams(self, sock: socket.socket, *, resolve: bool) -> None:
        for _ in range(_BATCH):
            try:
                data, notes, _, sender = sock.recvmsg(_CHUNK, 128)
            except OSError:
                return
            said = self._resolve(data) if resolve else None if Fault.TIMEOUT in self._faults else data
            asked = next((note for _, kind, note in notes if kind == _PACKET_INFO), b"")
            if said is not None and len(asked) == _INFO.size:
                _, _, address = _INFO.unpack(asked)
                answered_from = [(socket.IPPROTO_IP, _PACKET_INFO, _INFO.pack(0, address, bytes(4)))]
                with contextlib.suppress(OSError):
                    sock.sendmsg([said], answered_from, 0, sender)

    def _resolve(self, data: bytes) -> bytes | None:
        said, name = names.answer(data, fail=Fault.DNS_FAILURE in self._faults)
        if name and len(self.names) < _MOST_NAMES:
            self.names[name.lower()] = None
        return said or None

    # --- connections ---

    def _accept(self, listener: socket.socket, port: int) -> None:
        if len(self._open) >= MOST_CONNECTIONS and not self._forget_one():
            self._pause(full=True)
            return
        try:
            sock, _ = listener.accept()
        except OSError:
            return
        sock.setblocking(False)  # noqa: FBT003
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._open[sock.fileno()] = Connection(sock, Http() if port == HTTP_PORT else Echo())
        self._poll.register(sock, select.EPOLLIN)

    def _forget_one(self) -> bool:
        """Make room by the oldest connection whose program has said its last word and still waits for an answer."""
        done = next((number for number, one in self._open.items() if one.heard_all and not one.pending), None)
        if done is not None:
            self._end(done, self._open[done])
        return done is not None

    def _pause(self, *, full: bool) -> None:
        """Let further connections wait, or let them in again."""
        if full != self._full:
            self._full = full
            for descriptor in self._listeners:
                self._poll.modify(descriptor, 0 if full else select.EPOLLIN)

    def _converse(self, descriptor: int, connection: Connection) -> None:
        try:
            if connection.pending:
                self._say(connection)
            else:
                self._listen(connection)
        except BlockingIOError:
            return
        except OSError:
            self._end(descriptor, connection)
            return
        self._go_on(descriptor, connection)

    def _listen(self, connection: Connection) -> None:
        data = connection.sock.recv(_CHUNK)
        connection.heard_all = not data
        if Fault.TIMEOUT in self._faults:
            return
        if data and (Fault.RESET_CONNECTIONS in self._faults or self._is_killed()):
            raise ConnectionResetError
        connection.pending = connection.talk.take(data)
        if connection.pending and Fault.KILLED_DEPENDENCY in self._faults:
            self._stop_listening()

    def _say(self, connection: Connection) -> None:
        slow = Fault.SLOW_CONNECTIONS in self._faults
        sent = connection.sock.send(connection.pending[:1] if slow else connection.pending)
        connection.pending = connection.pending[sent:]

    def _go_on(self, descriptor: int, connection: Connection) -> None:
        over = connection.talk.over or (connection.heard_all and Fault.TIMEOUT not in self._faults)
        if over and not connection.pending:
            self._end(descriptor, connection, kindly=True)
        elif connection.pending and Fault.SLOW_CONNECTIONS in self._faults:
            self._dripping[descriptor] = time.monotonic() + DRIP_SECONDS
            self._poll.modify(descriptor, 0)
        else:
            self._poll.modify(descriptor, connection.events)

    def _end(self, descriptor: int, connection: Connection, *, kindly: bool = False) -> None:
        self._poll.unregister(descriptor)
        self._dripping.pop(descriptor, None)
        del self._open[descriptor]
        if kindly:
            connection.sock.close()
        else:
            connection.reset()
        self._pause(full=False)

    def _is_killed(self) -> bool:
        return Fault.KILLED_DEPENDENCY in self._faults and not self._listeners

    def _stop_listening(self) -> None:
        for sock in (*(listener for listener, _ in self._listeners.values()), *self._datagrams.values()):
            self._poll.unregister(sock)
            sock.close()
        self._listeners, self._datagrams = {}, {}

    # --- drips ---

    def _wait(self) -> float:
        return max(0.0, min(self._dripping.values()) - time.monotonic()) if self._dripping else -1

    def _drip(self) -> None:
        now = time.monotonic()
        for descriptor in [number for number, due in self._dripping.items() if due <= now]:
            del self._dripping[descriptor]
            self._poll.modify(descriptor, select.EPOLLOUT)
