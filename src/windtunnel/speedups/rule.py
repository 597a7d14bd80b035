"""What every rule is made of: a table row with its examples, and the edits that it proposes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from windtunnel.speedups.source import Source

Part = tuple[int, int, str]
"""(start, end, new text) in characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One change of a file that may be faster; nobody has tried it yet."""

    parts: tuple[Part, ...]
    node: ast.AST
    """Where it is about."""
    reason: str
    """One sentence for people."""
    confidence: float
    """From 0 to 1: how likely it gains and changes nothing else."""
    imports: tuple[str, ...] = ()
    """Whole import statements that it needs."""


@dataclass(frozen=True, slots=True)
class Example:
    """Code and what becomes of it; None where it must be left alone."""

    before: str
    after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What is known about one sort of slow code."""

    name: str
    what: str
    """One sentence: what it looks for and what it does."""
    find: Callable[[Source], Iterator[Edit]]
    examples: tuple[Example, ...]


def replaced(source: Source, node: ast.AST, text: str) -> Part:
    """A node's text changed."""
    return (*source.span(node), text)


def before(source: Source, statement: ast.stmt, *lines: str) -> Part:
    """Whole lines before a statement, indented as it is."""
    at = source.line_start(statement)
    return at, at, "".join(f"{source.indent(statement)}{line}\n" for line in lines)


def after(source: Source, statement: ast.stmt, *lines: str) -> Part:
    """Whole lines after a statement."""
    at = min(source.starts[statement.end_lineno or statement.lineno], len(source.text))
    text = "".join(f"{source.indent(statement)}{line}\n" for line in lines)
    return at, at, text if at == 0 or source.text[at - 1] == "\n" else f"\n{text}"
