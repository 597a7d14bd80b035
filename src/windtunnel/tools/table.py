"""The one table of what an agent may call; every face renders it."""

from __future__ import annotations

from collections.abc import Mapping

from windtunnel.tools import (
    analysis,
    changes,
    deciding,
    plans,
    projects,
    records,
    running,
    simulations,
    status,
    workspaces,
)
from windtunnel.tools.row import Tool

TABLE: Mapping[str, Tool] = {tool.name: tool for tool in (
    *running.ROWS, *changes.ROWS, *projects.ROWS, *records.ROWS, *deciding.ROWS, *status.ROWS,
    *workspaces.ROWS, *analysis.ROWS, *plans.ROWS, *simulations.ROWS)}
