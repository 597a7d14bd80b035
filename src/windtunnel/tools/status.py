"""The row that tells how the server is."""

from __future__ import annotations

import json
from typing import Any

from pydantic import Field

from windtunnel.core.plain import plain
from windtunnel.tools.row import Context, Given, Told, Tool


class GetStatus(Given):
    """Nothing to say."""


class StatusTold(Told):
    """At this moment."""

    versions: dict[str, str]
    levels: dict[str, bool] = Field(description="Which walls can be raised here.")
    level: str = Field(description="The walls that runs get.")
    pool: dict[str, Any] = Field(description="Sandboxes that wait for a program.")
    cache: dict[str, Any]
    usage: dict[str, Any]
    active_workspaces: int = Field(description="Of yours.")
    serving: dict[str, Any] = Field(description="Jobs, sessions and queue of the server.")


def _status(context: Context, _: GetStatus) -> StatusTold:
    found = context.tunnel.status()
    told = json.loads(json.dumps(found, default=plain))
    workspaces = getattr(context.tunnel, "workspaces", None)
    mine = len(workspaces.list()) if workspaces is not None else 0
    return StatusTold(reason=f"Ready: runs get the {found.level} level.", active_workspaces=mine,
                      **{**told, "serving": context.serving()})


ROWS = (
    Tool(name="get_sandbox_status", title="Status", permission="", given=GetStatus, told=StatusTold, act=_status,
         read_only=True, idempotent=True,
         description="Versions, which isolation levels are ready, the pool of waiting sandboxes, cache hit rate, your "
         "workspaces, jobs under way and resource use of this server."),
)
