"""Values of the tests in an edit: how a special case of a test is told from a fix, as far as texts can tell.

``special`` speaks of code that decides by a value that only the tests know. A constant that a test also has is no
proof, since right constants stand in tests too: it only counts against an edit when another one is as good without it.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from windtunnel.engine.fix.region import region_of
from windtunnel.engine.fix.validate import parsed

_LITERAL = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|\b\d[\w.]*\b")
_DECIDES = re.compile(r"==|!=|\bcase\b|\bin\b|\bequals\b|\bswitch\b|\bmatch\b")
_MOST_TEXT = 2000
_COMMON = frozenset({"0", "1", "-1", "2", "''", '""', "True", "False", "None", "0.0", "1.0", "10", "100"})


def literals(text: str, *, path: str) -> Counter[str]:
    """Every constant of a text but the commonest, by how often it is there."""
    tree = parsed(text) if path.endswith(".py") else None
    if isinstance(tree, ast.Module):
        return Counter(_constants(tree))
    return Counter(found for found in _LITERAL.findall(text) if found not in _COMMON)


def fresh(old: str, new: str, *, path: str) -> frozenset[str]:
    """Constants that only the new text has."""
    before = literals(old, path=path)
    return frozenset(name for name in literals(new, path=path) if name not in before)


def borrowed(old: str, new: str, *, path: str, tests: Iterable[str]) -> frozenset[str]:
    """Fresh constants that the tests have; ``tests`` are all constants of theirs."""
    return fresh(old, new, path=path) & frozenset(tests)


def special(old: str, new: str, *, path: str, tests: Iterable[str]) -> str:
    """The constant by which the new text decides and that only the tests know; empty where there is none."""
    known = borrowed(old, new, path=path, tests=tests)
    if not known:
        return ""
    tree = parsed(new) if path.endswith(".py") else None
    if isinstance(tree, ast.Module):
        return next((name for name in _deciding(tree) if name in known), "")
    region = region_of(old, new)
    lines = new.splitlines()[region.first - 1:region.new_end - 1]
    return next((name for line in lines if _DECIDES.search(line) for name in _LITERAL.findall(line) if name in known),
                "")


def _constants(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        told = repr(node.value) if isinstance(node, ast.Constant) else ""
        if told and told not in _COMMON and len(told) < _MOST_TEXT:
            yield told


def _deciding(tree: ast.AST) -> Iterator[str]:
    """Constants that something is compared with or looked up by."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and any(isinstance(each, ast.Eq | ast.NotEq | ast.In | ast.NotIn | ast.Is)
                                                 for each in node.ops):
            yield from (name for side in (node.left, *node.comparators) for name in _constants(side))
        elif isinstance(node, ast.MatchValue):
            yield from _constants(node.value)
        elif isinstance(node, ast.Dict):
            yield from (name for key in node.keys if key is not None for name in _constants(key))
