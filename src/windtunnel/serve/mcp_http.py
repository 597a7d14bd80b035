"""MCP over HTTP, beside the other addresses: the same keys, the same doors."""

from __future__ import annotations

from typing import Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.context import ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.routing import Route

from windtunnel.core.keys import Caller, KeyRefused
from windtunnel.serve.http_answers import Answers
from windtunnel.serve.http_guard import Doors
from windtunnel.serve.mcp_server import make_server
from windtunnel.serve.work import Work

PATH = "/mcp"
_IDLE_SECONDS = 1800.0
_MOST_SESSIONS = 10_000


def mount(
    answers: Answers, work: Work, *, doors: Doors, most_body: int, fixtures: bool = False,
) -> tuple[Route, StreamableHTTPSessionManager]:
    """The route, and what must run for as long as it is served."""
    del doors  # the guard around the application has looked at Host and Origin already
    server = make_server(work, caller_of=_caller, fixtures=fixtures)
    store = None
    if fixtures:
        from windtunnel.serve.mcp_fixtures import Events  # noqa: PLC0415 -- for the suite alone

        store = Events()
    manager = StreamableHTTPSessionManager(
        server, event_store=store, retry_interval=100 if fixtures else None, max_request_body_size=most_body,
        session_idle_timeout=_IDLE_SECONDS, max_sessions=_MOST_SESSIONS)
    return Route(PATH, endpoint=_Door(answers, manager)), manager


async def _caller(ctx: ServerRequestContext[Any, Any]) -> Caller:
    """Who sent the request that this message came with."""
    found = getattr(getattr(ctx.request, "state", None), "caller", None)
    if not isinstance(found, Caller):
        raise KeyRefused("key: none came with this message", field="key")
    return found


class _Door:
    """Looks at the key; a session is its maker's alone."""

    def __init__(self, answers: Answers, manager: StreamableHTTPSessionManager) -> None:
        self.answers, self.manager = answers, manager

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:  # noqa: ANN401 -- ASGI
        caller = await self.answers.admit(Request(scope, receive))
        scope["user"] = AuthenticatedUser(AccessToken(
            token="", client_id=caller.key or caller.user, scopes=[], subject=caller.user))
        await self.manager.handle_request(scope, receive, send)
