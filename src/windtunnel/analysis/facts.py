"""What is measured of one file, once for each content; small enough to be kept.

Code lines are those that are neither empty nor begin with the language's sign for a comment. Each is hashed without its
blanks, for duplication. All of it is done on whole texts at once, because there can be millions of lines.
"""

from __future__ import annotations

import re
import zlib
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field

from windtunnel.analysis.linguist.data import tables
from windtunnel.analysis.linguist.detect import detect, is_binary, text_of
from windtunnel.analysis.linguist.places import is_generated, state_of

MOST_SOURCE = 1024**2
"""Bytes of a file of which more than size and name is looked at; larger ones are written by programs."""
_BRANCHES = (b"if", b"for")
_COMMENTS = dict.fromkeys(("Python", "Ruby", "Shell", "Perl", "R", "Elixir", "Makefile", "Dockerfile", "CMake", "Nix",
                           "PowerShell", "Julia", "GDScript", "Tcl", "Crystal", "Nim", "CoffeeScript"), b"#")
_COMMENTS |= dict.fromkeys(("SQL", "Lua", "Haskell", "Ada", "Elm", "VHDL", "PLSQL"), b"-")
_COMMENTS |= dict.fromkeys(("Clojure", "Common Lisp", "Emacs Lisp", "Scheme", "Racket", "Assembly"), b";")
_COMMENTS |= dict.fromkeys(("Erlang", "Prolog", "TeX"), b"%")
_COMMENTS |= {"PHP": b"/*#"}
_USUAL_COMMENTS = b"/*"
"""Signs with which a line that is only a comment begins."""
_BLANKS = b" \t\r\f\v"
_COMMENT = {marks: re.compile(rb"\n[%s][^\n]*" % re.escape(marks)) for marks in {*_COMMENTS.values(), _USUAL_COMMENTS}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """One function, as lizard counts it."""

    name: str
    line: int
    cyclomatic: int
    lines: int
    volume: float
    """Halstead's: tokens times the logarithm of different tokens."""


@dataclass(slots=True, kw_only=True)
class Facts:
    """One file; ``functions`` is None as long as nobody measured them."""

    language: str = ""
    state: str = ""
    """``vendored``, ``generated``, ``documentation``, ``binary``, or nothing for the project's own."""
    bytes: int = 0
    lines: int = 0
    code_lines: int = 0
    branches: int = 0
    """How often a word stands there that branches; only to choose what is worth measuring."""
    hashes: array[int] = field(default_factory=lambda: array("I"))
    """Of the code lines, in their order."""
    functions: tuple[Function, ...] | None = None

    @property
    def counts(self) -> bool:
        """Whether it is code of the project itself."""
        return not self.state and tables().kinds.get(self.language) == "programming"


def facts_of(path: str, content: bytes | None, *, size: int, guess: bool = True) -> Facts:
    """Look at one file; ``content`` is None where it is too large or cannot be read."""
    state = state_of(path)
    if content is None or is_binary(content):
        return Facts(state=state or "binary", bytes=size)
    text = text_of(content)
    state = state or ("generated" if is_generated(path, text) else "")
    language = detect(path, text, guess=guess) or "" if content and not state else ""
    made = Facts(language=language, state=state, bytes=size,
                 lines=content.count(b"\n") + (not content.endswith(b"\n") and bool(content)))
    if made.counts:
        _measure(made, content)
    return made


def _measure(made: Facts, content: bytes) -> None:
    made.branches = sum(map(content.count, _BRANCHES))
    made.hashes = array("I", map(zlib.crc32, _code(made.language, content)))
    made.code_lines = len(made.hashes)


def _code(language: str, content: bytes) -> Iterator[bytes]:
    """The code lines, without blanks."""
    plain = b"\n" + content.translate(None, _BLANKS)
    return filter(None, _COMMENT[_COMMENTS.get(language, _USUAL_COMMENTS)].sub(b"", plain).split(b"\n"))


def places(language: str, content: bytes) -> list[int]:
    """The number, from 1, of each code line."""
    marks = _COMMENTS.get(language, _USUAL_COMMENTS)
    lines = (line.translate(None, _BLANKS) for line in content.split(b"\n"))
    return [number for number, line in enumerate(lines, 1) if line and line[0] not in marks]
