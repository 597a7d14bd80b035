"""A file of another language as bytes and as a tree.

What holds: a file that this reads is UTF-8 without NUL, and its tree has no errors. Anything else is refused with a
``UsageError`` that says where. Time is bounded by that of the processor, so that a busy machine refuses nothing.
"""

from __future__ import annotations

import codecs
import importlib
import re
import time
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from windtunnel.core.errors import LanguageMissing, UsageError
from windtunnel.mutation.grammars.languages import grammar_of

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Point

    from windtunnel.mutation.grammars.grammar import Grammar

MOST_BYTES = 1024**2
_MOST_DEPTH = 1000
_MOST_SECONDS = 5.0
_PIECE = 4096
"""Bytes that the parser is given at once: between two pieces it can be stopped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A parsed file."""

    path: str
    content: bytes
    grammar: Grammar
    root: Node = field(repr=False)
    starts: tuple[int, ...]
    """Where each line begins."""

    def text(self, node: Node) -> str:
        """What stands there."""
        return self.content[node.start_byte:node.end_byte].decode()

    def position(self, offset: int) -> tuple[int, int]:
        """Line from 1 and column from 0, in bytes."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1]

    def lines(self, node: Node) -> tuple[int, int]:
        """Its first and last line, from 1; by its bytes, since asking nodes for many points ends some processes."""
        return self.position(node.start_byte)[0], self.position(node.end_byte)[0]

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Where the lines from first to last begin and end."""
        return self.starts[first - 1], self.starts[last] if last < len(self.starts) else len(self.content)


def read(content: bytes, *, path: str) -> Source:
    """The file, or a ``UsageError`` that says why it is not one that can be mutated."""
    grammar = grammar_of(path)
    if grammar is None:
        raise UsageError(f"{path}: no grammar for such a file", field="path")
    _check(content, path=path)
    starts = (0, *(match.end() for match in re.finditer(rb"\n", content)))
    root = _parsed(content, grammar=grammar, path=path)
    source = Source(path=path, content=content, grammar=grammar, root=root, starts=starts)
    _check_tree(source)
    return source


def _check(content: bytes, *, path: str) -> None:
    if len(content) > MOST_BYTES:
        raise UsageError(f"{path}: more than {MOST_BYTES} bytes", field="source")
    try:
        content.decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{_place(content, error.start, path=path)}: not UTF-8", field="source") from error
    if b"\0" in content:
        raise UsageError(f"{_place(content, content.index(0), path=path)}: a NUL byte", field="source")


def _place(content: bytes, offset: int, *, path: str) -> str:
    before = content[:offset]
    return f"{path}:{before.count(10) + 1}:{offset - before.rfind(10)}"


@cache
def _language(package: str, loader: str) -> Language:
    try:
        tree_sitter, grammar = importlib.import_module("tree_sitter"), importlib.import_module(package)
    except ImportError as error:
        raise LanguageMissing(f"mutants of this language need one more package ({error.name}): "
                              "pip install 'windtunnel[syntax]'") from error
    return tree_sitter.Language(getattr(grammar, loader)())  # type: ignore[no-any-return]  # loaded by name


def _parsed(content: bytes, *, grammar: Grammar, path: str) -> Node:
    language = _language(grammar.package, grammar.loader)
    from tree_sitter import Parser  # noqa: PLC0415 -- an extra, which was found to be there just now

    marked = content.startswith(codecs.BOM_UTF8)
    text = b" " * len(codecs.BOM_UTF8) + content[len(codecs.BOM_UTF8):] if marked else content
    deadline = time.thread_time() + _MOST_SECONDS
    late = False

    def piece(offset: int, _point: Point) -> bytes:
        nonlocal late
        late = late or time.thread_time() > deadline
        return b"" if late else text[offset:offset + _PIECE]

    tree = Parser(language).parse(piece)
    if late:
        raise UsageError(f"{path}: takes too long to be read", field="source")
    return tree.root_node


def _check_tree(source: Source) -> None:
    """Refuse errors and depth; by a cursor, because a tree may be as deep as the file is long."""
    cursor, deep = source.root.walk(), False
    wrong = source.root if source.root.has_error else None
    depth = 0
    while True:
        node = cursor.node
        assert node is not None
        if wrong is not None and node.has_error and (node.is_error or node.is_missing):
            _refuse(source, node)
        deep = deep or depth > _MOST_DEPTH
        if deep and wrong is None:
            raise UsageError(f"{source.path}: nested too deep to be mutated", field="source")
        if cursor.goto_first_child():
            depth += 1
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return
            depth -= 1


def _refuse(source: Source, node: Node) -> None:
    line, column = source.position(node.start_byte)
    found = f"missing {node.type!r}" if node.is_missing else "this is not understood"
    raise UsageError(f"{source.path}:{line}:{column + 1}: not {source.grammar.title}: {found}", field="source")
