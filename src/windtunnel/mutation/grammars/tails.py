"""What a function of Rust gives without saying ``return``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windtunnel.mutation.grammars.parts import parts

if TYPE_CHECKING:
    from tree_sitter import Node

    from windtunnel.mutation.grammars.place import Place

_NOT_VALUES = frozenset({
    "return_expression", "macro_invocation", "let_declaration", "empty_statement", "function_item", "use_declaration",
    "while_expression", "for_expression", "loop_expression", "assignment_expression", "compound_assignment_expr",
    "break_expression", "continue_expression", "unsafe_block", "async_block", "const_item", "static_item",
    "struct_item", "enum_item", "impl_item", "macro_definition", "line_comment", "block_comment", "attribute_item",
})
_MOST = 200


def tails(block: Node, place: Place) -> list[Node]:
    """The expressions whose value the body of a function has; those of branches, not the branch."""
    function = place.function
    if place.field != "body" or function is None or place.above() != function:
        return []
    found: list[Node] = []
    waiting: list[Node | None] = [block]
    for _ in range(_MOST):
        if not waiting:
            break
        node = waiting.pop()
        if node is None or node.type in _NOT_VALUES:
            continue
        if node.type in {"block", "expression_statement", "if_expression", "match_expression", "else_clause"}:
            waiting.extend(_within(node))
        else:
            found.append(node)
    return found


def _within(node: Node) -> list[Node | None]:
    if node.type == "if_expression":
        other = node.child_by_field_name("alternative")
        return [] if other is None else [other, node.child_by_field_name("consequence")]
    if node.type == "match_expression":
        body = node.child_by_field_name("body")
        arms = [child for child in body.named_children if child.type == "match_arm"] if body is not None else []
        return [arm.child_by_field_name("value") for arm in reversed(arms)]
    if node.type == "expression_statement" and node.children[-1].type == ";":
        return []
    return list(parts(node)[-1:])
