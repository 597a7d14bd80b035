"""A proposal as the least that differs from the project's files."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Callable
from itertools import accumulate

from windtunnel.core.repair import FileEdit, Proposal

_REFUSED = (SyntaxError, ValueError, LookupError)
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)
Splice = tuple[str, int, int, str]
"""A path, from where to where bytes are replaced, and by what, one letter for each byte."""


def splices(proposal: Proposal, read: Callable[[str], bytes | None]) -> list[Splice]:
    """One for each edit."""
    return [_splice(edit, read(edit.path) or b"") for edit in proposal.edits]


class Bodies:
    """Where the bodies of functions are, by which can be guessed what may be switched without loading."""

    def __init__(self, read: Callable[[str], bytes | None]) -> None:
        """Each file is read when it is first asked about."""
        self._read = read
        self._known: dict[str, list[tuple[int, int]]] = {}

    def hold(self, splice: Splice) -> bool:
        """Whether all of it lies in the body of one function; a guess, which the judge itself checks."""
        path, start, end, _ = splice
        if path not in self._known:
            self._known[path] = list(_bodies(self._read(path) or b""))
        return any(first <= start and end <= last for first, last in self._known[path])


def encoded(text: str) -> bytes:
    """As Python itself would read it back: in the encoding that the text names, else UTF-8."""
    plain = text.encode("utf-8", "surrogateescape")
    try:
        name, _ = tokenize.detect_encoding(io.BytesIO(plain).readline)
        return plain if name in ("utf-8", "utf-8-sig") else text.encode(name)
    except _REFUSED:
        return plain


def _splice(edit: FileEdit, old: bytes) -> Splice:
    new = encoded(edit.text)
    start = _shared(old, new)
    end = _shared(old[start:][::-1], new[start:][::-1])
    return edit.path, start, len(old) - end, new[start:len(new) - end].decode("latin-1")


def _shared(one: bytes, other: bytes) -> int:
    """How many bytes are the same at the beginning; by halves, which is far quicker than one by one."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _bodies(source: bytes) -> list[tuple[int, int]]:
    """The bodies of outermost functions and methods, from their first line to the end of their last."""
    try:
        tree = ast.parse(source)
    except _UNREADABLE:
        return []
    starts = [0, *accumulate(map(len, source.splitlines(keepends=True)))]
    return [(starts[min(node.body[0].lineno, len(starts)) - 1], starts[min(node.end_lineno or 0, len(starts) - 1)])
            for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and node.body[0].lineno > node.lineno]
