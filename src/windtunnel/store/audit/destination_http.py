"""Checkpoints by HTTP: the note is posted as it is; its own signature says who sent it.

What holds: TLS is verified, redirects are not followed, no proxy and no credential of the environment is used, answer
and time are bounded. Without TLS only this machine is spoken to, unless the address says ``plain-http``.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.store.audit.checkpoint import Checkpoint

if TYPE_CHECKING:
    from http.client import HTTPConnection

_SECONDS = 10.0
"""For all of it, once the connection stands; and for each address tried before."""
_MOST_ANSWER = 64 * 1024
_GOOD, _REDIRECT, _OTHER = 200, 300, 400


def http_place(text: str) -> HttpPlace:
    """A place by its address; a typed error for one that will not do."""
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise _wrong(f"not an address: {error}") from error
    if not host or not text.isascii() or " " in text or parts.fragment:
        raise _wrong("not an address (try https://host/path)")
    if parts.username is not None or parts.password is not None:
        raise _wrong("a name or a password has no place in an address; the note's own signature says who sent it")
    if parts.scheme == "http" and not _is_here(host):
        raise _wrong(f"http:// to {host[:80]} would go in the clear (use https://, or say plain-http://)")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return HttpPlace(secure=parts.scheme == "https", host=host, port=port, target=target, name=(
        f"{parts.scheme}://{parts.netloc}{parts.path}{'?…' if parts.query else ''}"))


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpPlace:
    """Somebody who listens."""

    secure: bool
    host: str
    port: int | None
    target: str
    name: str
    """Without the query, which may hold a token."""
    seconds: float = _SECONDS

    def send(self, note: str, checkpoint: Checkpoint) -> str:
        """Post it."""
        from http.client import HTTPException  # noqa: PLC0415 -- loaded by those who send

        connection = self._connection()
        try:
            connection.connect()
            with _deadline(connection, self.seconds):
                connection.request("POST", self.target, body=note.encode(), headers={
                    "Content-Type": "text/plain; charset=utf-8", "Connection": "close",
                    "User-Agent": "windtunnel", "Windtunnel-Size": str(checkpoint.size)})
                answer = connection.getresponse()
                answer.read(_MOST_ANSWER)
        except (OSError, HTTPException, ValueError) as error:
            raise SandboxFailure(f"{self.name}: {str(error)[:200] or type(error).__name__}") from error
        finally:
            connection.close()
        if not _GOOD <= answer.status < _REDIRECT:
            why = "; redirects are not followed" if _REDIRECT <= answer.status < _OTHER else ""
            raise SandboxFailure(f"{self.name}: answered {answer.status}{why}")
        return f"answered {answer.status}"

    def _connection(self) -> HTTPConnection:
        from http.client import HTTPConnection, HTTPSConnection  # noqa: PLC0415

        if not self.secure:
            return HTTPConnection(self.host, self.port, timeout=self.seconds)
        import ssl  # noqa: PLC0415

        return HTTPSConnection(self.host, self.port, timeout=self.seconds, context=ssl.create_default_context())


@contextlib.contextmanager
def _deadline(connection: HTTPConnection, seconds: float) -> Iterator[None]:
    """Somebody who answers letter by letter has no more time than somebody who does not answer."""
    def end() -> None:
        with contextlib.suppress(OSError, AttributeError):
            connection.sock.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _is_here(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _wrong(why: str) -> UsageError:
    return UsageError(f"checkpoint: {why}", field="checkpoint")
