"""Resources over MCP: the caller's own history, receipts, reports, jobs and files of workspaces."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any
from urllib.parse import unquote

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from windtunnel.core.errors import NotFound, UsageError, WindtunnelError
from windtunnel.core.keys import Caller
from windtunnel.core.plain import plain
from windtunnel.serve.work import Work

Context = ServerRequestContext[Any, Any]
SCHEME = "windtunnel://"
_MOST_FILE = 4 * 1024**2
_JSON = "application/json"
_FILE = re.compile(r"workspaces/([^/]{1,200})/files/(.{1,4096})", re.DOTALL)
_NAMED = re.compile(r"(history|receipts|reports|jobs)/([A-Za-z0-9_-]{1,100})")
_TEMPLATES = (
    ("history/{id}", "A run or trial", "One run or trial of yours, whole.", _JSON),
    ("receipts/{trial}", "A receipt", "The signed statement of one of your trials.", _JSON),
    ("reports/{id}", "A whole answer", "An answer that was too long to be told whole.", _JSON),
    ("jobs/{id}", "A job", "Long work of yours: how far it is, and its answer.", _JSON),
    ("workspaces/{workspace}/files/{+path}", "A file of a workspace", "A file of a workspace of yours.", None),
)


class Resources:
    """Lists and reads."""

    def __init__(self, work: Work, caller_of: Callable[[Context], Awaitable[Caller]]) -> None:
        """Over the desk of one server."""
        self.work, self.desk, self.caller_of = work, work.desk, caller_of
        self.also: Any = None

    async def list(self, ctx: Context, _: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        """What there is of the caller's own."""
        caller = await self.caller_of(ctx)
        found = await self.work.crossing.quick(lambda: self._list(caller))
        return types.ListResourcesResult(resources=[*found, *(self.also.resources() if self.also else ())])

    def _list(self, caller: Caller) -> Sequence[types.Resource]:
        made = [types.Resource(uri=f"{SCHEME}history", name="history", title="Your latest runs and trials",
                               mime_type=_JSON),
                types.Resource(uri=f"{SCHEME}status", name="status", title="How the server is", mime_type=_JSON)]
        for kind, folder in (("receipt", "receipts"), ("report", "reports")):
            made += [types.Resource(uri=f"{SCHEME}{folder}/{name}", name=f"{kind}-{name}", title=f"{kind} of {when}",
                                    mime_type=_JSON)
                     for name, when in self.desk.papers.names(caller.user, kind=kind, limit=50)]  # type: ignore[arg-type]  # as written
        return made

    async def templates(
        self, _: Context, __: types.PaginatedRequestParams | None,
    ) -> types.ListResourceTemplatesResult:
        """How the others are named."""
        made = [types.ResourceTemplate(uri_template=SCHEME + path, name=title.lower(), title=title, description=words,
                                       mime_type=kind) for path, title, words, kind in _TEMPLATES]
        return types.ListResourceTemplatesResult(resource_templates=[
            *made, *(self.also.resource_templates() if self.also else ())])

    async def read(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        """One of the caller's own; another's is answered like one that is not there."""
        uri = str(params.uri)
        if self.also is not None and (found := self.also.read(uri)) is not None:
            return types.ReadResourceResult(contents=[found])
        caller = await self.caller_of(ctx)
        try:
            told = await self.work.crossing.quick(lambda: self._read(caller, uri))
        except (NotFound, UsageError):
            raise MCPError(code=types.INVALID_PARAMS, message="Resource not found", data={"uri": uri[:500]}) from None
        except WindtunnelError as error:
            raise MCPError(code=types.INTERNAL_ERROR, message=str(error)[:500], data={"uri": uri[:500]}) from None
        return types.ReadResourceResult(contents=[_contents(uri, told)])

    def _read(self, caller: Caller, uri: str) -> str | bytes:
        path = uri.removeprefix(SCHEME)
        if path == uri:
            raise NotFound("uri: none of ours", field="uri")
        if path in ("history", "status"):
            tool = "get_history" if path == "history" else "get_sandbox_status"
            return json.dumps(self.desk.call(caller, tool, {}))
        if match := _NAMED.fullmatch(path):
            return self._named(caller, match[1], match[2])
        if match := _FILE.fullmatch(path):
            data: bytes = self.desk.context(caller).tunnel.workspaces.read(unquote(match[1]), unquote(match[2]))
            if len(data) > _MOST_FILE:
                raise NotFound("uri: larger than is told", field="uri")
            return data
        raise NotFound("uri: none of ours", field="uri")

    def _named(self, caller: Caller, folder: str, name: str) -> str:
        if folder == "history":
            return json.dumps(self.desk.call(caller, "get_history", {"id": name}))
        if folder == "jobs":
            return json.dumps(self.desk.jobs.get(caller.user, name), default=plain)
        text = self.desk.papers.get(caller.user, kind="receipt" if folder == "receipts" else "report", name=name)
        if text is None:
            raise NotFound("uri: none of that name", field="uri")
        return text


def _contents(uri: str, told: str | bytes) -> types.TextResourceContents | types.BlobResourceContents:
    if isinstance(told, str):
        return types.TextResourceContents(uri=uri, text=told, mime_type=_JSON)
    try:
        return types.TextResourceContents(uri=uri, text=told.decode(), mime_type="text/plain")
    except UnicodeDecodeError:
        return types.BlobResourceContents(uri=uri, blob=base64.b64encode(told).decode(),
                                          mime_type="application/octet-stream")
