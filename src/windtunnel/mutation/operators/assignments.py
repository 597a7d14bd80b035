"""Augmented assignments that do something else to the value, or forget it."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from windtunnel.mutation.operator import Example, Operator, Place, Proposal, untouched
from windtunnel.mutation.trees import exchanged, is_text, mentions

_INSTEAD: dict[type[cst.BaseAugOp], type[cst.BaseAugOp]] = {
    cst.AddAssign: cst.SubtractAssign, cst.SubtractAssign: cst.AddAssign, cst.MultiplyAssign: cst.DivideAssign,
    cst.DivideAssign: cst.MultiplyAssign, cst.FloorDivideAssign: cst.DivideAssign, cst.ModuloAssign: cst.MultiplyAssign,
    cst.PowerAssign: cst.MultiplyAssign, cst.LeftShiftAssign: cst.RightShiftAssign,
    cst.RightShiftAssign: cst.LeftShiftAssign, cst.BitAndAssign: cst.BitOrAssign, cst.BitOrAssign: cst.BitAndAssign,
    cst.BitXorAssign: cst.BitAndAssign,
}


def propose(node: cst.CSTNode, place: Place) -> Iterator[Proposal]:
    """The opposite operator, and plain ``=``; a loop's own counter is left alone, or it would not end."""
    assert isinstance(node, cst.AugAssign)
    if _counts_a_loop(node, place):
        return
    old = node.operator
    instead = _INSTEAD.get(type(old))
    if instead is not None and not is_text(node.value):
        yield Proposal(target=old, replacement=exchanged(old, instead))
    yield Proposal(target=old, replacement=exchanged(old, cst.AssignEqual))


def _counts_a_loop(node: cst.AugAssign, place: Place) -> bool:
    if not isinstance(node.target, cst.Name):
        return False
    name, loops = node.target.value, (above for above, _ in place.upward() if isinstance(above, cst.While))
    return any(mentions(place.source, loop.test, name=name) for loop in loops)


OPERATOR = Operator(
    name="assignments",
    title="an augmented assignment with another operator, or a plain one",
    nodes=(cst.AugAssign,),
    propose=propose,
    examples=(
        Example(before="x += a\n", after=("x -= a\n", "x = a\n")),
        Example(before='x += "a"\n', after=('x = "a"\n',)),
        *untouched("x = a\n", "while i < 3:\n    i += 1\n"),
    ),
)
