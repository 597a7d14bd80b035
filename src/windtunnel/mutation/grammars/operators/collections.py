"""Lists and maps with nothing in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.parts import parts
from windtunnel.mutation.grammars.place import Operator, Place, Proposal, examples, instead

if TYPE_CHECKING:
    from tree_sitter import Node

_TARGETS = frozenset({"assignment_expression", "for_in_statement"})


def propose(node: Node, place: Place) -> Iterator[Proposal]:
    """The same literal, empty."""
    if node.type == "composite_literal":
        kind, body = node.child_by_field_name("type"), node.child_by_field_name("body")
        if (kind is not None and body is not None and parts(body)
                and kind.type != "implicit_length_array_type"):
            yield instead(body, "{}")
        return
    if place.kind_above() in _TARGETS and place.field == "left":
        return
    if parts(node) and not _is_typed(node, place):
        text = place.text(node)
        yield instead(node, f"{text[0]}{text[-1]}")


def _is_typed(node: Node, place: Place) -> bool:
    """Whether what is in it is part of its type: an object of TypeScript, and a list that is not declared as one."""
    if place.grammar.name != "typescript":
        return False
    if node.type == "object":
        return True
    holder = place.above()
    return holder is None or holder.type != "variable_declarator" or holder.child_by_field_name("type") is None


OPERATOR = Operator(
    name="collections", title="a list, map or object literal emptied", propose=propose, examples={
        "javascript": examples(("x = [a, b];", "x = [];"), ("f({a: b});", "f({});"),
                               left=("x = [];", "[a, b] = c;", "const {a} = b;", "for ([a] of b) c = a;")),
        "typescript": examples(("const x: A[] = [a];", "const x: A[] = [];"), left=("x = {a};", "const x = [a, b];")),
        "go": examples(("g([]int{a, b})", "g([]int{})"), ("g(T{x: a})", "g(T{})"),
                       left=("g(T{})", "g([...]int{a, b})")),
        "java": examples(("int[] x = {a, b};", "int[] x = {};"), left=("int[] x = {};", "@B({c, d}) int x;")),
    })
