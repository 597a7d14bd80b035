"""Exceptions of another type."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.parts import first
from windtunnel.mutation.grammars.place import Operator, Place, Proposal, examples, instead

if TYPE_CHECKING:
    from tree_sitter import Node

_INSTEAD = {
    "TypeError": "Error", "RangeError": "Error", "SyntaxError": "Error", "ReferenceError": "Error",
    "IllegalArgumentException": "RuntimeException", "IllegalStateException": "RuntimeException",
    "UnsupportedOperationException": "RuntimeException", "NullPointerException": "RuntimeException",
    "ArithmeticException": "RuntimeException", "ClassCastException": "RuntimeException",
    "NoSuchElementException": "RuntimeException", "ConcurrentModificationException": "RuntimeException",
}
"""Made of the same arguments."""


def propose(node: Node, place: Place) -> Iterator[Proposal]:
    """A more general type."""
    made = first(node)
    if made is None or made.type not in {"new_expression", "object_creation_expression"}:
        return
    kind = made.child_by_field_name("constructor") or made.child_by_field_name("type")
    if kind is not None and place.text(kind) in _INSTEAD:
        yield instead(kind, _INSTEAD[place.text(kind)])


OPERATOR = Operator(
    name="exceptions", title="another type thrown", propose=propose, examples={
        "javascript": examples(("throw new TypeError(a);", "throw new Error(a);"),
                               left=("throw new Bad(a);", "throw a;")),
        "typescript": examples(("throw new RangeError(a);", "throw new Error(a);"), left=("throw new Error(a);",)),
        "java": examples(("throw new IllegalStateException(x);", "throw new RuntimeException(x);"),
                         left=("throw new IOException(x);",)),
    })
