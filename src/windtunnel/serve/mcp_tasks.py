"""The tasks extension: long work is begun with a call, asked for by its id, and cancelled.

What holds: a task is a job of ours, on the disk before its id is told, and its owner's alone; an unknown id and
another's are answered alike. A tool that ran and failed is ``completed`` with an error in its result; ``failed`` is our
own fault, or a server that ended while it was at work.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types.jsonrpc import HEADER_MISMATCH, INTERNAL_ERROR, INVALID_PARAMS, MISSING_REQUIRED_CLIENT_CAPABILITY
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from windtunnel.core.errors import NotFound
from windtunnel.core.keys import Caller
from windtunnel.serve.work import Work
from windtunnel.store.jobs import JobRow

Context = ServerRequestContext[Any, Any]
EXTENSION = "io.modelcontextprotocol/tasks"
_POLL_MILLISECONDS = 500
_KEPT_MILLISECONDS = 7 * 86_400_000
_OURS = ("error",)
"""Codes of answers that are our own fault rather than the tool's word."""


class TaskParams(types.RequestParams):
    """Which task."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="allow")
    task_id: str = Field(max_length=200)


def wants_tasks(ctx: Context) -> bool:
    """Whether this request says that its client knows of tasks."""
    known = ctx.session.client_capabilities
    named = getattr(known, "extensions", None) or {}
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS and EXTENSION in named


def missing_tasks() -> MCPError:
    """What a client is told that does not know of tasks."""
    return MCPError(code=MISSING_REQUIRED_CLIENT_CAPABILITY, message=f"The client does not declare {EXTENSION}",
                    data={"requiredCapabilities": {"extensions": {EXTENSION: {}}}})


def created(row: JobRow) -> dict[str, Any]:
    """The answer to a call that became a task."""
    return {"resultType": "task", **_task(row)}


def _task(row: JobRow) -> dict[str, Any]:
    state = {"completed": "completed", "working": "working", "cancelled": "cancelled", "lost": "failed"}.get(
        row.state, "completed" if row.answer and row.answer.get("code") not in _OURS else "failed")
    return {"taskId": row.id, "status": state, "createdAt": row.made, "lastUpdatedAt": row.changed,
            "ttlMs": _KEPT_MILLISECONDS, "pollIntervalMs": _POLL_MILLISECONDS}


class Tasks:
    """The methods of the extension."""

    def __init__(self, work: Work, caller_of: Callable[[Context], Awaitable[Caller]]) -> None:
        """Over the jobs of one server."""
        self.work, self.caller_of = work, caller_of

    def install(self, server: Server[Any]) -> None:
        """Say that we know of them, and answer."""
        server.extensions[EXTENSION] = {}
        for name, handler in (("tasks/get", self.get), ("tasks/update", self.update), ("tasks/cancel", self.cancel)):
            server.add_request_handler(name, TaskParams, handler)

    async def get(self, ctx: Context, params: TaskParams) -> dict[str, Any]:
        """How it is, with its result where it has ended."""
        from windtunnel.serve.mcp_tools import refused, result_of  # noqa: PLC0415 -- which needs us

        row = await self._row(ctx, params)
        told = _task(row)
        if row.state == "working" and (progress := self.work.progress(row.id)):
            told["statusMessage"] = progress[0]
        if told["status"] == "completed":
            result = result_of(row.answer) if row.state == "completed" else refused(row.answer)
            told["result"] = result.model_dump(by_alias=True, mode="json", exclude_none=True)
        elif told["status"] == "failed":
            words = row.note or (row.answer or {}).get("message", "our side failed")
            told |= {"error": {"code": INTERNAL_ERROR, "message": words}, "statusMessage": words}
        return told

    async def update(self, ctx: Context, params: TaskParams) -> dict[str, Any]:
        """Answers to questions, of which our tasks ask none."""
        await self._row(ctx, params)
        return {}

    async def cancel(self, ctx: Context, params: TaskParams) -> dict[str, Any]:
        """End it; that it has ended is to be asked for."""
        await self._row(ctx, params)
        await self.work.cancel(await self.caller_of(ctx), params.task_id)
        return {}

    async def _row(self, ctx: Context, params: TaskParams) -> JobRow:
        if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            raise MCPError(code=types.METHOD_NOT_FOUND, message="Method not found", data=ctx.method)
        if not wants_tasks(ctx):
            raise missing_tasks()
        headers = getattr(ctx.request, "headers", None)
        if headers is not None and headers.get("mcp-name") != params.task_id:
            raise MCPError(code=HEADER_MISMATCH, message="mcp-name: not the id of the task")
        try:
            return await self.work.get(await self.caller_of(ctx), params.task_id)
        except NotFound:
            raise MCPError(code=INVALID_PARAMS, message="Unknown task") from None
