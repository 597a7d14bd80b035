"""Arithmetic done with another operator."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from windtunnel.mutation.operator import Operator, Place, Proposal, changed, untouched
from windtunnel.mutation.trees import exchanged, is_constant, is_text, name_of

_INSTEAD: dict[type[cst.BaseBinaryOp], type[cst.BaseBinaryOp]] = {
    cst.Add: cst.Subtract, cst.Subtract: cst.Add, cst.Multiply: cst.Divide, cst.Divide: cst.Multiply,
    cst.FloorDivide: cst.Divide, cst.Modulo: cst.Multiply, cst.Power: cst.Multiply, cst.LeftShift: cst.RightShift,
    cst.RightShift: cst.LeftShift, cst.BitAnd: cst.BitOr, cst.BitOr: cst.BitAnd, cst.BitXor: cst.BitAnd,
}
_BUILT_IN_TYPES = frozenset({
    "bool", "bytes", "complex", "dict", "float", "frozenset", "int", "list", "object", "set", "str", "tuple",
    "type",
})


def propose(node: cst.CSTNode, place: Place) -> Iterator[Proposal]:
    """The operator exchanged, unless it joins texts, lists or types."""
    if not isinstance(node, cst.BinaryOperation) or place.within(cst.MatchValue):
        return
    instead = _INSTEAD.get(type(node.operator))
    if instead is None or is_text(node.left) or is_text(node.right) or _joins_types(node):
        return
    yield Proposal(target=node.operator, replacement=exchanged(node.operator, instead))


def _joins_types(node: cst.BinaryOperation) -> bool:
    if not isinstance(node.operator, cst.BitOr):
        return False
    return any(is_constant(side, "None") or _is_type(side) for side in (node.left, node.right))


def _is_type(node: cst.BaseExpression) -> bool:
    name = name_of(node)
    return name in _BUILT_IN_TYPES or (name[:1].isupper() and not name.isupper())


OPERATOR = Operator(
    name="arithmetic",
    title="another arithmetic or bit operator",
    nodes=(cst.BinaryOperation,),
    propose=propose,
    examples=(
        *changed(("x = a + b\n", "x = a - b\n"), ("x = a // 2\n", "x = a / 2\n"),
                 ("x = (a) & (b)\n", "x = (a) | (b)\n")),
        *untouched('x = "a" + name\n', 'x = "%d" % n\n', "x = [0] * n\n", "Number = int | None\n", "x = a @ b\n"),
    ),
)
