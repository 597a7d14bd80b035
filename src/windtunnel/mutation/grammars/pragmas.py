"""Lines that the author keeps out of mutation by a comment, and files that no author writes.

``pragma: no mutate`` and ``pragma: no cover`` in a comment speak of its lines; behind the bracket that opens a block,
of the whole block, and of the function or class whose body it is; ``start`` and ``end`` after the words, of the lines
between.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

    from windtunnel.mutation.grammars.source import Source

_PRAGMA = re.compile(r"\bpragma:\s*no\s*(?:mutate|cover)\b(?:\s*:?\s*(start|end)\b)?", re.IGNORECASE)
_GENERATED = re.compile(
    rb"^[ \t]*(?://|/?\*|#)[^\n]{0,200}?(?:Code generated [^\n]{0,500}DO NOT EDIT|@generated\b)", re.MULTILINE)
_HEAD = 4096
_LONG = 500
"""Bytes of a line that nobody wrote by hand."""
MOST_LINE = 2000
"""Lines that are longer are not mutated."""


def is_written_by_hand(source: Source) -> bool:
    """Whether it is neither generated nor pressed into few lines."""
    if ".min." in source.path.rpartition("/")[2] or _GENERATED.search(source.content[:_HEAD]):
        return False
    total, ends = len(source.content), (*source.starts[1:], len(source.content))
    long = sum(end - start for start, end in zip(source.starts, ends, strict=True) if end - start > _LONG)
    return long * 2 <= total


def excluded_lines(source: Source) -> frozenset[int]:
    """The numbers of the lines that are not mutated, from 1."""
    ends = (*source.starts[1:], len(source.content))
    found = {at for at, (start, end) in enumerate(zip(source.starts, ends, strict=True), 1) if end - start > MOST_LINE}
    opened = 0
    if not _PRAGMA.search(source.content.decode()):
        return frozenset(found)
    for comment, holders in _comments(source):
        match = _PRAGMA.search(source.text(comment))
        if match is None:
            continue
        first, last = source.lines(comment)
        found.update(range(opened or first, last + 1))
        found.update(_block(comment, holders, source))
        opened = first if match[1] == "start" else 0 if match[1] == "end" else opened
    return frozenset(found | set(range(opened, len(source.starts) + 1)) if opened else found)


def _block(comment: Node, holders: list[Node], source: Source) -> range:
    """The lines of a block whose first line the comment ends."""
    grammar = source.grammar
    at = next((at for at, node in enumerate(reversed(holders), 1) if "{" in {child.type for child in node.children}), 0)
    block = holders[-at] if at else None
    if block is None:
        return range(0)
    bracket = next(child for child in block.children if child.type == "{")
    if source.lines(bracket)[0] != source.lines(comment)[0] or comment.start_byte < bracket.start_byte:
        return range(0)
    holder = holders[-at - 1] if len(holders) > at else block
    whole = holder if holder.type in grammar.functions or holder.type in grammar.containers else block
    return range(source.lines(whole)[0], source.lines(block)[1] + 1)


def _comments(source: Source) -> Iterator[tuple[Node, list[Node]]]:
    """Each comment with what holds it, in the order of the text."""
    cursor = source.root.walk()
    holders: list[Node] = []
    while True:
        node = cursor.node
        assert node is not None
        if node.type in source.grammar.comments:
            yield node, holders
        if cursor.goto_first_child():
            holders.append(node)
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            holders.pop()
