"""A file of another language as bytes and as a tree.

What holds: what is read is bounded in size and depth, and in processor time; a file that is not understood gives
nothing. Only a missing grammar raises, with the words to install it.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from windtunnel.core.errors import LanguageMissing
from windtunnel.repair.foreign.languages import table_of
from windtunnel.repair.foreign.table import Table

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Point

MOST_BYTES = 512 * 1024
_MOST_DEPTH = 400
_MOST_SECONDS = 3.0
_PIECE = 4096
"""Bytes that the parser is given at once: between two pieces it can be stopped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A parsed file."""

    path: str
    content: bytes
    table: Table
    root: Node = field(repr=False)

    def text(self, node: Node) -> str:
        """What stands there."""
        return self.content[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def line(self, offset: int) -> int:
        """Counted from 1."""
        return self.content.count(b"\n", 0, offset) + 1

    def indent(self, offset: int) -> str | None:
        """The white space before an offset where nothing else is before it on its line; None where there is."""
        before = self.content[self.content.rfind(b"\n", 0, offset) + 1 : offset].decode("utf-8", "replace")
        return None if before.strip() else before


def parsed(text: str, *, path: str) -> Tree | None:
    """The file as a tree, with errors marked in it; None for what no grammar here knows or what is too large."""
    table = table_of(path)
    content = text.encode("utf-8", "replace")
    if table is None or len(content) > MOST_BYTES or b"\0" in content:
        return None
    root = _root(content, table=table)
    return None if root is None or _too_deep(root) else Tree(path=path, content=content, table=table, root=root)


def understood(content: bytes, *, table: Table) -> bool:
    """Whether a text has no errors by its grammar."""
    root = _root(content, table=table)
    return root is not None and not root.has_error


@cache
def _language(package: str, loader: str) -> Language:
    try:
        tree_sitter, grammar = importlib.import_module("tree_sitter"), importlib.import_module(package)
    except ImportError as error:
        raise LanguageMissing(
            f"searching fixes for this language needs one more package ({error.name}): pip install 'windtunnel[syntax]'"
        ) from error
    return tree_sitter.Language(getattr(grammar, loader)())  # type: ignore[no-any-return]  # loaded by name


def _root(content: bytes, *, table: Table) -> Node | None:
    language = _language(table.package, table.loader)
    from tree_sitter import Parser  # noqa: PLC0415 -- an extra, which was found to be there just now

    deadline = time.thread_time() + _MOST_SECONDS
    late = False

    def piece(offset: int, _point: Point) -> bytes:
        nonlocal late
        late = late or time.thread_time() > deadline
        return b"" if late else content[offset : offset + _PIECE]

    root = Parser(language).parse(piece).root_node
    return None if late else root


def _too_deep(root: Node) -> bool:
    cursor, depth = root.walk(), 0
    while True:
        if depth > _MOST_DEPTH:
            return True
        if cursor.goto_first_child():
            depth += 1
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return False
            depth -= 1


def below(node: Node) -> Iterator[Node]:
    """The node and what is below it, in the order of the text."""
    waiting = [node]
    while waiting:
        found = waiting.pop()
        yield found
        waiting.extend(reversed(found.children))
