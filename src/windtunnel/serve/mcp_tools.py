"""The table of tools over MCP: listed for those who may use them, called with progress, cancelled with the request."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from windtunnel.core.errors import WindtunnelError
from windtunnel.core.keys import Caller
from windtunnel.serve.mcp_logging import Levels
from windtunnel.serve.mcp_tasks import created, missing_tasks, wants_tasks
from windtunnel.serve.work import Work
from windtunnel.tools.calling import Failure, failure_of
from windtunnel.tools.row import Tool

Context = ServerRequestContext[Any, Any]
Fixture = tuple[types.Tool, Callable[[Context, types.CallToolRequestParams], Awaitable[Any]]]
_EVERY_SECONDS = 0.1
"""Between two words on the progress of one call."""


class Tools:
    """Lists and calls."""

    def __init__(self, work: Work, caller_of: Callable[[Context], Awaitable[Caller]]) -> None:
        """Over the jobs of one server."""
        self.work, self.desk, self.caller_of = work, work.desk, caller_of
        self.also: Mapping[str, Fixture] = {}
        self.levels = Levels()

    def input_schema(self, name: str) -> Mapping[str, Any] | None:
        """Of a tool that takes arguments from headers, which no row of the table does; looking takes time."""
        return self.also[name][0].input_schema if name in self.also else None

    async def list(self, ctx: Context, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        """Those that the caller may use."""
        caller = await self.caller_of(ctx)
        ours = [_described(tool) for tool in self.desk.tools.values() if caller.may(tool.permission)]
        return types.ListToolsResult(tools=[*ours, *(tool for tool, _ in self.also.values())])

    async def call(self, ctx: Context, params: types.CallToolRequestParams) -> Any:  # noqa: ANN401 -- a result of any era
        """One call; long work becomes a task where the client knows of tasks."""
        if params.name in self.also:
            return await self.also[params.name][1](ctx, params)
        tool = self.desk.tools.get(params.name)
        if tool is None:
            raise MCPError(code=types.INVALID_PARAMS, message=f"Unknown tool: {params.name[:60]}")
        try:
            caller = await self.caller_of(ctx)
            caller.check(tool.permission)
            if tool.long and wants_tasks(ctx):
                return created(await self.work.begin(caller, tool.name, params.arguments or {}))
            if tool.only_as_task and ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
                raise missing_tasks()
            return result_of(await self._run(ctx, caller, tool, params.arguments or {}))
        except WindtunnelError as error:
            return refusal_of(failure_of(error))

    async def _run(self, ctx: Context, caller: Caller, tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
        stop, told = threading.Event(), _Progress(ctx, self.levels)
        telling = asyncio.create_task(told.send()) if tool.long else None
        try:
            return await self.work.crossing.work(
                caller.user, lambda: self.desk.call(caller, tool.name, arguments, stop=stop.is_set, tell=told.tell),
                stop=stop)
        finally:
            if telling is not None:
                telling.cancel()


class _Progress:
    """Carries words from the thread that works to the client, a few in a second."""

    def __init__(self, ctx: Context, levels: Levels) -> None:
        self._ctx, self._levels, self._loop, self._last = ctx, levels, asyncio.get_running_loop(), 0.0
        self._queue: asyncio.Queue[tuple[str, float | None]] = asyncio.Queue(maxsize=100)
        self._count = 0

    def tell(self, words: str, done: float | None) -> None:
        """From the thread."""
        now = time.monotonic()
        if now - self._last >= _EVERY_SECONDS:
            self._last = now
            self._loop.call_soon_threadsafe(self._put, words, done)

    def _put(self, words: str, done: float | None) -> None:
        if not self._queue.full():
            self._queue.put_nowait((words, done))

    async def send(self) -> None:
        """One after the other, for as long as the call lasts."""
        while True:
            words, done = await self._queue.get()
            self._count += 1
            # The numbers must rise; where no share is known they count what was told.
            await self._ctx.session.report_progress(float(self._count), None, words[:300] if done is None
                                                    else f"{words[:300]} ({done:.0%})")
            await self._levels.tell(self._ctx, words)


def _described(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name, title=tool.title, description=tool.description, input_schema=tool.input_schema,
        output_schema=tool.output_schema, annotations=types.ToolAnnotations(
            title=tool.title, read_only_hint=tool.read_only, destructive_hint=tool.destructive,
            idempotent_hint=tool.idempotent, open_world_hint=tool.open_world))


def result_of(answer: Mapping[str, Any]) -> types.CallToolResult:
    """An answer, as text for models and structured for programs."""
    text = json.dumps(answer, ensure_ascii=False)
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], structured_content=dict(answer))


def refusal_of(failure: Failure) -> types.CallToolResult:
    """An error that tells a model what to do instead."""
    return refused(failure.plain())


def refused(told: Mapping[str, Any]) -> types.CallToolResult:
    """The same, of what was kept of one."""
    text = f"{told.get('code')}: {told.get('message')}\n{told.get('next', '')}\n{json.dumps(dict(told))}"
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)
