"""Lines that the author keeps out of mutation by a comment.

``# pragma: no mutate`` and ``# pragma: no cover`` speak of their line; behind the colon of a block or beside a
decorator, of all of it; ``start`` and ``end`` after the words, of the lines between. Whoever judges a change should
look at the comments that it adds.
"""

from __future__ import annotations

import re

import libcst as cst

from windtunnel.mutation.source import Source

_PRAGMA = re.compile(r"#.*?\bpragma:\s*no\s*(?:mutate|cover)\b(?:\s*:?\s*(start|end)\b)?", re.IGNORECASE)


def excluded_lines(source: Source) -> frozenset[int]:
    """The numbers of the lines, from 1."""
    if not _PRAGMA.search(source.text):
        return frozenset()
    found: set[int] = set()
    opened = 0
    for node, place in source.ranges.items():
        if isinstance(node, cst.Comment):
            match = _PRAGMA.match(node.value)
            if match is None:
                continue
            found.update(range(opened or place.start.line, place.start.line + 1))
            opened = place.start.line if match[1] == "start" else 0 if match[1] == "end" else opened
        elif _is_marked(node):
            found.update(range(place.start.line, place.end.line + 1))
    return frozenset(found | set(range(opened, len(source.starts) + 1)) if opened else found)


def _is_marked(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.IndentedBlock):
        return _speaks(node.header.comment)
    if isinstance(node, cst.FunctionDef | cst.ClassDef):
        on_body = isinstance(node.body, cst.IndentedBlock) and _speaks(node.body.header.comment)
        return on_body or any(_speaks(decorator.trailing_whitespace.comment) for decorator in node.decorators)
    return False


def _speaks(comment: cst.Comment | None) -> bool:
    return comment is not None and bool(_PRAGMA.match(comment.value))
