"""What every sort of edit is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windtunnel.repair.foreign import shapes
from windtunnel.repair.foreign.edit import Edit, Example
from windtunnel.repair.foreign.here import Here

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_TEXT = 4000
"""Bytes of a node that is moved or copied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sort:
    """A sort of edit with its examples; one of them, at least, per shape that it knows."""

    name: str
    title: str
    edits: Callable[[Node, Here], Iterable[Edit]]
    examples: tuple[Example, ...]


def swap(node: Node, text: str, *, name: str, prior: float, reason: str) -> Edit:
    """A node becomes another text."""
    return Edit(start=node.start_byte, end=node.end_byte, text=text, name=name, prior=prior, reason=reason)


def grouped(node: Node, here: Here) -> str:
    """Its text, in parentheses where a sign beside it could tear it apart."""
    text = here.text(node)
    loose = node.type in {
        "binary_expression",
        "ternary_expression",
        "assignment_expression",
        "unary_expression",
        "arrow_function",
        "range_expression",
        "type_cast_expression",
        "cast_expression",
        "await_expression",
        "lambda_expression",
        "closure_expression",
        "instanceof_expression",
    }
    return f"({text})" if loose else text


def negated(node: Node, here: Here) -> str:
    """The opposite of a condition, as people write it."""
    node = shapes.bare(node)
    opposite = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "==", "===": "!==", "!==": "==="}
    sign = shapes.sign_of(node)
    both = shapes.sides(node) if node.type == "binary_expression" else None
    if both is not None and sign is not None and sign.type in opposite:
        return f"{here.text(both[0])} {opposite[sign.type]} {here.text(both[1])}"
    if node.type == "unary_expression" and sign is not None and sign.type == "!":
        return here.text(shapes.parts(node)[-1])
    return f"!{grouped(node, here)}"


def is_target(node: Node) -> bool:
    """Whether a node is given a value or declared there, instead of being read."""
    parent = node.parent
    if parent is None:
        return False
    if parent.type == "expression_list" and parent.parent is not None:
        return _gives(parent.parent, parent)
    return _gives(parent, node)


def _gives(parent: Node, node: Node) -> bool:
    if parent.type in shapes.ASSIGNMENTS or parent.type in {
        "short_var_declaration",
        "range_clause",
        "for_in_statement",
    }:
        return parent.child_by_field_name("left") == node
    if parent.type in {"variable_declarator", "var_spec", "const_spec", "enhanced_for_statement", "formal_parameter"}:
        return node in parent.children_by_field_name("name")
    if parent.type in {"let_declaration", "for_expression", "parameter", "let_condition", "match_arm"}:
        return parent.child_by_field_name("pattern") == node
    return parent.type.endswith("pattern") or parent.type in {
        "formal_parameters",
        "closure_parameters",
        "inferred_parameters",
        "parameter_declaration",
        "labeled_statement",
        "catch_formal_parameter",
        "break_statement",
        "continue_statement",
        "use_list",
        "macro_invocation",
    }


def is_called(node: Node) -> bool:
    """Whether a name is that of what is called."""
    parent = node.parent
    return parent is not None and parent.type in shapes.CALLS and shapes.callee(parent) == node


def shown(text: str) -> str:
    """A text for a sentence: one short line in quotes."""
    line = " ".join(text.split())
    return f"`{line[:47]}...`" if len(line) > 50 else f"`{line}`"  # noqa: PLR2004 -- what a person reads at once


DECLARING = frozenset(
    {
        "lexical_declaration",
        "variable_declaration",
        "local_variable_declaration",
        "let_declaration",
        "short_var_declaration",
        "var_declaration",
        "function_declaration",
        "function_item",
        "class_declaration",
        "const_item",
    }
)


def end_of(node: Node, here: Here) -> int:
    """Behind a statement, with the mark that closes it where the grammar leaves that out."""
    after = here.tree.content[node.end_byte : node.end_byte + 1]
    return node.end_byte + (1 if after == b";" else 0)


def is_tail(node: Node) -> bool:
    """Whether it is the value of a block of Rust, which nothing may follow."""
    parent = node.parent
    return (
        parent is not None
        and parent.type == "block"
        and node.type not in {"expression_statement", "let_declaration", "empty_statement", *DECLARING}
        and (parent.named_children[-1] == node)
        and not node.type.endswith("_statement")
        and node.type != "statement_list"
    )
