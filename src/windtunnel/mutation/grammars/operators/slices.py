"""Parts that are too large."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.nodes import operator_of
from windtunnel.mutation.grammars.parts import parts
from windtunnel.mutation.grammars.place import Operator, Place, Proposal, examples, instead

if TYPE_CHECKING:
    from tree_sitter import Node


def propose(node: Node, place: Place) -> Iterator[Proposal]:
    """Each bound dropped."""
    if node.type == "slice_expression":
        if node.child_by_field_name("capacity") is None:
            bounds = (node.child_by_field_name("start"), node.child_by_field_name("end"))
            yield from (instead(bound, "") for bound in bounds if bound is not None)
        return
    sign = operator_of(node)
    if place.kind_above() != "index_expression" or sign is None or place.text(sign) != "..":
        return
    yield from (instead(bound, "") for bound in parts(node))


OPERATOR = Operator(
    name="slices", title="a bound of a slice dropped", propose=propose, examples={
        "go": examples(("g(x[1:])", "g(x[:])"), ("g(x[:a])", "g(x[:])"), left=("g(x[:])", "g(x[a])", "g(x[0:1:2])")),
        "rust": examples(("g(&x[1..]);", "g(&x[..]);"), left=("g(&x[..]);", "g(&x[..=a]);", "g(1..a);")),
    })
