"""One POST within one deadline, to an address that was looked at before."""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import IO, Any
from urllib.parse import urlsplit

from windtunnel.core.errors import SandboxFailure
from windtunnel.engine.watch.address import resolve, shown_address

_MOST_ANSWER = 65_536


def post(
    to: str, body: bytes, *, headers: Mapping[str, str], seconds: float, link_local: bool = False,
) -> tuple[int, str]:
    """The code and the beginning of the answer."""
    until = time.monotonic() + seconds
    parts = urlsplit(to)
    assert parts.hostname is not None
    place = resolve(parts.hostname, parts.port or (443 if parts.scheme == "https" else 80), seconds=seconds,
                    link_local=link_local)
    doors = _Doors(place, until)
    opener = urllib.request.OpenerDirector()
    for handler in (_Http(doors), _Https(doors), _Answers()):
        opener.add_handler(handler)
    request = urllib.request.Request(to, data=body, headers=dict(headers), method="POST")  # noqa: S310 -- http or https
    request.add_header("User-Agent", "windtunnel")
    try:
        with doors.watched(), opener.open(request, timeout=doors.left()) as answer:
            told = int(answer.status), answer.read(_MOST_ANSWER).decode("utf-8", "replace")
            # An answer that was shut in the middle looks like a short one.
            if doors.late:
                raise TimeoutError
            return told
    except (OSError, http.client.HTTPException, ValueError) as error:
        late = f"no whole answer within {seconds:g} seconds"
        why = late if doors.late or time.monotonic() >= until else _why(error)
        raise SandboxFailure(f"{shown_address(to)}: {why}") from error


def _why(error: Exception) -> str:
    reason = getattr(error, "reason", None) or error
    return str(getattr(reason, "strerror", None) or reason or type(reason).__name__)[:200]


class _Doors:
    """Makes the one connection, and shuts it when the time is over, also on a receiver that sends byte by byte."""

    def __init__(self, place: tuple[int, str], until: float) -> None:
        self.family, self.address = place
        self.until = until
        self.handle: socket.socket | None = None
        """A second hold of the connection, by which it can be shut whatever was laid over the first."""
        self.late = False

    def left(self) -> float:
        return max(0.001, self.until - time.monotonic())

    def connect(self, port: int) -> socket.socket:
        door = socket.socket(self.family, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        try:
            door.settimeout(self.left())
            door.connect((self.address, port))
            self.handle = door.dup()
        except OSError:
            door.close()
            raise
        return door

    @contextlib.contextmanager
    def watched(self) -> Any:  # noqa: ANN401 -- what contextlib makes of it
        clock = threading.Timer(self.left(), self._shut)
        clock.daemon = True
        clock.start()
        try:
            yield
        finally:
            clock.cancel()
            clock.join()
            if self.handle is not None:
                self.handle.close()

    def _shut(self) -> None:
        self.late = True
        if self.handle is not None:
            with contextlib.suppress(OSError):
                self.handle.shutdown(socket.SHUT_RDWR)


class _Http(urllib.request.HTTPHandler):
    def __init__(self, doors: _Doors) -> None:
        super().__init__()
        self.doors = doors

    def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._made, request)

    def _made(self, host: str, **given: Any) -> http.client.HTTPConnection:  # noqa: ANN401 -- urllib's own
        doors = self.doors

        class Connection(http.client.HTTPConnection):
            def connect(self) -> None:
                self.sock = doors.connect(self.port)

        return Connection(host, **given)


class _Https(urllib.request.HTTPSHandler):
    def __init__(self, doors: _Doors) -> None:
        self.checked = ssl.create_default_context()
        super().__init__(context=self.checked)
        self.doors = doors

    def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._made, request)

    def _made(self, host: str, **given: Any) -> http.client.HTTPConnection:  # noqa: ANN401 -- urllib's own
        doors, checked = self.doors, self.checked

        class Connection(http.client.HTTPSConnection):
            def connect(self) -> None:
                self.sock = checked.wrap_socket(doors.connect(self.port), server_hostname=self.host)

        return Connection(host, context=checked, **given)


class _Answers(urllib.request.BaseHandler):
    """Gives every answer as it is: a redirect is an answer like any other, and is not followed."""

    def http_response(self, _: urllib.request.Request, answer: IO[bytes]) -> IO[bytes]:
        return answer

    https_response = http_response
