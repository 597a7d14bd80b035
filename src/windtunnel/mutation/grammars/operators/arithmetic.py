"""Sums that are differences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.nodes import is_number, is_text, operator_of
from windtunnel.mutation.grammars.place import Operator, Place, Proposal, examples, instead

if TYPE_CHECKING:
    from tree_sitter import Node

INSTEAD = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "*", "**": "*", "&": "|", "|": "&", "^": "&", "&^": "&",
           "<<": ">>", ">>": "<<", ">>>": "<<"}


def propose(node: Node, place: Place) -> Iterator[Proposal]:
    """Another sign, where both sides are sure to know it."""
    sign, left, right = operator_of(node), node.child_by_field_name("left"), node.child_by_field_name("right")
    if sign is None or left is None or right is None:
        return
    other = INSTEAD.get(place.text(sign))
    if other is not None and fits(place.text(sign), left, right, place=place):
        yield instead(sign, other)


def fits(sign: str, left: Node, right: Node, *, place: Place) -> bool:
    """Whether both sides are numbers as far as their text shows: a plus also joins strings."""
    if is_text(left, place) or is_text(right, place):
        return False
    if place.grammar.name == "rust":
        return is_number(left, place) or is_number(right, place)
    if sign != "+" or not place.grammar.typed:
        return True
    return is_number(left, place) or is_number(right, place)


OPERATOR = Operator(
    name="arithmetic", title="another arithmetic or bit operator", propose=propose, examples={
        "javascript": examples(("x = a + b;", "x = a - b;"), ("x = a ** 2;", "x = a * 2;"),
                               ("x = a >>> 1;", "x = a << 1;"), left=('x = "a" + b;', "x = `a` + b + c;")),
        "typescript": examples(("x = a + 1;", "x = a - 1;"), ("const x = (a: number) => a + b;",
                                                              "const x = (a: number) => a - b;"),
                               left=("x = a + b;", "const x = (a: string) => a + 1;")),
        "go": examples(("x := a + b\n\tg(x)", "x := a - b\n\tg(x)"), ("g(x &^ y)", "g(x & y)"),
                       left=("g(x + y)", 'g(x + "a")')),
        "java": examples(("int x = a + b;", "int x = a - b;"), ("g(x % y);", "g(x * y);"),
                         left=("g(x + y);", 'g("a" + x + 1);', "String s = g(); h(s + 1);")),
        "rust": examples(("g(a + b);", "g(a - b);"), ("g(x.len() * y);", "g(x.len() / y);"),
                         left=("g(x + y);", "g(x - y);", "g(x + &y);")),
    })
