"""Source text by the offsets of its syntax tree: what is not replaced keeps its bytes."""

from __future__ import annotations

import ast
import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field

_LINE_END = re.compile(rb"\r\n|\r|\n")


@dataclass(frozen=True, slots=True, order=True)
class Splice:
    """Bytes from ``start`` to ``end`` give way to ``text``."""

    start: int
    end: int
    text: str


@dataclass(slots=True)
class Text:
    """A file's text as bytes, since the tree counts columns in UTF-8 bytes."""

    whole: str
    data: bytes = field(init=False)
    starts: list[int] = field(init=False)
    newline: str = field(init=False)

    def __post_init__(self) -> None:
        """Find the lines; a byte order mark counts for nothing in the tree."""
        self.data = self.whole.encode()
        self.starts = [
            3 if self.whole.startswith("\ufeff") else 0,
            *(found.end() for found in _LINE_END.finditer(self.data)),
        ]
        first = _LINE_END.search(self.data)
        self.newline = first.group().decode() if first else "\n"

    def offset(self, line: int, column: int) -> int:
        """Where a place of the tree is in the bytes."""
        return self.starts[line - 1] + column

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Where a node starts and ends."""
        return self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno or 0, node.end_col_offset or 0)

    def segment(self, node: ast.expr | ast.stmt) -> str:
        """A node as it is written, without parentheses around it."""
        start, end = self.span(node)
        return self.data[start:end].decode()

    def line_start(self, offset: int) -> int:
        """Where the line of an offset starts."""
        return self.starts[bisect_right(self.starts, offset) - 1]

    def line_end(self, offset: int) -> int:
        """Where the next line starts."""
        found = _LINE_END.search(self.data, offset)
        return found.end() if found else len(self.data)

    def indent(self, node: ast.stmt) -> str:
        """The white space before a statement that starts its line."""
        start = self.offset(node.lineno, node.col_offset)
        return self.data[self.line_start(start) : start].decode()

    def spliced(self, splices: Iterable[Splice], low: int = 0, high: int | None = None) -> str:
        """The text, or a part of it, with the splices done; they must not overlap."""
        parts, at = [], low
        for one in sorted(splices):
            parts += [self.data[at : one.start], one.text.encode()]
            at = one.end
        parts.append(self.data[at : len(self.data) if high is None else high])
        return b"".join(parts).decode()
