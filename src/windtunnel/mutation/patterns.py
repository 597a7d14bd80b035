"""Mutants that are known to change nothing, each pattern with examples.

Both sides of a mutant are brought into one plain form; if that is the same, the mutant is dropped. A pattern claims
only what holds for every value for which the original works at all, up to which one of two equal values is taken.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import libcst as cst

from windtunnel.mutation.rewrites import CALLS, PATTERNS
from windtunnel.mutation.source import Source

_WORTH: dict[type[cst.CSTNode], re.Pattern[str]] = {
    cst.Call: re.compile(r"\b(?:" + "|".join(sorted(CALLS)) + r")\b"),
    cst.Comparison: re.compile(r"\blen\b|\bNone\b"),
    cst.Subscript: re.compile(r":"),
    cst.BinaryOperation: re.compile(r"\b0\b|\*\*"), cst.AugAssign: re.compile(r"\b0\b"),
    cst.IfExp: re.compile(r"[<>]"), cst.If: re.compile(r"\A\s*if [^\n]*[<>][^\n]*:\s*\w+ = \w+\s*\Z"),
}
"""Nodes that a pattern may speak of, if their text looks so: reading them anew costs time."""
_MOST_ANCHORS = 2
_MOST_LETTERS = 500


def known_equivalent(source: Source, ancestors: Sequence[tuple[cst.CSTNode, str]], *, start: int, end: int,
                     text: str) -> str:
    """The name of the pattern by which replacing a part of the text changes nothing; empty if none says so."""
    for begin, stop in _around(source, ancestors, start=start, end=end):
        before = source.text[begin:stop]
        name = equivalent(before, f"{source.text[begin:start]}{text}{source.text[end:stop]}")
        if name:
            return name
    return ""


def _around(source: Source, ancestors: Sequence[tuple[cst.CSTNode, str]], *, start: int,
            end: int) -> Iterator[tuple[int, int]]:
    left = _MOST_ANCHORS
    for node, _ in reversed(ancestors):
        worth = _WORTH.get(type(node))
        if worth is not None:
            begin, stop = source.span(node)
            if begin <= start and end <= stop <= begin + _MOST_LETTERS and worth.search(source.text[begin:stop]):
                yield begin, stop
            left -= 1
        if left == 0 or isinstance(node, cst.BaseCompoundStatement):
            return


@lru_cache(maxsize=4096)
def equivalent(before: str, after: str) -> str:
    """The name of the pattern that makes two pieces of source the same; empty if none does."""
    one, other = _parsed(before), _parsed(after)
    if one is None or other is None:
        return ""
    plain, fired = _Plain(), _Plain()
    same = ast.dump(plain.visit(one)) == ast.dump(fired.visit(other))
    return (fired.last or plain.last) if same else ""


def _parsed(text: str) -> ast.AST | None:
    """An expression in brackets, so that its lines may be anywhere; else a statement."""
    for attempt in (f"(\n{text.strip()}\n)", text.strip()):
        try:
            return ast.parse(attempt)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return None


_BY_KIND = {kind: [pattern for pattern in PATTERNS if kind in pattern.nodes]
            for kind in {kind for pattern in PATTERNS for kind in pattern.nodes}}


class _Plain(ast.NodeTransformer):
    """Brings a tree into its plain form, innermost first."""

    def __init__(self) -> None:
        self.last = ""

    def visit(self, node: ast.AST) -> ast.AST:
        node = self.generic_visit(node)
        for pattern in _BY_KIND.get(type(node), ()):
            found = pattern.rewrite(node)
            if found is not None:
                node, self.last = found, pattern.name
        return node
