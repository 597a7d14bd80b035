"""Comparisons and ranges that are off by their edge."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.nodes import operator_of
from windtunnel.mutation.grammars.place import Operator, Place, Proposal, examples, instead

if TYPE_CHECKING:
    from tree_sitter import Node

_INSTEAD = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_RANGES = {"..": "..=", "..=": ".."}
_WALKS = frozenset({
    "contains", "map", "filter", "all", "any", "for_each", "flat_map", "collect", "sum", "fold", "find", "filter_map",
    "rev", "product", "take_while", "skip_while",
})


def propose(node: Node, place: Place) -> Iterator[Proposal]:
    """The edge taken in or left out."""
    sign = operator_of(node)
    if sign is None:
        return
    if node.type != "range_expression":
        if place.text(sign) in _INSTEAD:
            yield instead(sign, _INSTEAD[place.text(sign)])
    elif place.text(sign) in _RANGES and node.children[-1].is_named and _is_walked(place):
        yield instead(sign, _RANGES[place.text(sign)])


def _is_walked(place: Place) -> bool:
    """Whether a range is used where both kinds do: their types differ."""
    if place.kind_above() == "for_expression":
        return place.field == "value"
    if place.kind_above() == "index_expression":
        return True
    method, call = place.above(2), place.above(3)
    name = method.child_by_field_name("field") if method is not None and method.type == "field_expression" else None
    return (place.kind_above() == "parenthesized_expression" and name is not None and place.text(name) in _WALKS
            and call is not None and call.type == "call_expression")


OPERATOR = Operator(
    name="boundary", title="the edge of a range taken in or left out", propose=propose, examples={
        "javascript": examples(("x = a < b;", "x = a <= b;"), left=("x = a === b;",)),
        "typescript": examples(("x = a >= 3;", "x = a > 3;"), left=("const x = f<A>(b);",)),
        "go": examples(("for i := 0; i < 3; i++ {\n\t}", "for i := 0; i <= 3; i++ {\n\t}"), left=("g(a == b)",)),
        "java": examples(("g(a > b);", "g(a >= b);"), left=("List<A> x = g();",)),
        "rust": examples(("for i in 0..n {}", "for i in 0..=n {}"), ("g(&x[a..=b]);", "g(&x[a..b]);"),
                         ("g((0..n).map(h));", "g((0..=n).map(h));"), ("g(a < b);", "g(a <= b);"),
                         left=("g(0..n);", "g(&x[1..]);", "match a { 0..=3 => g(), _ => h() }")),
    })
