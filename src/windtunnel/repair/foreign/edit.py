"""One change of a file's bytes, not yet a proposal."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Bytes from start to end are replaced by a text."""

    start: int
    end: int
    text: str
    name: str
    """The sort of edit."""
    prior: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A statement or expression in a language's frame, and one of the texts that must be proposed for it."""

    language: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One sort of proposal, for people and for tests."""

    name: str
    title: str
    examples: tuple[Example, ...] = ()
