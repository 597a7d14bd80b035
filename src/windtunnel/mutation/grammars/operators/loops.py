"""Loops that end too early or too late."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.nodes import LOOPS, bare
from windtunnel.mutation.grammars.parts import parts
from windtunnel.mutation.grammars.place import Operator, Place, Proposal, examples, instead

if TYPE_CHECKING:
    from tree_sitter import Node

_INSTEAD = {"break": "continue", "continue": "break"}
_SWITCHES = frozenset({
    "switch_statement", "expression_switch_statement", "type_switch_statement", "select_statement", "switch_expression",
})


def propose(node: Node, place: Place) -> Iterator[Proposal]:
    """``break`` and ``continue`` exchanged, where the loop still comes to its end and nothing else depends on it."""
    if parts(node):
        return
    word = node.children[0]
    for holder, _ in place.upward():
        if holder.type in _SWITCHES:
            return
        if holder.type in LOOPS:
            if _ends(holder):
                yield instead(word, _INSTEAD[place.text(word)])
            return


def _ends(loop: Node) -> bool:
    """Whether it goes through something: one that waits for a condition may wait forever."""
    if loop.type in {"for_in_statement", "enhanced_for_statement", "for_expression"}:
        return True
    if loop.type != "for_statement":
        return False
    clause = next((child for child in loop.named_children if child.type in {"for_clause", "range_clause"}), None)
    if clause is not None and clause.type == "range_clause":
        return True
    holder = clause if clause is not None else loop
    condition = holder.child_by_field_name("condition")
    stepping = any(holder.child_by_field_name(name) is not None for name in ("update", "increment"))
    return condition is not None and bare(condition).type not in {"true", ";"} and stepping


OPERATOR = Operator(
    name="loops", title="`break` and `continue` exchanged", propose=propose, examples={
        "javascript": examples(("for (const a of b) { break; }", "for (const a of b) { continue; }"),
                               ("for (let i = 0; i < n; i++) { if (a) continue; f(); }",
                                "for (let i = 0; i < n; i++) { if (a) break; f(); }"),
                               left=("while (a) { break; }", "for (;;) { break; }",
                                     "for (const a of b) switch (a) { case 1: break; }",
                                     "c: for (const a of b) { break c; }")),
        "typescript": examples(("for (const a of b) { break; }", "for (const a of b) { continue; }"),
                               left=("do { break; } while (a);",)),
        "go": examples(("for range x {\n\t\tbreak\n\t}", "for range x {\n\t\tcontinue\n\t}"),
                       left=("for {\n\t\tbreak\n\t}", "switch a {\n\tdefault:\n\t\tbreak\n\t}")),
        "java": examples(("for (B c : d) { break; }", "for (B c : d) { continue; }"),
                         left=("while (true) { break; }", "switch (a) { case 1: break; }")),
        "rust": examples(("for x in y { break; }", "for x in y { continue; }"),
                         left=("loop { break; }", "'c: for x in y { break 'c; }", "while a { break; }")),
    })
