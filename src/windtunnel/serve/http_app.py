"""The HTTP application: addresses, errors, the log, MCP beside it."""

from __future__ import annotations

import contextlib
import json
import sys
import time
import traceback
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from windtunnel.core.errors import WindtunnelError
from windtunnel.serve.crossing import Crossing
from windtunnel.serve.desk import Desk
from windtunnel.serve.http_answers import Answers, Unsupported, check_path
from windtunnel.serve.http_guard import Doors, Guard
from windtunnel.serve.http_problems import problem, problem_of
from windtunnel.serve.work import Work

MOST_BODY = 8 * 1024**2
_BODY_SECONDS = 60.0
Logs = Callable[[dict[str, Any]], None]


def make_app(
    desk: Desk, *, doors: Doors | None = None, crossing: Crossing | None = None, mcp: bool = True,
    most_body: int = MOST_BODY, body_seconds: float = _BODY_SECONDS, log: Logs | None = None, fixtures: bool = False,
) -> Any:  # noqa: ANN401 -- an ASGI application
    """All of it; ``log`` hears of each request, without keys or bodies."""
    crossing, doors = crossing or Crossing(), doors or Doors()
    work = Work(desk, crossing)
    answers = Answers(work)
    routes = _routes(answers)
    manager: Any = None
    if mcp:
        from windtunnel.serve.mcp_http import mount  # noqa: PLC0415 -- not every server speaks it

        route, manager = mount(answers, work, doors=doors, most_body=most_body, fixtures=fixtures)
        routes.insert(0, route)  # by far the most calls come here
    desk.serving = lambda: {
        "jobs": desk.jobs.counts(), "sessions": desk.sessions.count(), "under_way": crossing.under_way,
        "threads": crossing.threads}

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with contextlib.AsyncExitStack() as stack:
            if manager is not None:
                await stack.enter_async_context(manager.run())
            try:
                yield
            finally:
                await work.close()
                crossing.close()

    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers={
        WindtunnelError: _ours, HTTPException: _http, Unsupported: _unsupported, Exception: _fault})
    return Guard(_Logged(app, log), doors=doors, most_bytes=most_body, body_seconds=body_seconds)


def _routes(answers: Answers) -> list[Any]:
    return [
        Route("/health", answers.health), Route("/ready", answers.ready), Route("/openapi.json", answers.document),
        Route("/v1/tools", answers.tools), Route("/v1/tools/{name}", answers.call, methods=["POST"]),
        Route("/v1/status", answers.status), Route("/v1/history", answers.history),
        Route("/v1/history/{id}", answers.history_entry), Route("/v1/receipts/{id}", answers.receipt),
        Route("/v1/reports/{id}", answers.report), Route("/v1/workspaces", answers.workspaces),
        Route("/v1/workspaces/{id}/files/{path:path}", answers.file), Route("/v1/jobs", answers.jobs),
        Route("/v1/jobs/{id}", answers.job), Route("/v1/jobs/{id}", answers.cancel, methods=["DELETE"]),
        Route("/v1/jobs/{id}/events", answers.events), Route("/metrics", answers.figures),
        Route("/prometheus", answers.figures), Route("/metrics/{name}", answers.metric), Route("/roi", answers.roi)]


async def _ours(_: Request, error: Exception) -> Response:
    assert isinstance(error, WindtunnelError)
    return problem_of(error)


async def _http(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    phrase = HTTPStatus(error.status_code).phrase
    detail = error.detail if error.detail != phrase else ""
    return problem(error.status_code, phrase, code=phrase.lower().replace(" ", "-"), headers=error.headers,
                   **({"detail": detail} if detail else {}))


async def _unsupported(_: Request, __: Exception) -> Response:
    return problem(415, "Unsupported Media Type", code="usage", detail="content-type: send application/json")


async def _fault(_: Request, error: Exception) -> Response:
    traceback.print_exception(error, file=sys.stderr)
    return problem(500, "Internal Server Error", code="error", detail="our side failed; the operator's log says how")


class _Logged:
    """Says of each request how it went: never its key, query or body."""

    def __init__(self, app: Any, log: Logs | None) -> None:  # noqa: ANN401 -- ASGI
        self.app, self.log = app, log

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 -- ASGI
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun, status = time.monotonic(), 0

        async def sending(message: Any) -> None:  # noqa: ANN401 -- ASGI
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), (b"x-content-type-options", b"nosniff")]
            await send(message)

        try:
            check_path(scope.get("raw_path") or scope["path"].encode())
        except WindtunnelError as error:
            await problem_of(error)(scope, receive, sending)
        else:
            await self.app(scope, receive, sending)
        if self.log is not None:
            caller = getattr(Request(scope).state, "caller", None)
            self.log({"time": datetime.now(UTC).isoformat(timespec="milliseconds"), "method": scope["method"],
                      "path": scope["path"][:300], "status": status, "user": caller.user if caller else "",
                      "milliseconds": round((time.monotonic() - begun) * 1000, 2)})


def json_log(record: dict[str, Any]) -> None:
    """One line of JSON on standard error."""
    print(json.dumps(record), file=sys.stderr, flush=True)  # noqa: T201 -- the log
