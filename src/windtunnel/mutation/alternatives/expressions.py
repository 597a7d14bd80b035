"""Small changes of one expression: what a person might have written in its place."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

Edit = tuple[str, ast.expr]
"""The kind of change, and what takes the place of the expression."""
_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt, ast.GtE, ast.NotEq), ast.LtE: (ast.Lt, ast.GtE, ast.Gt, ast.Eq),
    ast.Gt: (ast.GtE, ast.Lt, ast.LtE, ast.NotEq), ast.GtE: (ast.Gt, ast.LtE, ast.Lt, ast.Eq),
    ast.Eq: (ast.NotEq, ast.LtE, ast.GtE), ast.NotEq: (ast.Eq, ast.Lt, ast.Gt), ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,)}
_ARITHMETIC: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult), ast.Sub: (ast.Add, ast.Mod), ast.Mult: (ast.Add, ast.FloorDiv, ast.Pow),
    ast.Div: (ast.FloorDiv, ast.Mult), ast.FloorDiv: (ast.Div, ast.Mod), ast.Mod: (ast.FloorDiv, ast.Sub),
    ast.Pow: (ast.Mult,), ast.BitAnd: (ast.BitOr,), ast.BitOr: (ast.BitAnd, ast.BitXor), ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,)}
_TWINS = (
    ("min", "max"), ("any", "all"), ("strip", "lstrip", "rstrip"), ("lower", "upper", "casefold"), ("floor", "ceil"),
    ("int", "round", "float"), ("split", "rsplit"), ("find", "rfind", "index"), ("startswith", "endswith"),
    ("append", "extend"), ("appendleft", "append"), ("pop", "popleft"), ("isdigit", "isalpha", "isalnum"),
    ("keys", "values"), ("partition", "rpartition"), ("union", "intersection"), ("list", "set", "sorted", "tuple"),
    ("bisect_left", "bisect_right"), ("insort_left", "insort_right"), ("ljust", "rjust"), ("add", "discard"))
_MOST_NAMES = 6
_MOST_KIND = 60
CONSTANT = "constant "
"""Begins the kind of an edit of a number or text, which follows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What may be named in a function."""

    names: Sequence[str]
    """Its parameters and what it sets, in order."""
    numbers: Sequence[int] = ()
    texts: Sequence[str] = ()
    conditions: Sequence[ast.expr] = field(default=())
    """That stand somewhere in the old or the new function."""


def edits(node: ast.expr, scope: Scope) -> Iterator[Edit]:
    """All for one expression; never the expression itself."""
    if isinstance(node, ast.Compare):
        yield from _compare(node)
    elif isinstance(node, ast.BoolOp):
        yield from _boolean(node)
    elif isinstance(node, ast.BinOp):
        yield from _arithmetic(node)
    elif isinstance(node, ast.UnaryOp):
        yield "operator", node.operand
    elif isinstance(node, ast.Constant):
        yield from _constant(node, scope)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield from _name(node, scope)
    elif isinstance(node, ast.Call):
        yield from _call(node)
    elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        yield from _subscript(node)
    elif isinstance(node, ast.IfExp):
        yield from (("condition", part) for part in (node.body, node.orelse))
        yield "condition", ast.IfExp(test=node.test, body=node.orelse, orelse=node.body)


def conditions(node: ast.expr, scope: Scope) -> Iterator[Edit]:
    """For an expression that decides: turned round, dropped, widened and narrowed by others."""
    yield "condition", negated(node)
    yield "condition", ast.Constant(value=True)
    yield "condition", ast.Constant(value=False)
    shown = ast.unparse(node)
    for other in scope.conditions:
        if ast.unparse(other) != shown:
            yield "widened", ast.BoolOp(op=ast.Or(), values=[node, other])
            yield "narrowed", ast.BoolOp(op=ast.And(), values=[node, other])


def negated(node: ast.expr) -> ast.expr:
    """The opposite."""
    return node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) else ast.UnaryOp(
        op=ast.Not(), operand=node)


def shifted(node: ast.expr, by: int) -> ast.expr:
    """One more or one less."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return ast.Constant(value=node.value + by)
    return ast.BinOp(left=node, op=ast.Add() if by > 0 else ast.Sub(), right=ast.Constant(value=abs(by)))


def answers(node: ast.expr) -> Iterator[Edit]:
    """For an expression that is the answer of a function."""
    yield "return", ast.Constant(value=None)
    zero = ast.Constant(value=0)
    for name in ("max", "min"):
        yield "clamp", ast.Call(func=ast.Name(id=name, ctx=ast.Load()), args=[node, zero], keywords=[])
    for name in ("abs", "int", "round", "list", "sorted", "str"):
        yield "wrapped", ast.Call(func=ast.Name(id=name, ctx=ast.Load()), args=[node], keywords=[])
    yield "shifted", shifted(node, 1)
    yield "shifted", shifted(node, -1)
    yield "return", negated(node)


