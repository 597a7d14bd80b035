"""Values that are changed the other way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.nodes import LOOPS, operator_of
from windtunnel.mutation.grammars.operators.arithmetic import INSTEAD, fits
from windtunnel.mutation.grammars.parts import first
from windtunnel.mutation.grammars.place import Operator, Place, Proposal, examples, instead

if TYPE_CHECKING:
    from tree_sitter import Node

_STEPS = {"++": "--", "--": "++"}


def propose(node: Node, place: Place) -> Iterator[Proposal]:
    """Another sign; what moves a loop on is left alone, because it would only never end."""
    sign = operator_of(node)
    if sign is None or place.kind_above() in LOOPS | {"for_clause"}:
        return
    word = place.text(sign)
    if word in _STEPS:
        yield instead(sign, _STEPS[word])
        return
    other = INSTEAD.get(word.removesuffix("=")) if word.endswith("=") and word != "=" else None
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if other is None or left is None or right is None:
        return
    left, right = (_alone(side) for side in (left, right))
    if fits(word.removesuffix("="), left, right, place=place):
        yield instead(sign, f"{other}=")


def _alone(node: Node) -> Node:
    return (first(node) if node.type == "expression_list" else None) or node


OPERATOR = Operator(
    name="assignments", title="an augmented assignment with another operator", propose=propose, examples={
        "javascript": examples(("x += a;", "x -= a;"), ("x--;", "x++;"), ("x **= a;", "x *= a;"),
                               left=("x = a;", 'x += "a";', "for (;; i++) f();", "x ??= a;")),
        "typescript": examples(("x += 1;", "x -= 1;"), left=("x += a;",)),
        "go": examples(("x += 1", "x -= 1"), ("x++", "x--"), left=("x += y", "x = a", "for ; ; a++ {\n\t}")),
        "java": examples(("x += 1;", "x -= 1;"), ("x++;", "x--;"), left=("x += y;", "for (;; a++) g();")),
        "rust": examples(("x += 1;", "x -= 1;"), ("x <<= 1;", "x >>= 1;"), left=("x += y;", "x = a;")),
    })
