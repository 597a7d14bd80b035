"""Signs that are lost."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from windtunnel.mutation.operator import Operator, Place, Proposal, changed, untouched
from windtunnel.mutation.trees import in_place_of


def propose(node: cst.CSTNode, place: Place) -> Iterator[Proposal]:
    """The operand alone; the step of a slice is the business of slices."""
    assert isinstance(node, cst.UnaryOperation)
    if not isinstance(node.operator, cst.Minus | cst.BitInvert) or place.within(cst.MatchValue):
        return
    if not (isinstance(place.parent, cst.Slice) and place.field == "step"):
        yield Proposal(target=node, replacement=in_place_of(node.expression, node))


OPERATOR = Operator(
    name="unary",
    title="a sign or `~` dropped",
    nodes=(cst.UnaryOperation,),
    propose=propose,
    examples=(
        *changed(("x = -a\n", "x = a\n"), ("x = ~a\n", "x = a\n"), ("x = a[-1]\n", "x = a[1]\n")),
        *untouched("x = +a\n", "x = not a\n", "x = a[::-1]\n", "match a:\n    case -1:\n        pass\n"),
    ),
)
