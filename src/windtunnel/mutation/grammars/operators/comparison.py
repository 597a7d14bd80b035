"""Comparisons that say the opposite."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.nodes import binds, operator_of
from windtunnel.mutation.grammars.place import Operator, Place, Proposal, examples, instead

if TYPE_CHECKING:
    from tree_sitter import Node

INSTEAD = {"==": "!=", "!=": "==", "===": "!==", "!==": "===", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_WORDS = frozenset({"in", "instanceof"})


def propose(node: Node, place: Place) -> Iterator[Proposal]:
    """The opposite."""
    if node.type == "instanceof_expression":
        if not binds(node, place) and not _is_inverted(place):
            yield instead(node, f"!({place.text(node)})")
        return
    sign = operator_of(node)
    word = place.text(sign) if sign is not None else ""
    if sign is not None and word in INSTEAD:
        yield instead(sign, INSTEAD[word])
    elif word in _WORDS and not _is_inverted(place):
        yield instead(node, f"!({place.text(node)})")


def _is_inverted(place: Place) -> bool:
    """Whether it already stands behind a ``!``, which another operator drops."""
    return place.kind_above() == "parenthesized_expression" and place.kind_above(2) == "unary_expression"


OPERATOR = Operator(
    name="comparison", title="a comparison that says the opposite", propose=propose, examples={
        "javascript": examples(("x = a === b;", "x = a !== b;"), ("x = a < b;", "x = a >= b;"),
                               ("x = a in b;", "x = !(a in b);"), left=("for (const a in b) f();", "x = !(a in b);")),
        "typescript": examples(("x = a == b;", "x = a != b;"), left=("type T<A> = A extends B ? 1 : 2;",)),
        "go": examples(("g(err != nil)", "g(err == nil)"), left=("g(a && b)",)),
        "java": examples(("g(a == null);", "g(a != null);"), ("g(a instanceof B);", "g(!(a instanceof B));"),
                         left=("g(a instanceof B b);", "g(!(a instanceof B));")),
        "rust": examples(("g(a == b);", "g(a != b);"), ("g(a >= b);", "g(a < b);"), left=("g(a && b);",)),
    })
