"""``windtunnel mcp``: MCP over standard input and output."""

from __future__ import annotations

import argparse
import os
from typing import Any

from windtunnel.cli.serve import add_common, desk_of, tunnel_of


def add(commands: Any) -> None:  # noqa: ANN401 -- argparse's own
    """Its arguments."""
    made = commands.add_parser(
        "mcp", help="MCP over standard input and output, for an agent on this machine",
        description="Speak MCP over standard input and output. Where there are keys, the one in WINDTUNNEL_API_KEY "
        "counts.")
    add_common(made)
    made.set_defaults(act=act, interrupted="ended")


def act(chosen: argparse.Namespace) -> int:
    """Until the client closes its end."""
    with tunnel_of(chosen) as tunnel:
        desk = desk_of(chosen, tunnel)
        try:
            from windtunnel.serve.mcp_stdio import KEY, serve_stdio  # noqa: PLC0415 -- each command loads what it uses

            serve_stdio(desk, key=os.environ.get(KEY), fixtures=chosen.conformance_fixtures)
        finally:
            desk.close()
    return 0
