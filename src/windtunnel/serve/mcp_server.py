"""The MCP server: one object for both eras of the protocol, over standard input and output and over HTTP."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp_types.jsonrpc import INVALID_REQUEST

from windtunnel.core.errors import WindtunnelError
from windtunnel.core.keys import Caller
from windtunnel.serve.mcp_prompts import Prompts
from windtunnel.serve.mcp_resources import Resources
from windtunnel.serve.mcp_tasks import Tasks
from windtunnel.serve.mcp_tools import Tools
from windtunnel.serve.work import Work

NAME = "windtunnel"
_INSTRUCTIONS = """\
Windtunnel runs code that nobody trusts yet, and tries changes that nobody has applied yet, in real isolation.
Run a snippet with run_code. For a project: diagnose_project says what is wrong, try_changes says whether a change is
good, apply_changes writes it only then, undo_changes takes it back. Every answer begins with its reason and says what
to do next; a long one ends with where the whole of it is."""
Context = ServerRequestContext[Any, Any]
CallerOf = Callable[[Context], Awaitable[Caller]]


def make_server(work: Work, *, caller_of: CallerOf, fixtures: bool = False) -> Server[Any]:
    """All tools of the table, with resources, prompts and tasks; ``fixtures`` adds those that the suite asks for."""
    async def known(ctx: Context) -> Caller:
        try:
            return await caller_of(ctx)
        except WindtunnelError as error:
            raise MCPError(code=INVALID_REQUEST, message=str(error)[:500]) from None

    tools, resources, prompts = Tools(work, known), Resources(work, known), Prompts()
    bus = InMemorySubscriptionBus()
    if fixtures:
        from windtunnel.serve.mcp_fixtures import Fixtures  # noqa: PLC0415 -- for the suite alone

        added = Fixtures(bus)
        tools.also, resources.also, prompts.also = added.tools(), added, added
    server: Server[Any] = Server(
        NAME, version=version("windtunnel"), title="Windtunnel", instructions=_INSTRUCTIONS,
        get_tool_input_schema=tools.input_schema, on_list_tools=tools.list, on_call_tool=tools.call,
        on_list_resources=resources.list, on_list_resource_templates=resources.templates,
        on_read_resource=resources.read, on_list_prompts=prompts.list, on_get_prompt=prompts.get,
        on_completion=prompts.complete, on_subscriptions_listen=ListenHandler(bus))
    # In the place of the SDK's tracing, which costs every call and tells nobody here anything.
    server.middleware[:] = [RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=NAME)]
    Tasks(work, known).install(server)
    tools.levels.install(server)
    if fixtures:
        added.install(server)
    return server
