"""One error found in a program's output."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where in the source."""

    file: str
    line: int | None = None
    column: int | None = None
    symbol: str | None = None
    """The function or method, where the output names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One error: what kind, what it said, where, and what it came from."""

    kind: str
    """The language's own name for it: ``ValueError``, ``TypeError``, ``error[E0308]``, ``panic`` …"""
    message: str
    place: Place | None = None
    """The innermost place in the program's own files."""
    frames: tuple[Place, ...] = ()
    """All places named, outermost first."""
    cause: Problem | None = None
    """The error that this one came from, where the output shows a chain."""
    causes: tuple[str, ...] = ()
    """Likely causes, in words, likeliest first."""
