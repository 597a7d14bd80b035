"""Whether two files differ in nothing but comments and white space."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING

from windtunnel.core.errors import UsageError
from windtunnel.mutation.grammars.source import read

if TYPE_CHECKING:
    from tree_sitter import TreeCursor

    from windtunnel.mutation.grammars.source import Source

_Token = tuple[int, str, str, str]


def says_the_same(before: bytes, after: bytes, *, path: str) -> bool:
    """By their trees; what cannot be read is the same as itself alone."""
    if before == after:
        return True
    try:
        one, other = read(before, path=path), read(after, path=path)
    except UsageError:
        return False
    return all(first == second for first, second in zip_longest(_tokens(one), _tokens(other)))


def _tokens(source: Source) -> Iterator[_Token]:
    """Depth, field, kind and, of what has nothing below it, text; line ends that stand for a semicolon left out."""
    cursor, depth, comments = source.root.walk(), 0, source.grammar.comments
    while True:
        node = cursor.node
        assert node is not None
        shown = node.type not in comments and not (node.child_count == 0 and source.text(node).strip() in {"", ";"})
        if shown:
            # Words of a string and of markup are told with the white space that they have.
            text = source.text(node) if node.child_count == 0 or "string" in node.type else ""
            yield depth, cursor.field_name or "", node.type, text
        if shown and cursor.goto_first_child():
            depth += 1
        else:
            depth = _onward(cursor, depth)
            if depth < 0:
                return


def _onward(cursor: TreeCursor, depth: int) -> int:
    """To what comes after this node and all below it; the depth there, below zero after the last."""
    while not cursor.goto_next_sibling():
        if not cursor.goto_parent():
            return -1
        depth -= 1
    return depth
