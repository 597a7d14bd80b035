"""Words on the way of long calls as log messages, for clients of the older era that asked for a level."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, get_args

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

Context = ServerRequestContext[Any, Any]
_ORDER = get_args(types.LoggingLevel)
_MOST = 10_000


class Levels:
    """What each connection asked for; the newer era has no such method, and progress instead."""

    def __init__(self) -> None:
        """Nobody asked yet."""
        self._asked: OrderedDict[str, str] = OrderedDict()

    def install(self, server: Server[Any]) -> None:
        """Answer, and say that we do."""
        server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, self.set)

    async def set(self, ctx: Context, params: types.SetLevelRequestParams) -> types.EmptyResult:
        """From now on, for this connection."""
        self._asked[_connection(ctx)] = params.level
        while len(self._asked) > _MOST:
            self._asked.popitem(last=False)
        return types.EmptyResult()

    async def tell(self, ctx: Context, words: str) -> None:
        """To a client that asked for as much."""
        asked = self._asked.get(_connection(ctx))
        silent = asked is None or _ORDER.index(asked) > _ORDER.index("info")
        if silent or ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return
        told = types.LoggingMessageNotificationParams(level="info", data=words[:500], logger="windtunnel")
        await ctx.session.send_notification(types.LoggingMessageNotification(params=told),
                                            related_request_id=ctx.request_id)


def _connection(ctx: Context) -> str:
    """By the session's name where there is one; there is one client alone otherwise."""
    headers = getattr(ctx.request, "headers", None)
    return "" if headers is None else str(headers.get("mcp-session-id", ""))[:200]
