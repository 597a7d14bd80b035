"""MCP over standard input and output: one client, whose key stands in the environment."""

from __future__ import annotations

import asyncio
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.stdio import stdio_server

from windtunnel.core.keys import Caller
from windtunnel.serve.crossing import Crossing
from windtunnel.serve.desk import Desk
from windtunnel.serve.mcp_server import make_server
from windtunnel.serve.work import Work

KEY = "WINDTUNNEL_API_KEY"


def serve_stdio(desk: Desk, *, key: str | None, fixtures: bool = False) -> None:
    """Until the client closes its end; ``KeyRefused`` before anything is read, where there are keys and it has none."""
    desk.admit(key, connection="stdio")
    asyncio.run(_serve(desk, key, fixtures=fixtures))


async def _serve(desk: Desk, key: str | None, *, fixtures: bool) -> None:
    crossing = Crossing()
    work = Work(desk, crossing)
    desk.serving = lambda: {"jobs": desk.jobs.counts(), "sessions": desk.sessions.count(),
                            "under_way": crossing.under_way, "threads": crossing.threads}

    async def caller_of(_: ServerRequestContext[Any, Any]) -> Caller:
        """A key that was revoked meanwhile opens nothing any more."""
        return await crossing.quick(lambda: desk.admit(key, connection="stdio"))

    server = make_server(work, caller_of=caller_of, fixtures=fixtures)
    try:
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())
    finally:
        await work.close()
        crossing.close()
