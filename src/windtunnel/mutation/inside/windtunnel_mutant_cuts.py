"""A file cut into pieces that compile alone to the code that they have in the whole file.

What holds: a piece that is a function or a method comes to the same code as in its file, names that its file imports
included, for which the compiler makes other code. What does not hold: what closes over the parameters of a generic
class differs, and is then found in no live process.
"""

from __future__ import annotations

import ast
import bisect
import io
import tokenize
import types
from typing import Iterable, Iterator, List, NamedTuple, Optional

_NEW_LINE = b"\n"


class Piece(NamedTuple):
    """One of them, by offsets."""

    start: int
    end: int
    line: int
    """The number of its first line."""
    head: bytes
    """What must stand on the line before: the head of its class."""


class Cuts:
    """Those of one file; none of a file that this Python does not understand."""

    def __init__(self, source: bytes, path: str) -> None:
        """``path`` is the name that code is compiled with."""
        self.path, self.flags = path, 0
        self.pieces: List[Piece] = []
        self.imports = _NEW_LINE
        self.encoding = _encoding(source)
        try:
            tree = ast.parse(source, path)
            self.flags = compile(source, path, "exec", dont_inherit=True).co_flags & ~0xFF
        except (SyntaxError, ValueError):
            return
        self.pieces = sorted(_pieces(tree.body, _line_offsets(source), len(source)))
        self.starts = [piece.start for piece in self.pieces]
        self.imports += _imports(tree.body).encode("utf-8" if self.encoding is None else self.encoding, "replace")

    def around(self, start: int, end: int) -> Optional[Piece]:
        """The smallest that holds these bytes."""
        at = bisect.bisect_right(self.starts, start) - 1 if self.pieces else -1
        return self.pieces[at] if at >= 0 and end <= self.pieces[at].end else None

    def compiled(self, piece: Piece, text: bytes) -> types.CodeType:
        """A text in the place of the piece, with the numbers of its lines."""
        before = _NEW_LINE * (piece.line - 1 - bool(piece.head)) + piece.head
        whole = before + text + self.imports
        made: types.CodeType = compile(whole if self.encoding is None else whole.decode(self.encoding), self.path,
                                       "exec", flags=self.flags, dont_inherit=True)
        return made


def _pieces(body: List[ast.stmt], starts: List[int], size: int, *, head: bytes = b"") -> Iterator[Piece]:
    """Outermost statements; of a class whose head has a line of its own, those inside it."""
    for node in body:
        first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
        last = node.end_lineno or first
        inner = node.body if isinstance(node, ast.ClassDef) and not head else []
        apart = [one for one in inner if one.lineno > node.lineno and not _shares(one, inner)]
        if isinstance(node, ast.ClassDef) and inner and len(apart) == len(inner):
            yield from _pieces(inner, starts, size, head=b"class " + node.name.encode() + b":" + _NEW_LINE)
        else:
            yield Piece(starts[first - 1], starts[last] if last < len(starts) else size, first, head)


def _shares(node: ast.stmt, body: List[ast.stmt]) -> bool:
    """Whether it has a line together with another one."""
    return any(other is not node and other.lineno <= (node.end_lineno or 0) and node.lineno <= (other.end_lineno or 0)
               for other in body)


def _imports(body: Iterable[ast.stmt]) -> str:
    """All names that the file imports for itself: of calls of their functions the compiler makes other code."""
    found: List[str] = []
    waiting: List[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            # It is never run, only compiled: where from does not matter, the names that it binds do.
            names = [one.asname or one.name.split(".")[0] for one in node.names if one.name != "*"]
            found += [] if getattr(node, "module", "") == "__future__" else names
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.expr)):
            waiting += ast.iter_child_nodes(node)
    return "import " + ",".join(sorted(set(found))) if found else ""


def _encoding(source: bytes) -> Optional[str]:
    """How a piece of it is to be read; None for as usual."""
    try:
        name = tokenize.detect_encoding(io.BytesIO(source).readline)[0]
    except (SyntaxError, UnicodeDecodeError):
        return None
    return None if name in ("utf-8", "utf-8-sig") else name


def _line_offsets(source: bytes) -> List[int]:
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts
