"""What people do not write: expressions and statements that say nothing, or take back what they said."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

_PLACES = frozenset({"lineno", "col_offset", "end_lineno", "end_col_offset", "ctx"})
_IDLE: dict[type[ast.operator], int] = {
    ast.Add: 0,
    ast.Sub: 0,
    ast.Mult: 1,
    ast.FloorDiv: 1,
    ast.Mod: 1,
    ast.Pow: 1,
    ast.Div: 1,
}
_CANCELLING = (ast.Sub, ast.FloorDiv, ast.Mod, ast.Div, ast.BitXor, ast.BitAnd, ast.BitOr)
_ANNIHILATING = (ast.Mult, ast.Mod, ast.FloorDiv, ast.Div, ast.Pow)


def alike(first: object, second: object) -> bool:
    """Whether two trees say the same, places and contexts apart."""
    if first.__class__ is not second.__class__:
        return False
    if isinstance(first, ast.AST):
        return all(
            alike(getattr(first, name, None), getattr(second, name, None))
            for name in first._fields
            if name not in _PLACES
        )
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(alike, first, second))
    return first == second


def oddities(node: ast.AST) -> Iterator[str]:
    """What is odd about one node, by name."""
    look = _LOOKS.get(node.__class__)
    return look(node) if look is not None else iter(())


def _binary(node: ast.BinOp) -> Iterator[str]:
    left, right = node.left, node.right
    undone = (
        isinstance(left, ast.BinOp)
        and isinstance(node.op, ast.Sub)
        and isinstance(left.op, ast.Add)
        and (alike(left.right, right) or alike(left.left, right))
    )
    if undone or (isinstance(node.op, _CANCELLING) and alike(left, right)):
        yield "identical operands"
    elif is_constant(left) and is_constant(right):
        yield "redundant"
    if isinstance(right, ast.Constant) and right.value.__class__ is int:
        if right.value == _IDLE.get(type(node.op)) or (right.value == 0 and isinstance(node.op, _ANNIHILATING)):
            yield "redundant"
    elif isinstance(right, ast.UnaryOp) and isinstance(node.op, ast.Add | ast.Sub):
        yield "double sign"


def _comparison(node: ast.Compare) -> Iterator[str]:
    sides = [node.left, *node.comparators]
    if any(alike(first, second) for first, second in pairwise(sides)):
        yield "identical operands"
    if all(is_constant(one) for one in sides):
        yield "constant condition"
    if isinstance(node.ops[0], ast.Lt | ast.GtE) and _is_length(node.left) and _is_zero(node.comparators[0]):
        yield "constant condition"


def _is_length(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len"


def _is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0


def _logical(node: ast.BoolOp) -> Iterator[str]:
    for index, one in enumerate(node.values):
        if any(alike(one, other) for other in node.values[:index]):
            yield "identical operands"
        if is_constant(one):
            yield "constant condition"
    plain = [one for one in node.values if isinstance(one, ast.Compare) and len(one.ops) == 1]
    for index, one in enumerate(plain):
        if any(alike(one.left, other.left) and alike(one.comparators, other.comparators) for other in plain[:index]):
            yield "redundant"


def is_constant(node: ast.expr) -> bool:
    """Whether it is the same each time."""
    return isinstance(node, ast.Constant) or (isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant))


def _decision(node: ast.If | ast.While | ast.IfExp) -> Iterator[str]:
    if isinstance(node.test, ast.Constant) and not (isinstance(node, ast.While) and node.test.value is True):
        yield "constant condition"
    if isinstance(node, ast.IfExp | ast.If) and node.orelse and alike(node.body, node.orelse):
        yield "identical branches"


def _call(node: ast.Call) -> Iterator[str]:
    for index, one in enumerate(node.args):
        if not is_constant(one) and any(alike(one, other) for other in node.args[:index]):
            yield "identical arguments"
            return


def _assignment(node: ast.Assign) -> Iterator[str]:
    if any(_renamed(target, node.value) for target in node.targets):
        yield "self-assignment"


def _renamed(target: ast.expr, value: ast.expr) -> bool:
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        return any(map(_renamed, target.elts, value.elts))
    return alike(target, value)


def _statement(node: ast.Expr) -> Iterator[str]:
    if not isinstance(node.value, ast.Call | ast.Constant | ast.Yield | ast.YieldFrom | ast.Await):
        yield "lost value"


def _negative(node: ast.UnaryOp) -> Iterator[str]:
    if isinstance(node.operand, ast.UnaryOp):
        yield "double sign"


_LOOKS: dict[type[ast.AST], Callable[[Any], Iterator[str]]] = {
    ast.BinOp: _binary,
    ast.Compare: _comparison,
    ast.BoolOp: _logical,
    ast.If: _decision,
    ast.While: _decision,
    ast.IfExp: _decision,
    ast.Call: _call,
    ast.Assign: _assignment,
    ast.Expr: _statement,
    ast.UnaryOp: _negative,
}
