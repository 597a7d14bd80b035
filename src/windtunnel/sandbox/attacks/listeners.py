"""Doors on the host that count who knocks: TCP, UDP and unix sockets, none reachable from the network."""

from __future__ import annotations

import selectors
import socket
import threading
from collections import Counter
from contextlib import suppress


class Listeners:
    """Listens on loopback and unix sockets until closed; ``counts`` says how often each was reached."""

    def __init__(self, *, path: str, abstract: str) -> None:
        """Open all of them; ``path`` must not exist yet, ``abstract`` is a name without its leading zero byte."""
        self.counts: Counter[str] = Counter()
        self._selector = selectors.DefaultSelector()
        self._stop_reading, self._stop_writing = socket.socketpair()
        self._selector.register(self._stop_reading, selectors.EVENT_READ, None)
        self.tcp_port = self._add("tcp", _bound(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)))
        self.udp_port = self._add("udp", _bound(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)))
        # The same port on the sixth protocol, where the machine has one.
        with suppress(OSError):
            self._add("tcp", _bound(socket.AF_INET6, socket.SOCK_STREAM, ("::1", self.tcp_port)))
        self._add("unix", _bound(socket.AF_UNIX, socket.SOCK_STREAM, path))
        self._add("abstract", _bound(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + abstract))
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _add(self, name: str, door: socket.socket) -> int:
        self._selector.register(door, selectors.EVENT_READ, name)
        address = door.getsockname()
        return int(address[1]) if isinstance(address, tuple) else 0

    def _serve(self) -> None:
        while True:
            for key, _ in self._selector.select():
                if key.data is None:
                    return
                self._answer(key.fileobj, key.data)

    def _answer(self, door: object, name: str) -> bool:
        assert isinstance(door, socket.socket)
        try:
            if door.type == socket.SOCK_DGRAM:
                door.recv(4096)
            else:
                door.accept()[0].close()
        except OSError:
            return False
        self.counts[name] += 1
        return True

    def settled(self) -> Counter[str]:
        """The counts when no knock waits unanswered; nothing is counted after this."""
        self._stop_writing.close()
        self._thread.join()
        for key in self._selector.get_map().values():
            while key.data is not None and self._answer(key.fileobj, key.data):
                pass
        return self.counts

    def close(self) -> None:
        """Stop listening."""
        self._stop_writing.close()
        self._thread.join()
        for key in list(self._selector.get_map().values()):
            assert isinstance(key.fileobj, socket.socket)
            key.fileobj.close()
        self._selector.close()


def _bound(family: int, kind: int, address: tuple[str, int] | str) -> socket.socket:
    door = socket.socket(family, kind)
    try:
        door.bind(address)
        if kind == socket.SOCK_STREAM:
            door.listen()
        door.settimeout(0)
    except OSError:
        door.close()
        raise
    return door
