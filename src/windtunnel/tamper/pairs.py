"""A function of a change beside the one that it was before."""

from __future__ import annotations

import ast

from windtunnel.tamper.answers import Reader, tables
from windtunnel.tamper.trees import Source

Function = ast.FunctionDef | ast.AsyncFunctionDef


def pair_of(new: Source, old: Source | None, function: Function) -> tuple[Reader, Reader | None]:
    """A function, and the one of its name and class before the change."""
    now = Reader(new, function, shared=tables(new, new.tree))
    if old is None:
        return now, None
    same = [each for each in old.functions if each.name == function.name and _class(old, each) == _class(new, function)]
    return now, Reader(old, same[0], shared=tables(old, old.tree)) if same else None


def pair_at(new: Source, old: Source | None, line: int) -> tuple[Reader, Reader] | None:
    """Both versions of the innermost function around a line; None where there is no such function, or was none."""
    around = [each for each in new.functions if each.lineno <= line <= (each.end_lineno or 0)]
    if not around:
        return None
    now, earlier = pair_of(new, old, max(around, key=lambda each: each.lineno))
    return None if earlier is None else (now, earlier)


def _class(source: Source, function: ast.AST) -> str:
    return next((each.name for each in source.above(function) if isinstance(each, ast.ClassDef)), "")
