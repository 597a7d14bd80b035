"""Inputs made to hurt, by the kind of what they take the place of."""

from __future__ import annotations

import ast
from typing import Dict, List

NASTY: Dict[str, List[str]] = {
    "str": ["'A' * 100000", "'\\x00'", "'../../../../etc/passwd'", "\"'; DROP TABLE users; --\"", "'\\ud800'", "''",
            "'%s%s%s%n'", "'{0.__class__}'", "'\\u202e\\u0000\\x1b[2J'", "'9' * 5000", "'(' * 500",
            "'<script>alert(1)</script>'",
            "'a\\r\\nSet-Cookie: b=1'", "' ' * 10000", "'\\uff11'", "'$(id)'", "'(a+)+$'"],
    "bytes": ["b'\\x00' * 100000", "b'\\xff\\xfe\\xfd'", "b''", "b'\\x80\\x04.'"],
    "int": ["-1", "2**63", "-2**63", "10**30", "0", "True", "2**31", "float('nan')"],
    "float": ["float('nan')", "float('inf')", "-float('inf')", "-0.0", "5e-324", "1.7976931348623157e+308"],
    "list": ["[]", "[None] * 10000", "[float('nan'), 1]", "wt.functools.reduce(lambda a, _: [a], range(500), [])",
             "[[]] * 100", "['\\x00', '../..']"],
    "dict": ["{}", "{'__class__': 1, '__proto__': 2}", "{str(i): i for i in range(10000)}",
             "wt.functools.reduce(lambda a, _: {'a': a}, range(500), {})"],
    "other": ["None", "float('nan')", "'\\x00'", "-1", "[]"]}


def nasty(text: str) -> List[str]:
    """Of the same kind as the text makes, then of others."""
    kind = _kind(text)
    return [*NASTY[kind], *NASTY["other"]]


def _kind(text: str) -> str:
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return "other"
    node = node.operand if isinstance(node, ast.UnaryOp) else node
    if isinstance(node, ast.Constant):
        name = type(node.value).__name__
        return name if name in NASTY else "other"
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return "list"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("file", "folder"):
        return "str"
    return "dict" if isinstance(node, ast.Dict) else "other"
