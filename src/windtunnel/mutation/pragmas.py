"""Lines that the author keeps out of mutation by a comment.

``# pragma: no mutate`` and ``# pragma: no cover`` speak of their line; behind the colon of a block or beside a
decorator, of all of it; ``start`` and ``end`` after the words, of the lines between. Whoever judges a change names the
lines whose comments do not count: a change cannot exempt itself.
"""

from __future__ import annotations

from collections.abc import Collection

import libcst as cst

from windtunnel.mutation.comments import PRAGMA
from windtunnel.mutation.source import Source


def excluded_lines(source: Source, *, distrusted: Collection[int] = ()) -> frozenset[int]:
    """The numbers of the lines, from 1; comments in ``distrusted`` lines do not count."""
    if not PRAGMA.search(source.text):
        return frozenset()
    found: set[int] = set()
    opened = 0
    for node, place in source.ranges.items():
        if isinstance(node, cst.Comment):
            match = PRAGMA.match(node.value)
            if match is None or place.start.line in distrusted:
                continue
            found.update(range(opened or place.start.line, place.start.line + 1))
            opened = place.start.line if match[1] == "start" else 0 if match[1] == "end" else opened
        elif any(_speaks(comment) and source.ranges[comment].start.line not in distrusted for comment in _marks(node)):
            found.update(range(place.start.line, place.end.line + 1))
    return frozenset(found | set(range(opened, len(source.starts) + 1)) if opened else found)


def _marks(node: cst.CSTNode) -> list[cst.Comment]:
    """The comments that speak of all of a block or definition."""
    if isinstance(node, cst.IndentedBlock):
        return _there(node.header.comment)
    if isinstance(node, cst.FunctionDef | cst.ClassDef):
        on_body = _there(node.body.header.comment) if isinstance(node.body, cst.IndentedBlock) else []
        beside = [comment for decorator in node.decorators for comment in _there(decorator.trailing_whitespace.comment)]
        return on_body + beside
    return []


def _there(comment: cst.Comment | None) -> list[cst.Comment]:
    return [] if comment is None else [comment]


def _speaks(comment: cst.Comment) -> bool:
    return bool(PRAGMA.match(comment.value))
