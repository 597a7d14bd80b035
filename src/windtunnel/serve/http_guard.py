"""What every request passes first: whom it was sent to and from, how large it is, how long it takes.

What holds: a request with a foreign Host or Origin, with a length and chunks both, with a header twice that may stand
once, or with a body beyond the bound is refused before any of it is read as JSON; our memory does not grow with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import Response

from windtunnel.core.loopback import is_ours
from windtunnel.serve.http_problems import problem

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
_ONCE = (b"host", b"content-length", b"transfer-encoding", b"authorization", b"content-type", b"origin",
         b"mcp-session-id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Doors:
    """Where requests may be sent to and from."""

    hosts: tuple[str, ...] = ()
    """Names in ``Host`` beside those of loopback; each with its port, or without for any port."""
    origins: tuple[str, ...] = ()
    """Web pages that may call us; none by default but our own."""

    def lets_in(self, host: str) -> bool:
        """Whether this is a name of ours."""
        return is_ours(host, also=self.hosts)

    def knows(self, origin: str) -> bool:
        """Whether a page from there may call."""
        scheme, _, rest = origin.partition("://")
        ours = scheme in ("http", "https") and "/" not in rest and self.lets_in(rest)
        return ours or origin.lower() in self.origins


class Guard:
    """An ASGI application around another."""

    def __init__(self, app: Any, *, doors: Doors, most_bytes: int, body_seconds: float) -> None:  # noqa: ANN401 -- ASGI
        """``body_seconds`` for the whole of a body."""
        self.app, self.doors, self.most_bytes, self.body_seconds = app, doors, most_bytes, body_seconds

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:  # noqa: ANN401 -- ASGI
        """Let it pass, or say why not."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        refusal = self._refusal(scope["headers"])
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        await self.app(scope, _Body(receive, most=self.most_bytes, seconds=self.body_seconds), send)

    def _refusal(self, headers: list[tuple[bytes, bytes]]) -> Response | None:
        found: dict[bytes, str] = {}
        for name, value in headers:
            if name in _ONCE and name in found:
                return problem(400, "Bad Request", code="usage", detail=f"{name.decode()}: stands there twice")
            found[name] = value.decode("latin-1")
        if b"content-length" in found and b"transfer-encoding" in found:
            return problem(400, "Bad Request", code="usage", detail="content-length: together with transfer-encoding",
                           headers={"Connection": "close"})
        if not self.doors.lets_in(found.get(b"host", "")):
            return problem(421, "Misdirected Request", code="host", detail="host: not a name of this server "
                           "(serve --allow-host adds one)")
        if b"origin" in found and not self.doors.knows(found[b"origin"]):
            return problem(403, "Forbidden", code="origin", detail="origin: not one that may call this server")
        length = found.get(b"content-length", "0")
        if not length.isascii() or not length.isdigit():
            return problem(400, "Bad Request", code="usage", detail="content-length: not a number")
        return too_large(self.most_bytes) if int(length[:20]) > self.most_bytes else None


class _Body:
    """What is received, counted and timed."""

    def __init__(self, receive: Receive, *, most: int, seconds: float) -> None:
        self._receive, self._left, self._seconds = receive, most, seconds
        self._until: float | None = None
        self._whole = False

    async def __call__(self) -> Any:  # noqa: ANN401 -- ASGI
        if self._whole:
            return await self._receive()  # the only thing that still comes is that they left
        loop = asyncio.get_running_loop()
        self._until = self._until or loop.time() + self._seconds
        try:
            message = await asyncio.wait_for(self._receive(), timeout=max(0.0, self._until - loop.time()))
        except TimeoutError:
            raise HTTPException(408, "the body did not come in time", headers={"Connection": "close"}) from None
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            self._whole = not message.get("more_body", False)
            if self._left < 0:
                raise HTTPException(413, "body: more than this server reads", headers={"Connection": "close"})
        return message


def too_large(most: int) -> Response:
    """The answer to a body beyond the bound."""
    return problem(413, "Content Too Large", code="too-large", detail=f"body: more than {most} bytes",
                   headers={"Connection": "close"})
