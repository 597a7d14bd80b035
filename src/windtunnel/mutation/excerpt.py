"""A file with all definitions emptied that some lines have nothing to do with, so that a tree of it is read quickly.

What holds: every line stays where it is, and what is left reads as before, the heads of definitions that it names among
it. A definition that holds one of the lines, shares its name with another, or in which a comment speaks of mutation, is
left whole.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections import Counter
from collections.abc import Collection, Iterator

from windtunnel.mutation.comments import PRAGMA
from windtunnel.mutation.encoding import quiet

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")
_WORD = re.compile(r"\w+")
_QUOTES = '"""'
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def excerpt(text: str, wanted: Collection[int]) -> str:
    """The text as far as the wanted lines, from 1, need it; all of it where it cannot be read."""
    try:
        with quiet():
            body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text
    lines = _LINE.findall(text)
    away = [(node, depth) for node, depth in _away(body, frozenset(wanted))
            if not any(map(PRAGMA.search, lines[_first(node) - 1:node.end_lineno]))]
    kept = list(lines)
    for node, depth in away:
        if not depth:
            kept[_first(node) - 1:node.end_lineno] = [""] * len(lines[_first(node) - 1:node.end_lineno])
    words = set(_WORD.findall("".join(kept)))
    for node, depth in away:
        # What calls a function may ask for its parameters; and heads of methods may read the same in several classes.
        first, indent = (node.body[0].lineno, lines[node.body[0].lineno - 1][:node.body[0].col_offset]) \
            if depth or node.name in words else (_first(node), "")
        if not indent.strip():
            lines[first - 1:node.end_lineno] = _emptied(lines[first - 1:node.end_lineno], indent)
    return "".join(lines)


def _emptied(lines: list[str], indent: str) -> list[str]:
    """As many lines; one long string instead of many empty ones, each of which would be a part of the tree."""
    ends = ["".join(letter for letter in line[-2:] if letter in "\r\n") for line in lines]
    if not lines[1:]:
        return [f"{indent}pass{ends[0]}"]
    return [f"{indent}{_QUOTES}{ends[0]}", *ends[1:-1], f"{_QUOTES}{ends[-1]}"]


def _away(
    body: list[ast.stmt], wanted: frozenset[int], *, before: int = 0, depth: int = 0,
) -> Iterator[tuple[_Definition, int]]:
    """Definitions of a name of their own that no wanted line touches, comments around them among it.

    Each with the number of classes that hold it.
    """
    names = Counter(node.name for node in body if isinstance(node, _DEFINITIONS))
    for node, following in itertools.zip_longest(body, body[1:]):
        after = _first(following) if following is not None else (node.end_lineno or 0) + 1
        around = range(before + 1, max(after, (node.end_lineno or 0) + 1))
        if isinstance(node, _DEFINITIONS) and names[node.name] == 1 and wanted.isdisjoint(around):
            yield node, depth
        elif isinstance(node, ast.ClassDef):
            yield from _away(node.body, wanted, before=node.lineno, depth=depth + 1)
        before = node.end_lineno or 0


def _first(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(one.lineno for one in decorators)])
