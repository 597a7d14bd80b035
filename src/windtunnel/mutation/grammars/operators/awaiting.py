"""Promises that are taken for what they promise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.parts import only
from windtunnel.mutation.grammars.place import Operator, Place, Proposal, examples, instead

if TYPE_CHECKING:
    from tree_sitter import Node

_WAITED_FOR = frozenset({"expression_statement", "return_statement", "arrow_function"})


def propose(node: Node, place: Place) -> Iterator[Proposal]:
    """The same without ``await``.

    Where nothing takes the value, only the order could differ, by chance; what is returned is waited for anyway.
    """
    if place.kind_above() in _WAITED_FOR:
        return
    value = only(node)
    if value is None:
        return
    if place.grammar.typed:
        yield instead(node, f"({place.text(value)} as any)")
    else:
        yield Proposal(start=node.start_byte, end=value.start_byte, text="")


OPERATOR = Operator(
    name="awaiting", title="an `await` dropped", propose=propose, examples={
        "javascript": examples(("async () => { x = await f(); }", "async () => { x = f(); }"),
                               left=("async () => { await f(); }", "async () => { return await f(); }",
                                     "async () => { for await (const a of b) c = a; }")),
        "typescript": examples(("async () => { x = await f(); }", "async () => { x = (f() as any); }"),
                               left=("async () => { await f(); }",)),
    })
