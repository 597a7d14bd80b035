"""A small server for whoever watches: ``GET /metrics``, the pages that it is given, and nothing else.

What holds: a request must come whole within a few seconds and a few kilobytes, whoever is one too many is turned away,
on loopback a foreign ``Host`` is refused, so that no web page can read it by another name, and no body is ever read. It
needs nothing but the standard library. There is no TLS here.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Self

from windtunnel.core.errors import NotFound, SandboxFailure, UsageError, WindtunnelError
from windtunnel.core.exposition import CONTENT_TYPE, Family, exposition
from windtunnel.core.keys import KeyRefused
from windtunnel.core.loopback import is_loopback, is_ours

_MOST_HEAD = 16 * 1024
_MOST_OPEN = 64
_HEAD_SECONDS = 5.0
_PATHS = ("/metrics", "/prometheus")
_BEARER = "bearer "
_PLAIN, _JSON = "text/plain; charset=utf-8", "application/json"
Collect = Callable[[], Iterable[Family]]
Admit = Callable[[str | None], object]
Pages = Callable[[str], object]
"""By path: what is answered as JSON; ``NotFound`` where there is no such page."""
Answer = tuple[HTTPStatus, str, str]
"""Status, content type, text."""


class MetricsServer:
    """Listens from its making until it is closed, in a thread of its own."""

    def __init__(
        self, collect: Collect, *, address: str = "127.0.0.1", port: int = 0, admit: Admit | None = None,
        pages: Pages | None = None,
    ) -> None:
        """``admit`` hears the key of each request, and raises where it is not a good one; else all of this machine may.

        Without it only loopback will do: whoever can reach another address could read how much runs here, and how it
        ends.
        """
        if admit is None and not is_loopback(address):
            raise UsageError(f"address: {address[:100]!r} can be reached from elsewhere, and there is no key: how many "
                             "runs and trials there were, how they ended and what the newest scenario run measured "
                             "would be open to all (use 127.0.0.1, or make a key: windtunnel keys create --role "
                             "auditor)", field="address")
        self._collect, self._admit, self._pages = collect, admit, pages
        self._any_host = not is_loopback(address)
        """Elsewhere it has names that we do not know, and a key that no web page has is what keeps others out."""
        self._listening = _listen(address, port)
        self.address, self.port = address, int(self._listening.getsockname()[1])
        self._loop, self._closing = asyncio.new_event_loop(), asyncio.Event()
        self._workers = ThreadPoolExecutor(2, thread_name_prefix="windtunnel-metrics")
        self._open = 0
        self._thread = threading.Thread(target=self._serve, name="windtunnel-metrics", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Where the text is."""
        host = f"[{self.address}]" if ":" in self.address else self.address
        return f"http://{host}:{self.port}{_PATHS[0]}"

    def close(self) -> None:
        """Listen no more."""
        with contextlib.suppress(RuntimeError):  # it was closed before
            self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join(timeout=10)
        self._workers.shutdown(wait=False, cancel_futures=True)

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def _serve(self) -> None:
        with contextlib.closing(self._loop):
            self._loop.run_until_complete(self._until_closed())

    async def _until_closed(self) -> None:
        server = await asyncio.start_server(self._meet, sock=self._listening, limit=_MOST_HEAD)
        await self._closing.wait()
        server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open += 1
        try:
            with contextlib.suppress(OSError, TimeoutError, asyncio.IncompleteReadError):
                status, kind, text = await self._answer(reader)
                writer.write(_response(status, kind, text))
                await asyncio.wait_for(writer.drain(), _HEAD_SECONDS)
        finally:
            self._open -= 1
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader) -> Answer:
        if self._open > _MOST_OPEN:
            return _plain(HTTPStatus.SERVICE_UNAVAILABLE, "too many at once")
        try:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), _HEAD_SECONDS)
        except asyncio.LimitOverrunError:
            return _plain(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, f"more than {_MOST_HEAD} bytes")
        except TimeoutError:
            return _plain(HTTPStatus.REQUEST_TIMEOUT, "the request did not come in time")
        return await self._loop.run_in_executor(self._workers, self._look, head)

    def _look(self, head: bytes) -> Answer:
        method, path, headers = _parts(head)
        if not self._any_host and not is_ours(headers.get("host", "")):
            return _plain(HTTPStatus.MISDIRECTED_REQUEST, "host: not a name of this server")
        if method not in ("GET", "HEAD"):
            return _plain(HTTPStatus.METHOD_NOT_ALLOWED, "only GET")
        if path not in _PATHS and self._pages is None:
            return _plain(HTTPStatus.NOT_FOUND, f"only {_PATHS[0]}")
        answer = self._told(path, headers.get("authorization", ""))
        return (*answer[:2], "") if method == "HEAD" else answer

    def _told(self, path: str, given: str) -> Answer:
        try:
            if self._admit is not None:
                self._admit(given[len(_BEARER):].strip() if given.lower().startswith(_BEARER) else None)
            return self._page(path)
        except KeyRefused as error:
            return _plain(HTTPStatus.UNAUTHORIZED, str(error))
        except UsageError as error:
            return _plain(HTTPStatus.NOT_FOUND if isinstance(error, NotFound) else HTTPStatus.FORBIDDEN, str(error))
        except WindtunnelError as error:
            return _plain(HTTPStatus.SERVICE_UNAVAILABLE, str(error))
        except Exception:  # noqa: BLE001 -- a fault of ours is an answer to this one, and must not end the others
            traceback.print_exc(file=sys.stderr)
            return _plain(HTTPStatus.INTERNAL_SERVER_ERROR, "our side failed; the operator's log says how")

    def _page(self, path: str) -> Answer:
        if path not in _PATHS and self._pages is not None:
            return HTTPStatus.OK, _JSON, json.dumps(self._pages(path))
        return HTTPStatus.OK, CONTENT_TYPE, exposition(self._collect())


def _listen(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((address, port))
        made.listen(_MOST_OPEN)
    except (OSError, OverflowError) as error:
        made.close()
        raise SandboxFailure(f"port: cannot listen on {address}:{port}: {error}") from error
    return made


def _parts(head: bytes) -> tuple[str, str, dict[str, str]]:
    """Method, path without its query, and headers; of one that stands twice, nothing."""
    first, *rest = head.decode("latin-1").split("\r\n")
    method, _, target = first.partition(" ")
    found: dict[str, str] = {}
    for line in filter(None, rest):
        name, _, value = line.partition(":")
        found[name.lower()] = "" if name.lower() in found else value.strip()
    return method, target.partition(" ")[0].partition("?")[0], found


def _plain(status: HTTPStatus, text: str) -> Answer:
    return status, _PLAIN, f"{text}\n"


def _response(status: HTTPStatus, kind: str, text: str) -> bytes:
    body = text.encode()
    more = "WWW-Authenticate: Bearer\r\n" if status is HTTPStatus.UNAUTHORIZED else ""
    return (f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
            f"Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n{more}Connection: close\r\n\r\n"
            ).encode() + body
