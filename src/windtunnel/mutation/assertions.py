"""Tests that assert nothing, by their text.

A test asserts where it, or something it calls in its own file, has an ``assert``, raises, expects an exception or a
warning, or calls something whose name says that it checks. What does not hold: a helper of another file with a name
that does not say so is not seen, so such a test is named here although it asserts.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator

_SAYS_SO = re.compile(
    r"_?(assert|expect|check|verify|raises|warns|deprecated_call|fail\b|should|compare|ensure)", re.IGNORECASE)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_HOLDING = (ast.stmt, ast.ExceptHandler, ast.match_case)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def asserting_nothing(source: bytes, *, among: Collection[str] | None = None) -> list[str]:
    """Names of such tests as pytest spells them within a file; none of a file that cannot be read.

    ``among`` these names alone, where others do not matter.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return []
    known: dict[str, list[_Function]] = {}
    for node in _functions(tree.body):
        known.setdefault(node.name, []).append(node)
    return [name for name, node in _tests(tree.body, "")
            if (among is None or name in among) and not _asserts(node, known, seen=set())]


def _functions(body: Iterable[ast.AST]) -> Iterator[_Function]:
    """Those that others in the file can call: not those inside functions, which are part of what holds them."""
    for node in body:
        if isinstance(node, _FUNCTIONS):
            yield node
        else:
            yield from _functions(inner for inner in ast.iter_child_nodes(node) if isinstance(inner, _HOLDING))


def _tests(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, _Function]]:
    for node in body:
        if isinstance(node, _FUNCTIONS) and node.name.startswith("test"):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef) and (node.name.startswith("Test") or node.bases):
            yield from _tests(node.body, f"{prefix}{node.name}::")


def _asserts(function: _Function, known: dict[str, list[_Function]], *, seen: set[str]) -> bool:
    for node in ast.walk(function):
        if isinstance(node, ast.Assert | ast.Raise):
            return True
        name = _called(node)
        if name and _SAYS_SO.match(name):
            return True
        if name in known and name not in seen:
            seen.add(name)
            if any(_asserts(other, known, seen=seen) for other in known[name]):
                return True
    return False


def _called(node: ast.AST) -> str:
    """The last word of what is called; also of what is handed on, because it will be called."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
