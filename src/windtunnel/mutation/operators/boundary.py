"""Comparisons that are off by their edge."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from windtunnel.mutation.operator import Operator, Place, Proposal, changed, untouched
from windtunnel.mutation.operators.comparison import compared

_INSTEAD: dict[type[cst.BaseCompOp], type[cst.BaseCompOp]] = {
    cst.LessThan: cst.LessThanEqual, cst.LessThanEqual: cst.LessThan,
    cst.GreaterThan: cst.GreaterThanEqual, cst.GreaterThanEqual: cst.GreaterThan,
}


def propose(node: cst.CSTNode, _place: Place) -> Iterator[Proposal]:
    """The edge taken in or left out."""
    return compared(node, _INSTEAD)


OPERATOR = Operator(
    name="boundary",
    title="the edge of a range taken in or left out",
    nodes=(cst.Comparison,),
    propose=propose,
    examples=(
        *changed(("x = a < b\n", "x = a <= b\n"), ("if a >= 3:\n    f()\n", "if a > 3:\n    f()\n")),
        *untouched("x = a == b\n"),
    ),
)
