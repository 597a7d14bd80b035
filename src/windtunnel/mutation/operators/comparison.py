"""Comparisons that say the opposite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import libcst as cst

from windtunnel.mutation.operator import Operator, Place, Proposal, changed, untouched
from windtunnel.mutation.trees import exchanged

_INSTEAD: dict[type[cst.BaseCompOp], type[cst.BaseCompOp]] = {
    cst.Equal: cst.NotEqual, cst.NotEqual: cst.Equal, cst.Is: cst.IsNot, cst.IsNot: cst.Is, cst.In: cst.NotIn,
    cst.NotIn: cst.In, cst.LessThan: cst.GreaterThanEqual, cst.GreaterThanEqual: cst.LessThan,
    cst.GreaterThan: cst.LessThanEqual, cst.LessThanEqual: cst.GreaterThan,
}


def propose(node: cst.CSTNode, _place: Place) -> Iterator[Proposal]:
    """Each operator of a comparison negated."""
    return compared(node, _INSTEAD)


def compared(node: cst.CSTNode, instead: Mapping[type[cst.BaseCompOp], type[cst.BaseCompOp]]) -> Iterator[Proposal]:
    """Each operator of a comparison exchanged for another."""
    assert isinstance(node, cst.Comparison)
    for old in (comparison.operator for comparison in node.comparisons):
        if type(old) in instead:
            yield Proposal(target=old, replacement=exchanged(old, instead[type(old)]))


OPERATOR = Operator(
    name="comparison",
    title="a comparison that says the opposite",
    nodes=(cst.Comparison,),
    propose=propose,
    examples=(
        *changed(("x = a == b\n", "x = a != b\n"), ("x = a is None\n", "x = a is not None\n"),
                 ("x = a not in b\n", "x = a in b\n"), ("x = a < b\n", "x = a >= b\n")),
        *untouched("for a in b:\n    pass\n"),
    ),
)
