"""From a file to whole new texts of it, each with one edit of one rule."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from windtunnel.speedups.rule import Edit, Part, Rule
from windtunnel.speedups.rules import RULES
from windtunnel.speedups.source import Source, parse

_MOST_EDITS = 200
_TRIPS = (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError, StopIteration, AssertionError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Speedup:
    """One edit of one file."""

    path: str
    text: str
    """The whole file with the edit."""
    rule: str
    reason: str
    confidence: float
    function: str
    """The qualified name of the outermost function that it changes; empty at the level of the module."""
    first_line: int
    last_line: int
    """Of that function, in the file before the edit."""


def propose(path: str, text: str) -> Iterator[Speedup]:
    """What the rules say of a file, in its order; nothing of one that does not parse. It never raises."""
    source = parse(text)
    if source is None:
        return
    told = {text}
    for rule in RULES:
        for edit in _edits(rule, source):
            made = edited(source, edit)
            if made is not None and made not in told and len(told) <= _MOST_EDITS:
                told.add(made)
                yield _speedup(path, source, edit, rule=rule, text=made)


def edited(source: Source, edit: Edit) -> str | None:
    """The text with an edit and its imports; None where parts overlap or it does not parse any more."""
    parts = list(edit.parts)
    missing = [line for line in edit.imports if line not in source.lines]
    if missing:
        at = _import_place(source)
        parts.append((at, at, "".join(f"{line}\n" for line in missing)))
    text = _spliced(source.text, parts)
    return text if text is not None and parse(text) is not None else None


def _edits(rule: Rule, source: Source) -> Iterator[Edit]:
    try:
        yield from rule.find(source)
    except _TRIPS:
        # A rule reads trees of any shape; one that trips over a file says no more about it.
        return


def _spliced(text: str, parts: list[Part]) -> str | None:
    end = len(text) + 1
    for begin, stop, new in sorted(parts, key=lambda part: (part[0], part[1]), reverse=True):
        if not 0 <= begin <= stop <= end:
            return None
        text, end = text[:begin] + new + text[stop:], begin
    return text


def _import_place(source: Source) -> int:
    """The line of the first import that is none of the future; else after the docstring and those."""
    body = source.tree.body
    for one in body:
        if isinstance(one, ast.Import) or (isinstance(one, ast.ImportFrom) and one.module != "__future__"):
            return source.line_start(one)
    heads = [one for at, one in enumerate(body) if isinstance(one, ast.ImportFrom) or (
        at == 0 and isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))]
    return min(source.starts[heads[-1].end_lineno or 1], len(source.text)) if heads else 0


def _speedup(path: str, source: Source, edit: Edit, *, rule: Rule, text: str) -> Speedup:
    inner = source.function(edit.node) if not isinstance(edit.node, ast.FunctionDef) else edit.node
    function = inner
    while function is not None and (above := source.function(function)) is not None:
        function = above
    return Speedup(
        path=path, text=text, rule=rule.name, reason=edit.reason, confidence=edit.confidence,
        function=source.name_of(function) if function is not None else "",
        first_line=function.lineno if function is not None else 1,
        last_line=(function.end_lineno or function.lineno) if function is not None else len(source.lines))
