"""The function or class around a line: by the syntax tree for Python, by indentation for the others."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

_DECLARES = re.compile(
    r"\s*(?:(?:pub(?:\([\w:]+\))?|export|default|public|private|protected|static|final|abstract|async|unsafe|const|"
    r"extern|override|synchronized|inline|readonly)\s+){0,6}"
    r"(?:(?:function\*?|func(?:\s*\([^)]{0,100}\))?|fn|def|class|interface|struct|enum|impl(?:<[^>]{0,80}>)?|trait|mod|"
    r"record|type|namespace)\s+([\w$]+)|(?:const|let|var)\s+([\w$]+)\s*=\s*(?:async\s*)?(?:function|\([^)]{0,200}\)\s*=>|"
    r"\w+\s*=>)|(?:[\w$<>\[\],.?]+\s+){0,3}([\w$]+)\s*\([^;]{0,200}\)\s*(?:throws\s+[\w., ]{1,100})?\{?\s*$)")
_NOT_NAMES = frozenset({"if", "for", "while", "switch", "catch", "return", "else", "match", "loop", "try", "do",
                        "with"})
_MOST_UP = 2000
_MOST_PYTHON = 400_000


def enclosing(path: str, lines: Sequence[str], *, line: int) -> str | None:
    """``Cart.total`` for a line in that method; None outside of any."""
    if path.endswith((".py", ".pyi")):
        found = _python(lines, line)
        if found is not None:
            return found or None
    return _indented(lines, line)


def _python(lines: Sequence[str], line: int) -> str | None:
    """Empty outside of any; None where the file cannot be parsed."""
    source = "\n".join(lines)
    if len(source) > _MOST_PYTHON:
        return None
    try:
        nodes: list[ast.stmt] = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    names: list[str] = []
    while True:
        inner = next((node for node in nodes if node.lineno <= line <= (node.end_lineno or 0)), None)
        if inner is None:
            return ".".join(names)
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.append(inner.name)
        nodes = [node for field in ("body", "orelse", "finalbody", "handlers", "cases")
                 for part in (getattr(inner, field, []),) if isinstance(part, list)
                 for node in _statements(part)]


def _statements(part: Sequence[ast.AST]) -> list[ast.stmt]:
    """Statements; of handlers and cases, their bodies."""
    found: list[ast.stmt] = []
    for node in part:
        if isinstance(node, ast.stmt):
            found.append(node)
        elif isinstance(node, ast.ExceptHandler | ast.match_case):
            found += node.body
    return found


def _indented(lines: Sequence[str], line: int) -> str | None:
    """Walk up: each line that is indented less than all below it may declare what holds them."""
    names: list[str] = []
    depth = _indent(lines[line - 1]) + 1
    for text in [lines[line - 1], *lines[max(0, line - 1 - _MOST_UP) : line - 1][::-1]]:
        if not text.strip() or _indent(text) >= depth:
            continue
        depth = _indent(text)
        said = _DECLARES.match(text[:400])
        name = next((group for group in said.groups() if group), None) if said is not None else None
        if name is not None and name not in _NOT_NAMES:
            names.append(name)
        if depth == 0:
            break
    return ".".join(names[::-1]) or None


def _indent(text: str) -> int:
    spread = text.expandtabs(4)
    return len(spread) - len(spread.lstrip())
