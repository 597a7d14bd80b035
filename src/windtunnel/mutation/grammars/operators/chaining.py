"""Values that are taken to be there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.place import Operator, Place, Proposal, examples, instead

if TYPE_CHECKING:
    from tree_sitter import Node


def propose(node: Node, place: Place) -> Iterator[Proposal]:
    """``a.b`` for ``a?.b``."""
    chain = next((child for child in node.children if child.type in {"optional_chain", "?."}), None)
    if chain is not None:
        mark = "!" if place.grammar.typed else ""
        yield instead(chain, f"{mark}." if node.type == "member_expression" else mark)


OPERATOR = Operator(
    name="chaining", title="`a.b` for `a?.b`", propose=propose, examples={
        "javascript": examples(("x = a?.b;", "x = a.b;"), ("x = a?.[0];", "x = a[0];"), ("x = a?.(b);", "x = a(b);"),
                               left=("x = a.b;", "x = a ? .5 : b;")),
        "typescript": examples(("x = a?.b;", "x = a!.b;"), ("x = a?.[0];", "x = a![0];"), left=("x = a!.b;",)),
    })
