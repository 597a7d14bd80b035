"""What follows from a condition: an answer made of constants, or one worked out; and what is there without it."""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence

from windtunnel.tamper.literals import value
from windtunnel.tamper.trees import Source, unparsed

MOST_SHOWN = 160
_AROUND = (ast.BoolOp, ast.UnaryOp, ast.Compare, ast.NamedExpr, ast.Call, ast.keyword, ast.GeneratorExp, ast.Attribute)
_SHORT = 2
"""Statements of a branch that does nothing but answer."""


def holder_of(source: Source, node: ast.AST) -> ast.AST:
    """The statement or ternary that a condition decides, or the condition itself."""
    at: ast.AST | None = source.up.get(node)
    below = node
    while at is not None and isinstance(at, _AROUND):
        below = at
        at = source.up.get(at)
    if isinstance(at, ast.If | ast.While | ast.IfExp):
        return at if at.test is below else node
    return at if isinstance(at, ast.match_case | ast.comprehension) else node


def outcome_of(source: Source, node: ast.AST) -> tuple[str | None, str]:
    """The constant that a decision answers with, where it does, and the decision for people."""
    holder = node if isinstance(node, ast.match_case) else holder_of(source, node)
    if isinstance(holder, ast.If):
        negative = _negative(holder.test)
        body = holder.orelse if negative else holder.body
        return answer_of(body), f"if {unparsed(holder.test)}: {_shown(holder.body)}"[:MOST_SHOWN]
    if isinstance(holder, ast.IfExp):
        return value(holder.orelse if _negative(holder.test) else holder.body), unparsed(holder)[:MOST_SHOWN]
    if isinstance(holder, ast.match_case):
        return answer_of(holder.body), f"case {unparsed(holder.pattern)}: {_shown(holder.body)}"[:MOST_SHOWN]
    return None, unparsed(_statement(source, node))[:MOST_SHOWN]


def _statement(source: Source, node: ast.AST) -> ast.AST:
    plain = ast.Return | ast.Assign | ast.Expr | ast.AugAssign | ast.AnnAssign | ast.Assert
    return next((each for each in source.above(node) if isinstance(each, plain)), node)


def _shown(body: Sequence[ast.stmt]) -> str:
    return "; ".join(unparsed(each) for each in body[:_SHORT])


def _negative(test: ast.expr) -> bool:
    return isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.NotEq | ast.NotIn | ast.IsNot)


def answer_of(body: Sequence[ast.stmt]) -> str | None:
    """The canonical text of a branch that gives constants alone: returned, kept in a variable, raised, passed over."""
    if not body or len(body) > _SHORT:
        return None
    last = body[0]
    if isinstance(last, ast.Return):
        return "None" if last.value is None else value(last.value)
    if isinstance(last, ast.Assign | ast.AnnAssign) and last.value is not None:
        return value(last.value)
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Yield):
        return value(last.value.value)
    if isinstance(last, ast.Raise) and last.exc is not None:
        raised = last.exc.func if isinstance(last.exc, ast.Call) else last.exc
        return f"raises {unparsed(raised)}"
    return "nothing" if isinstance(last, ast.Pass | ast.Continue | ast.Break) else None


class _Without(ast.NodeTransformer):
    """Takes one branch away."""

    def __init__(self, place: tuple[type, int, int]) -> None:
        self.place = place

    def visit(self, node: ast.AST) -> ast.AST | list[ast.stmt] | None:
        if (type(node), getattr(node, "lineno", 0), getattr(node, "col_offset", 0)) != self.place:
            return self.generic_visit(node)
        if isinstance(node, ast.If):
            return node.orelse or None
        return node.orelse if isinstance(node, ast.IfExp) else None


def without(source: Source, function: ast.AST, line: int) -> list[str]:
    """The function without one of the branches that stand on this line, each way of it."""
    found = []
    for node in source.inside(function):
        if isinstance(node, ast.If | ast.IfExp) and node.lineno <= line <= (node.test.end_lineno or 0):
            made = _Without((type(node), node.lineno, node.col_offset)).visit(copy.deepcopy(function))
            found += [unparsed(made)] if isinstance(made, ast.AST) else []
    return found
