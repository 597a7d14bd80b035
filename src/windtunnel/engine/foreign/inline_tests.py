"""Tests that stand in the product's own files, as Rust has them: no product code, and never put back with it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from windtunnel.core.errors import UsageError
from windtunnel.mutation.grammars.source import Source, read

if TYPE_CHECKING:
    from tree_sitter import Node

_TEST = re.compile(rb"#\[\s*(?:cfg\s*\(\s*(?:test|all\s*\(\s*test)\b|(?:\w+::)*(?:test|bench|rstest)\b)")


def inline_tests(source: bytes, *, path: str) -> frozenset[int]:
    """Lines of tests in a file, counted from 1; none of a file that cannot be read."""
    if not path.endswith(".rs") or not _TEST.search(source):
        return frozenset()
    try:
        whole = read(source, path=path)
    except UsageError:
        return frozenset()
    return frozenset(line for first, last in _items(whole, whole.root) for line in range(first, last + 1))


def _items(source: Source, root: Node) -> Iterator[tuple[int, int]]:
    """First and last line of each item with such an attribute, at the top of the file or of a module in it."""
    first: int | None = None
    for node in root.children:
        if node.type == "attribute_item":
            first = source.lines(node)[0] if first is None and _TEST.match(node.text or b"") else first
        elif node.type not in ("line_comment", "block_comment"):
            if first is not None:
                yield first, source.lines(node)[1]
            elif node.type == "mod_item" and (body := node.child_by_field_name("body")) is not None:
                yield from _items(source, body)
            first = None
