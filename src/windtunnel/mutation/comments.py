"""Comments by which an author keeps lines out of mutation, found without a tree."""

from __future__ import annotations

import io
import re
import tokenize

PRAGMA = re.compile(r"#.*?\bpragma:\s*no\s*(?:mutate|cover)\b(?:\s*:?\s*(start|end)\b)?", re.IGNORECASE)


def pragmas(source: bytes) -> dict[int, str]:
    """Such comments by line, from 1; none of a file that is no Python."""
    try:
        if PRAGMA.search(source.decode("latin-1")) is None:
            return {}
        return {token.start[0]: token.string for token in tokenize.tokenize(io.BytesIO(source).readline)
                if token.type == tokenize.COMMENT and PRAGMA.match(token.string)}
    except (SyntaxError, ValueError, tokenize.TokenError, RecursionError):
        return {}


def opens(comment: str) -> bool:
    """Whether it speaks of the lines that follow."""
    return _side(comment) == "start"


def closes(comment: str) -> bool:
    """Whether it ends what another one opened."""
    return _side(comment) == "end"


def _side(comment: str) -> str:
    match = PRAGMA.match(comment)
    return (match[1] or "").lower() if match is not None else ""
