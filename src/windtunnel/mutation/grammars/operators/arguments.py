"""Arguments in the wrong order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.declarations import declared
from windtunnel.mutation.grammars.nodes import called
from windtunnel.mutation.grammars.parts import parts
from windtunnel.mutation.grammars.place import Operator, Place, Proposal, examples

if TYPE_CHECKING:
    from tree_sitter import Node

_TWO = 2
_EITHER = re.compile(r"(?:.*[.:])?(?:max|min|equals|Equal|is|hypot|gcd|eq|Max|Min|assert\w*)")
"""The order of what these get does not count, or hardly."""


def propose(node: Node, place: Place) -> Iterator[Proposal]:
    """Two that are names, and of one type, exchanged."""
    holder = node.child_by_field_name("arguments")
    given = parts(holder) if holder is not None else []
    if len(given) != _TWO or _EITHER.fullmatch(called(node, place)):
        return
    first, second = given
    if first.type == second.type == "identifier" and _fit(place.text(first), place.text(second), place):
        between = place.source.content[first.end_byte:second.start_byte].decode()
        yield Proposal(start=first.start_byte, end=second.end_byte,
                       text=f"{place.text(second)}{between}{place.text(first)}")


def _fit(first: str, second: str, place: Place) -> bool:
    if first == second:
        return False
    return not place.grammar.typed or declared(place, first) == declared(place, second) != ""


OPERATOR = Operator(
    name="arguments", title="two arguments exchanged", propose=propose, examples={
        "javascript": examples(("f(a, b);", "f(b, a);"), ("x = new A(a,  b);", "x = new A(b,  a);"),
                               left=("f(a);", "f(a, 1);", "x = Math.max(a, b);", "f(a, a);", "f(...a, b);")),
        "typescript": examples(("(a: B, b: B) => f(a, b);", "(a: B, b: B) => f(b, a);"),
                               left=("f(a, b);", "(a: B, b: C) => f(a, b);")),
        "go": examples(("g(a, b)", "g(b, a)"), left=("g(a, x)", "g(a, b, x)")),
        "java": examples(("g(a, b);", "g(b, a);"), left=("g(a, x);", "Math.min(a, b);")),
        "rust": examples(("g(a, b);", "g(b, a);"), left=("g(a, x);", "fn g<T>(a: &str, b: T) { h(a, b); }")),
    })