def _compare(node: ast.Compare) -> Iterator[Edit]:
    for at, operator in enumerate(node.ops):
        for kind in _COMPARISONS.get(type(operator), ()):
            operators = [*node.ops[:at], kind(), *node.ops[at + 1:]]
            yield "comparison", ast.Compare(left=node.left, ops=operators, comparators=node.comparators)
        # A plain number at the boundary is changed as a number.
        if isinstance(operator, ast.Lt | ast.LtE | ast.Gt | ast.GtE | ast.Eq | ast.NotEq) and not isinstance(
                node.comparators[at], ast.Constant):
            for by in (1, -1):
                others = [*node.comparators[:at], shifted(node.comparators[at], by), *node.comparators[at + 1:]]
                yield "boundary", ast.Compare(left=node.left, ops=node.ops, comparators=others)


def _boolean(node: ast.BoolOp) -> Iterator[Edit]:
    yield "boolean", ast.BoolOp(op=ast.Or() if isinstance(node.op, ast.And) else ast.And(), values=node.values)
    for at in range(len(node.values)):
        rest = [*node.values[:at], *node.values[at + 1:]]
        yield "dropped", rest[0] if len(rest) == 1 else ast.BoolOp(op=node.op, values=rest)


def _arithmetic(node: ast.BinOp) -> Iterator[Edit]:
    for kind in _ARITHMETIC.get(type(node.op), ()):
        yield "operator", ast.BinOp(left=node.left, op=kind(), right=node.right)
    yield "operand", node.left
    yield "operand", node.right
    if not isinstance(node.op, ast.Mult | ast.BitAnd | ast.BitOr):
        yield "operand", ast.BinOp(left=node.right, op=node.op, right=node.left)
    for by in (1, -1):
        yield "shifted", shifted(node, by)


def _constant(node: ast.Constant, scope: Scope) -> Iterator[Edit]:
    if isinstance(node.value, bool):
        yield "constant", ast.Constant(value=not node.value)
    elif isinstance(node.value, int | float):
        kind = f"{CONSTANT}{node.value!r}"[:_MOST_KIND]
        numbers = [node.value + 1, node.value - 1, node.value * 2, 0, 1, *scope.numbers]
        yield from ((kind, ast.Constant(value=other)) for other in dict.fromkeys(numbers) if other != node.value)
    elif isinstance(node.value, str):
        kind = f"{CONSTANT}{node.value!r}"[:_MOST_KIND]
        texts = ["", *scope.texts]
        yield from ((kind, ast.Constant(value=other)) for other in dict.fromkeys(texts) if other != node.value)


def _name(node: ast.Name, scope: Scope) -> Iterator[Edit]:
    others = [name for name in scope.names if name != node.id] if node.id in scope.names else []
    for other in others[:_MOST_NAMES]:
        yield "name", ast.Name(id=other, ctx=ast.Load())
    for twin in _twins(node.id):
        yield "function", ast.Name(id=twin, ctx=ast.Load())
    if node.id in scope.names:
        for by in (1, -1):
            yield "shifted", shifted(node, by)


def _call(node: ast.Call) -> Iterator[Edit]:
    if isinstance(node.func, ast.Attribute):
        for twin in _twins(node.func.attr):
            changed = ast.Attribute(value=node.func.value, attr=twin, ctx=ast.Load())
            yield "function", ast.Call(func=changed, args=node.args, keywords=node.keywords)
        yield "call dropped", node.func.value
    for at in range(len(node.args)):
        yield "argument", ast.Call(func=node.func, args=[*node.args[:at], *node.args[at + 1:]], keywords=node.keywords)
    if len(node.args) == 1:
        yield "call dropped", node.args[0]
    for at in range(len(node.args) - 1):
        swapped = [*node.args[:at], node.args[at + 1], node.args[at], *node.args[at + 2:]]
        yield "argument", ast.Call(func=node.func, args=swapped, keywords=node.keywords)
    for at in range(len(node.keywords)):
        yield "argument", ast.Call(func=node.func, args=node.args, keywords=[
            *node.keywords[:at], *node.keywords[at + 1:]])


def _twins(name: str) -> list[str]:
    return [other for group in _TWINS if name in group for other in group if other != name]


def _subscript(node: ast.Subscript) -> Iterator[Edit]:
    if not isinstance(node.slice, ast.Slice):
        for by in (1, -1):
            yield "index", ast.Subscript(value=node.value, slice=shifted(node.slice, by), ctx=ast.Load())
        return
    for name in ("lower", "upper", "step"):
        part = getattr(node.slice, name)
        for other in (None, *(shifted(part, by) for by in (1, -1))) if part is not None else ():
            parts = {each: getattr(node.slice, each) for each in ("lower", "upper", "step")} | {name: other}
            yield "slice", ast.Subscript(value=node.value, slice=ast.Slice(**parts), ctx=ast.Load())
