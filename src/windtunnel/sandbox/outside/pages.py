"""What a simulated outside says in a connection: HTTP with a small answer for any path, or an echo."""

from __future__ import annotations

import json
from typing import Protocol

HTTP_PORT = 80
_MOST_HEAD = 32 * 1024
_MOST_TOLD = 1024
_END = b"\r\n\r\n"


class Talk(Protocol):
    """One connection's side of the conversation."""

    over: bool
    """Whether the last answer is to be followed by the end of the connection."""

    def take(self, data: bytes) -> bytes:
        """What to answer to what came; often nothing yet."""
        ...


class Echo:
    """Says again whatever it hears."""

    over = False

    def take(self, data: bytes) -> bytes:
        """The same."""
        return data


class Http:
    """Answers each request with 200 and JSON that tells its method, path and host; a body is read and let go."""

    def __init__(self) -> None:
        """Before the first request."""
        self.over = False
        self._held = b""
        self._body = 0

    def take(self, data: bytes) -> bytes:
        """The answers to the requests that are whole by now."""
        said = b""
        self._held += data
        while not self.over:
            skipped = min(self._body, len(self._held))
            self._body, self._held = self._body - skipped, self._held[skipped:]
            head, found, rest = self._held.partition(_END)
            if self._body or not found:
                break
            self._held = rest
            said += self._answer(head)
        if len(self._held) > _MOST_HEAD:
            self.over, self._held = True, b""
            return said + _page(431, {"error": "header too large"}, keep=False)
        return said

    def _answer(self, head: bytes) -> bytes:
        first, *lines = head.lstrip(b"\r\n").decode("latin-1").split("\r\n")
        words = first.split(" ")
        if len(words) != 3 or not words[2].startswith("HTTP/1."):  # noqa: PLR2004 -- method, path, version
            self.over = True
            return _page(400, {"error": "not a request"}, keep=False)
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = headers.get("content-length", "0")
        self._body = int(length) if length.isascii() and length.isdigit() and len(length) < 16 else 0  # noqa: PLR2004
        wish = headers.get("connection", "").lower()
        keep = wish != "close" and (words[2] == "HTTP/1.1" or wish == "keep-alive")
        self.over = not keep or "transfer-encoding" in headers
        told = {"simulated": True, "method": words[0], "path": words[1], "host": headers.get("host", "")}
        return _page(200, {name: value[:_MOST_TOLD] if isinstance(value, str) else value
                           for name, value in told.items()}, keep=not self.over, body=words[0] != "HEAD")


_PHRASES = {200: "OK", 400: "Bad Request", 431: "Request Header Fields Too Large"}


def _page(status: int, told: dict[str, object], *, keep: bool, body: bool = True) -> bytes:
    text = json.dumps(told).encode() + b"\n"
    head = (f"HTTP/1.1 {status} {_PHRASES[status]}\r\nContent-Type: application/json\r\nContent-Length: {len(text)}\r\n"
            f"Connection: {'keep-alive' if keep else 'close'}\r\n\r\n")
    return head.encode() + (text if body else b"")
