"""What a function has and makes no use of, which tells that something is missing from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windtunnel.repair.foreign import shapes
from windtunnel.repair.foreign.edits.base import is_called, is_target
from windtunnel.repair.foreign.here import Here

if TYPE_CHECKING:
    from tree_sitter import Node

_STEPS = frozenset({"update_expression", "inc_statement", "dec_statement"})
_NOTHING = frozenset({"true", "false", "[]", '""', "''", "vec![]"})
_PLACES = frozenset({"reference_expression", "unary_expression", "spread_element"}) | shapes.ARGUMENTS


def note_oddities(here: Here) -> None:
    """Variables of the function that nobody reads, and those that begin with a constant and never change."""
    own = {name.name for name in here.names if not name.parameter and here.uses[name.name]}
    read, changed, begun = set[str](), set[str](), set[str]()
    for node in here.nodes:
        name = here.text(node) if node.type == "identifier" and not is_called(node) else ""
        if name not in own:
            continue
        if not _is_written(node):
            read.add(name)
        if _is_changed(node):
            changed.add(name)
        if _begins(node, here):
            begun.add(name)
    here.unread.update(own - read)
    here.unchanged.update(begun - changed)


def _is_written(node: Node) -> bool:
    return is_target(node) or (node.parent is not None and node.parent.type in _STEPS)


def _is_changed(node: Node) -> bool:
    """Whether a value may be another behind it: given anew, counted on, filled, or handed to somebody."""
    parent = node.parent
    if parent is None:
        return False
    outer = parent.parent if parent.type == "expression_list" else parent
    if outer is not None and outer.type in shapes.ASSIGNMENTS:
        return is_target(node)
    held, member = shapes.index_of(parent), shapes.member_of(parent)
    filled = held is not None and held[0] == node and is_target(parent)
    asked = member is not None and member[0] == node and is_called(parent)
    owner = parent.type == "method_invocation" and parent.child_by_field_name("object") == node
    return filled or asked or owner or parent.type in _STEPS | _PLACES


def _begins(node: Node, here: Here) -> bool:
    """Whether it is declared there with a constant, or with nothing in it, and may be changed later."""
    parent = node.parent
    while parent is not None and parent.type in {"expression_list", "mutable_specifier", "mut_pattern"}:
        parent = parent.parent
    if parent is None or parent.type not in {"variable_declarator", "let_declaration", "short_var_declaration"}:
        return False
    value = parent.child_by_field_name("value") or parent.child_by_field_name("right")
    whole = parent.parent if parent.type == "variable_declarator" and parent.parent is not None else parent
    text = here.text(value) if value is not None else ""
    constant = text.isdigit() or text in _NOTHING or text.endswith(("::new()", "<>()", "{}"))
    return is_target(node) and constant and not _stays(here.text(whole), here)


def _stays(declaration: str, here: Here) -> bool:
    """Whether it is declared never to change."""
    fixed = "let " if here.table.name == "rust" else "const "
    return declaration.startswith((fixed, "final ")) and not declaration.startswith("let mut ")
