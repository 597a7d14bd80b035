"""What a node is made of, without the comments that may stand anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node


def parts(node: Node) -> list[Node]:
    """The nodes right below that have a name of their own: no punctuation, no comments."""
    return [child for child in node.named_children if not child.is_extra]


def only(node: Node) -> Node | None:
    """That of a node which has but one."""
    found = parts(node)
    return found[0] if len(found) == 1 else None


def first(node: Node) -> Node | None:
    """The first of them."""
    return next(iter(parts(node)), None)
