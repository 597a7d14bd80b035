"""Truth values and what joins them."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from windtunnel.mutation.operator import Operator, Place, Proposal, changed, untouched
from windtunnel.mutation.trees import exchanged, in_place_of

_OPPOSITE = {"True": "False", "False": "True"}


def propose(node: cst.CSTNode, place: Place) -> Iterator[Proposal]:
    """``and`` for ``or``, no ``not``, True for False."""
    if isinstance(node, cst.BooleanOperation):
        instead = cst.Or if isinstance(node.operator, cst.And) else cst.And
        yield Proposal(target=node.operator, replacement=exchanged(node.operator, instead))
    elif isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
        yield Proposal(target=node, replacement=in_place_of(node.expression, node))
    elif isinstance(node, cst.Name) and node.value in _OPPOSITE and not _is_elsewhere(place):
        yield Proposal(target=node, replacement=node.with_changes(value=_OPPOSITE[node.value]))


def _is_elsewhere(place: Place) -> bool:
    """A default is another operator's; an endless loop that ends, or the reverse, teaches nothing."""
    return place.field == "default" or (isinstance(place.parent, cst.While) and place.field == "test")


OPERATOR = Operator(
    name="boolean",
    title="`and` for `or`, a `not` dropped, True for False",
    nodes=(cst.BooleanOperation, cst.UnaryOperation, cst.Name),
    propose=propose,
    examples=(
        *changed(("x = a and b\n", "x = a or b\n"), ("if not a:\n    f()\n", "if a:\n    f()\n"),
                 ("x = True\n", "x = False\n"), ("f(strict=False)\n", "f(strict=True)\n")),
        *untouched("while True:\n    f()\n", "def f(x=True):\n    return x\n", "x = -a\n"),
    ),
)
