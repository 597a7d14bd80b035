"""Functions that somebody may be asked about, most to gain first."""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from windtunnel.engine.fix.base import Base
from windtunnel.engine.improve.candidates import LEAST_SHARE
from windtunnel.engine.improve.profile import Shares
from windtunnel.speedups.propose import Speedup
from windtunnel.speedups.source import FUNCTIONS, Function, Source, parse

MOST_QUESTIONS = 3
"""About the same code of the same function; what came of the earlier ones is part of the later."""
_MOST_CODE = 24_000
"""Letters of a function that is still shown to somebody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One function, as those see it who propose an edit of it."""

    path: str
    function: str
    """Its qualified name."""
    text: str
    """The whole file."""
    first_line: int
    last_line: int
    share: float = 0.0
    """Of the time of the workload, in the function itself; 0 where that is not known."""

    @property
    def code(self) -> str:
        """Its lines, without the indentation of a method."""
        lines = self.text.split("\n")[self.first_line - 1:self.last_line]
        indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
        return "\n".join(line[indent:] for line in lines) + "\n"

    @property
    def key(self) -> str:
        """The same for the same code of the same function, whatever else of the file has changed."""
        return _digest("subject", self.path, self.function, self.code)

    def answer_key(self, *answer: object) -> str:
        """Of one answer about it."""
        return f"{self.key}:{_digest(*map(str, answer))[:16]}"


Adviser = Callable[[Subject], Speedup]
"""Proposes an edit of a function; a typed error says why there is none."""


def subject_of(
    base: Base, *, files: Sequence[str], shares: Shares, prefer: Sequence[str] = (), passed: Collection[str] = (),
) -> Subject | None:
    """The one with most to gain of those that were not asked about too often: by its own share of the time.

    ``passed`` are keys of answers. Where nothing was sampled, it is the first of ``prefer`` (``path:function``).
    """
    asked = Counter(key.partition(":")[0] for key in passed)
    found = [one for one in _all(base, files, shares)
             if asked[one.key] < MOST_QUESTIONS and len(one.code) <= _MOST_CODE]
    if shares.own:
        return max((one for one in found if one.share >= LEAST_SHARE), key=lambda one: one.share, default=None)
    named = {f"{one.path}:{one.function}": one for one in found}
    return next((named[name] for name in prefer if name in named), None)


def _all(base: Base, files: Sequence[str], shares: Shares) -> Iterator[Subject]:
    for path in files:
        text = base.read(path)
        source = parse(text) if text is not None else None
        if source is None or text is None:
            continue
        for node in outermost(source):
            first, last = min([node.lineno, *(one.lineno for one in node.decorator_list)]), node.end_lineno
            yield Subject(path=path, function=source.name_of(node), text=text, first_line=first,
                          last_line=last or first, share=shares.own_of(path, first=first, last=last or first))


def _digest(*words: str) -> str:
    return hashlib.sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest()


def outermost(source: Source) -> Iterator[Function]:
    """Functions and methods that are inside no other function."""
    for node in ast.walk(source.tree):
        if isinstance(node, FUNCTIONS) and source.function(node) is None:
            yield node
