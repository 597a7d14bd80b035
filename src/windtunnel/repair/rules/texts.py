"""Text in the project from which a wrong result was made: the one piece that would make it right."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.repair.rules.base import Fix, Sight, distance
from windtunnel.repair.rules.module import Module

_MOST = 2000


def literal_fixes(sight: Sight, *, expected: str, actual: str, prior: float) -> Iterator[Fix]:
    """Where exactly one piece of text in the code makes the difference of two texts: that piece, changed."""
    if not actual or expected == actual or max(len(expected), len(actual)) > _MOST:
        return
    found: list[tuple[float, tuple[str, int, int, str], str]] = []
    near = {function for _, function in sight.suspects()}
    for module in sight.project.modules():
        for start, end, piece, function in pieces(module):
            new = _changed(piece, expected=expected, actual=actual)
            if new is not None and new != piece:
                share = (0.3 if function in near else 0.0) + min(len(piece), 20) / 100
                found.append((share, (module.path, start, end, _escaped(new, module.text[start:end], piece)), piece))
    found.sort(key=lambda one: -one[0])
    for number, (share, part, piece) in enumerate(found[:6]):
        alone = prior if len(found) == 1 else prior - 0.15
        yield Fix(
            (part,),
            max(alone - 0.1 * number + (0.05 if share > 0.3 else 0.0), 0.05),  # noqa: PLR2004 -- a measure that is this place's own
            f"The text {piece!r} makes the difference.",
        )


def pieces(module: Module) -> Iterator[tuple[int, int, str, ast.AST | None]]:
    """(start, end, text, function) of plain text in the code, without docstrings; only what is written as it is."""
    for node in module.parents:
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str)) or not node.value:
            continue
        parent = module.parents.get(node)
        if isinstance(parent, ast.Expr):
            continue
        if isinstance(parent, ast.JoinedStr):
            start, end = module.span(parent)
            at = module.text.find(node.value, start, end)
            if at >= 0 and module.text.count(node.value, start, end) == 1:
                yield at, at + len(node.value), node.value, module.function(node)
            continue
        start, end = module.span(node)
        at = module.text.find(node.value, start, end)
        if at >= 0:
            yield at, at + len(node.value), node.value, module.function(node)


def _changed(piece: str, *, expected: str, actual: str) -> str | None:
    """What a piece must be so that the one text becomes the other; None where it plays no part."""
    if piece == actual:
        return expected
    if piece in actual and actual.count(piece) == 1:
        at = actual.index(piece)
        head, tail = actual[:at], actual[at + len(piece) :]
        if expected.startswith(head) and expected.endswith(tail) and len(expected) >= len(head) + len(tail):
            return (
                expected[len(head) : len(expected) - len(tail)]
                if distance(piece, expected[len(head) : len(expected) - len(tail)]) <= max(len(piece), 4)
                else None
            )
    if len(piece) >= 1 and actual.count(piece) > 1 and actual != expected:
        parts = actual.split(piece)
        pattern = "(.*?)".join(re.escape(part) for part in parts)
        found = re.fullmatch(pattern, expected, re.DOTALL) if len(parts) <= 12 else None  # noqa: PLR2004 -- a measure that is this place's own
        if found is not None and len(set(found.groups())) == 1:
            return found[1]
    if "%" in piece or "{" in piece:
        return _format(piece, expected=expected, actual=actual)
    return None


def _format(piece: str, *, expected: str, actual: str) -> str | None:
    """The same for a format: its fields stand for anything."""
    fields = re.split(r"(%[-+ #0]*\d*(?:\.\d+)?[a-zA-Z]|\{[^{}]*\})", piece)
    if len(fields) > 13 or len(fields) < 3:  # noqa: PLR2004 -- a measure that is this place's own
        return None
    pattern = "".join(re.escape(part) if at % 2 == 0 else "(.+?)" for at, part in enumerate(fields))
    found = re.fullmatch(pattern, actual, re.DOTALL)
    if found is None:
        return None
    result, rest = "", expected
    for at, value in enumerate(found.groups()):
        place = rest.find(value)
        if place < 0:
            return None
        result += rest[:place] + fields[2 * at + 1]
        rest = rest[place + len(value) :]
    return result + rest


def _escaped(new: str, old: str, piece: str) -> str:
    """As it is written in the same quotes; text with anything to escape is left to others by being unchanged."""
    return (
        new
        if old == piece and not re.search(r"['\"\\\n]", new)
        else (new.replace("\\", "\\\\").replace("\n", "\\n").replace("'", "\\'").replace('"', '\\"'))
    )
