"""Signs that were forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.nodes import operand_of, operator_of
from windtunnel.mutation.grammars.place import Operator, Place, Proposal, examples

if TYPE_CHECKING:
    from tree_sitter import Node


def propose(node: Node, place: Place) -> Iterator[Proposal]:
    """The same without its sign."""
    sign, operand = operator_of(node), operand_of(node)
    if sign is not None and operand is not None and place.text(sign) in {"-", "~", "^"}:
        yield Proposal(start=node.start_byte, end=operand.start_byte, text="")


OPERATOR = Operator(
    name="unary", title="a sign or a complement dropped", propose=propose, examples={
        "javascript": examples(("x = -a;", "x = a;"), ("x = ~a;", "x = a;"), left=("x = +a;", "x = !a;", "x = -0;")),
        "typescript": examples(("x = -a;", "x = a;"), left=("let x: -1;", "x = typeof a;")),
        "go": examples(("g(-a)", "g(a)"), ("g(^a)", "g(a)"), left=("g(&a)", "g(<-a)", "g(*a)", "g(!a)")),
        "java": examples(("g(-a);", "g(a);"), ("g(~a);", "g(a);"), left=("g(+a);", "g(!a);")),
        "rust": examples(("g(-a);", "g(a);"), left=("g(*a);", "g(&a);", "g(!a);")),
    })
