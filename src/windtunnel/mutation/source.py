"""A Python file as bytes, as text and as a tree that agree about places.

What holds: a file that this reads compiles, and its tree gives back its text letter for letter. Anything else is
refused with a ``UsageError``. The interpreter's own parser goes first, because it is the one that bounds nesting.
"""

from __future__ import annotations
import __future__

import ast
import functools
import operator
import re
from bisect import bisect_right
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, WhitespaceInclusivePositionProvider

from windtunnel.core.errors import UsageError
from windtunnel.mutation.encoding import decoded, quiet
from windtunnel.mutation.excerpt import excerpt

_MOST_BRACKETS, _MOST_DEPTH = 60, 800
_BRACKETED = (ast.Call, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.Subscript, ast.ListComp, ast.DictComp, ast.SetComp,
              ast.GeneratorExp)
_FUTURE = functools.reduce(
    operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names))
_LONE_RETURN = re.compile(r"\r(?!\n)")
_NEWLINE = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A parsed file."""

    path: str
    text: str
    encoding: str
    mark: int
    """Bytes of the byte order mark that the text does not hold."""
    starts: tuple[int, ...]
    """Offset in the text where each line begins."""
    flags: int
    """What its imports from ``__future__`` mean to the compiler."""
    module: cst.Module
    ranges: Mapping[cst.CSTNode, CodeRange] = field(repr=False)

    def span(self, node: cst.CSTNode) -> tuple[int, int]:
        """First and last offset of a node in the text, with its own parentheses and whitespace."""
        found = self.ranges[node]
        return self._offset(found.start.line, found.start.column), self._offset(found.end.line, found.end.column)

    def _offset(self, line: int, column: int) -> int:
        # A file without a last line end is read as if it had one.
        return min(self.starts[line - 1] + column, len(self.text)) if line <= len(self.starts) else len(self.text)

    def code(self, node: cst.CSTNode) -> str:
        """A node's text, parentheses included, whitespace around it not; also of a node that is not in the tree."""
        return self.module.code_for_node(node).strip()

    def position(self, offset: int) -> tuple[int, int]:
        """Line from 1 and column in bytes of UTF-8 from 0."""
        line = bisect_right(self.starts, offset)
        return line, len(self.text[self.starts[line - 1]:offset].encode())

    def line_text(self, first: int, last: int) -> str:
        """The lines from first to last, without what surrounds them."""
        end = self.starts[last] if last < len(self.starts) else len(self.text)
        return self.text[self.starts[first - 1]:end].strip()

    def byte(self, offset: int) -> int:
        """The offset in the file of an offset in the text."""
        return self.mark + (offset if self.text.isascii() else len(self.text[:offset].encode(self.encoding)))


def read(content: bytes, *, path: str, lines: Collection[int] | None = None) -> Source:
    """The file, or a ``UsageError`` that says why it is not one that can be mutated.

    With ``lines``, definitions that have nothing to do with them are empty in the tree, not in the text.
    """
    text, encoding, mark = decoded(content, path=path)
    # The interpreter reads a lone carriage return as a line end; so must the tree, at the same offset.
    written = _LONE_RETURN.sub("\n", text)
    written = written if lines is None else excerpt(written, lines)
    bound_nesting(written, path=path)
    try:
        with quiet():
            flags = compile(content, path, "exec", dont_inherit=True).co_flags & _FUTURE
        module = cst.parse_module(written)
        ranges = MetadataWrapper(module, unsafe_skip_copy=True).resolve(WhitespaceInclusivePositionProvider)
    except SyntaxError as error:
        raise UsageError(f"{path}:{error.lineno or 0}: not Python: {error.msg}", field="source") from error
    except (RecursionError, MemoryError, OverflowError) as error:
        raise UsageError(f"{path}: nested too deep to be mutated", field="source") from error
    except (ValueError, cst.ParserSyntaxError) as error:
        raise UsageError(f"{path}: not Python: {str(error)[:200]}", field="source") from error
    if module.code != written:
        raise UsageError(f"{path}: cannot be given back letter for letter (a form feed before code?)", field="source")
    starts = (0, *(match.end() for match in _NEWLINE.finditer(text)))
    return Source(path=path, text=text, encoding=encoding, mark=mark, starts=starts, flags=flags,
                  module=module, ranges={node: found for node, found in ranges.items() if isinstance(found, CodeRange)})


def bound_nesting(text: str, *, path: str) -> None:
    """Refuse what is stacked so high that the reader of trees, which tries brackets again and again, falls or stalls.

    What does not parse at all is left to whoever compiles it to say.
    """
    try:
        with quiet():
            tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    except (RecursionError, MemoryError):
        tree = None
    if tree is None or _is_stacked(tree):
        raise UsageError(f"{path}: nested too deep to be mutated", field="source")


def _is_stacked(tree: ast.AST) -> bool:
    level: list[tuple[ast.AST, int]] = [(tree, 0)]
    for _ in range(_MOST_DEPTH):
        below: list[tuple[ast.AST, int]] = []
        for node, brackets in level:
            here = brackets + isinstance(node, _BRACKETED)
            if here > _MOST_BRACKETS:
                return True
            below.extend((child, here) for child in ast.iter_child_nodes(node))
        if not below:
            return False
        level = below
    return True
