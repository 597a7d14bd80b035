"""The HTTP server itself: where it listens, and how long it waits for a request."""

from __future__ import annotations

import resource
import socket
from collections.abc import Callable
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.core.loopback import is_loopback

HEADER_SECONDS = 15.0
_MOST_HEADERS = 64 * 1024
_DESCRIPTORS = 8192
_SLOW = (b"HTTP/1.1 408 Request Timeout\r\nContent-Type: application/problem+json\r\nConnection: close\r\n"
         b"Content-Length: 93\r\n\r\n"
         b'{"type":"urn:windtunnel:problem:slow","title":"Request Timeout","status":408,"code":"slow"}\r\n')


class Patient(H11Protocol):
    """Ends connections that take too long over the head of a request."""

    header_seconds = HEADER_SECONDS
    _timer: Any = None

    def connection_made(self, transport: Any) -> None:  # noqa: ANN401 -- asyncio's own
        """Begin to wait."""
        super().connection_made(transport)
        self._timer = self.loop.call_later(self.header_seconds, self._look)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """A request whose head is still coming is looked at again later."""
        super().handle_events()
        if self.conn.their_state is h11.IDLE and self.conn.our_state is h11.IDLE and not self.transport.is_closing():
            if self._timer is None:
                self._timer = self.loop.call_later(self.header_seconds, self._look)
        elif self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        self._timer = None
        if self.conn.their_state is h11.IDLE and self.timeout_keep_alive_task is None and \
                not self.transport.is_closing():
            self.transport.write(_SLOW)
            self.transport.close()


def check_bind(host: str, *, keys: bool) -> None:
    """Refuse to be reached from elsewhere without keys."""
    if keys or is_loopback(host):
        return
    raise UsageError(f"--host: {host[:100]!r} can be reached from elsewhere, and there are no keys (windtunnel keys "
                     "create --role developer makes one, and from then on every call needs one)", field="--host")


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; a typed error where it cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends without delay only where the protocol is named: else each answer waits forty milliseconds.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(1024)
    except (OSError, OverflowError) as error:
        made.close()
        raise SandboxFailure(f"--port: cannot listen on {host}:{port}: {error}") from error
    return made


def make_server(
    app: Any, *, ready: Callable[[], None] = lambda: None, protocol: type[Patient] = Patient,  # noqa: ANN401 -- ASGI
) -> uvicorn.Server:
    """A server that is not begun; ``run(sockets=[…])`` serves until ``should_exit`` is set."""
    return _Server(uvicorn.Config(
        app, http=protocol, ws="none", log_level="error", access_log=False, server_header=False, date_header=True,
        timeout_keep_alive=30, h11_max_incomplete_event_size=_MOST_HEADERS, timeout_graceful_shutdown=5, lifespan="on",
        limit_concurrency=_most_connections(), proxy_headers=False), ready)


def _most_connections() -> int:
    """As many as there are descriptors for, some of them left for the sandboxes; beyond that, 503."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = min(_DESCRIPTORS, hard) if hard != resource.RLIM_INFINITY else _DESCRIPTORS
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return max(64, max(soft, wanted) // 2)


class _Server(uvicorn.Server):
    """Says when it listens."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin."""
        await super().startup(sockets)
        self._ready()
