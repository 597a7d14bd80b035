"""Fixers of the ecosystem, described and never started here: whoever has a sandbox runs them and brings the texts."""

from windtunnel.repair.tools.python import TOOLS, Tool, proposals

__all__ = ["TOOLS", "Tool", "proposals"]
