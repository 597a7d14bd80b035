"""Repairs of Python text that does not parse, the likeliest first."""

from windtunnel.repair.syntax.proposals import propose, repair

__all__ = ["propose", "repair"]
