"""Fixers of the ecosystem, described and never started here: whoever has a sandbox runs them and brings the texts."""

from windtunnel.repair.tools import others, python
from windtunnel.repair.tools.tool import Tool, proposals

TOOLS: tuple[Tool, ...] = (*python.TOOLS, *others.TOOLS)
RULES = tuple(tool.rule for tool in TOOLS)

__all__ = ["RULES", "TOOLS", "Tool", "proposals"]
