"""The place that a tool points to, and the small moves that rules make there."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from windtunnel.core.problem import Problem
from windtunnel.core.repair import Scene

MOST_TEXT = 512 * 1024
"""Characters of a file that is looked at."""
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_MOST_WORDS = 5000
_NEAR = 0.7
"""How alike two names must be."""
_SAME_LETTERS = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """Characters from start to end are replaced by a text."""

    start: int
    end: int
    text: str
    name: str
    prior: float
    reason: str


@dataclass(frozen=True, kw_only=True)
class Spot:
    """A place in a file, counted from 1 as tools do; a column of 0 where none was told."""

    path: str
    text: str
    line: int
    column: int
    problem: Problem
    scene: Scene

    @cached_property
    def starts(self) -> list[int]:
        """Where each line begins."""
        return [0, *(found.end() for found in re.finditer("\n", self.text))]

    @property
    def start(self) -> int:
        """Where the line begins."""
        return self.starts[self.line - 1]

    @property
    def code(self) -> str:
        """The line."""
        return self.of_line(self.line)

    @property
    def offset(self) -> int:
        """The place itself; the first letter of the line where no column was told."""
        if self.column:
            return min(self.start + self.column - 1, self.start + len(self.code))
        return self.start + len(self.indent)

    @property
    def indent(self) -> str:
        """The white space that the line begins with."""
        return self.code[: len(self.code) - len(self.code.lstrip())]

    def of_line(self, line: int) -> str:
        """The text of a line, without its end."""
        if not 0 < line <= len(self.starts):
            return ""
        end = self.starts[line] - 1 if line < len(self.starts) else len(self.text)
        return self.text[self.starts[line - 1] : end].removesuffix("\r")

    def line_at(self, offset: int) -> int:
        """The line of an offset."""
        return bisect_right(self.starts, offset)

    def word(self, name: str = "") -> tuple[int, int] | None:
        """The name at the place; or where a given name stands on the line, the nearest to the place."""
        found = [
            match.span()
            for match in _WORD.finditer(self.text, self.start, self.start + len(self.code))
            if not name or match[0] == name
        ]
        return min(
            found, key=lambda span: (not span[0] <= self.offset <= span[1], abs(span[0] - self.offset)), default=None
        )

    def expression(self) -> tuple[int, int]:
        """What begins at the place, up to the comma, bracket or end that closes it."""
        start = at = self.offset
        depth = 0
        end = self.start + len(self.code)
        while at < end:
            char = self.text[at]
            if char in "\"'`":
                closing = self.text.find(char, at + 1, end)
                at = end if closing < 0 else closing
            elif char in "([{":
                if char == "{" and depth == 0:
                    break
                depth += 1
            elif char in ")]}":
                if depth == 0:
                    break
                depth -= 1
            elif char in ",;" and depth == 0:
                break
            at += 1
        return start, start + len(self.text[start:at].rstrip())

    def words(self) -> list[str]:
        """The first names in the file, each once."""
        return list(dict.fromkeys(_WORD.findall(self.text)))[:_MOST_WORDS]


Row = tuple[re.Pattern[str], Callable[[re.Match[str], Spot], Iterator[Fix]]]


def rows(*given: tuple[str, Callable[[re.Match[str], Spot], Iterator[Fix]]]) -> tuple[Row, ...]:
    """A table of words and what they lead to."""
    return tuple((re.compile(words), rule) for words, rule in given)


def near(name: str, others: Sequence[str], *, most: int = 3) -> list[str]:
    """Names that may have been meant, the most alike first."""
    scored = []
    for other in others:
        if other == name or abs(len(other) - len(name)) > max(3, len(name) // 2):
            continue
        matcher = SequenceMatcher(None, name.lower(), other.lower())
        ratio = matcher.ratio() if matcher.quick_ratio() >= _NEAR - _SAME_LETTERS else 0.0
        if sorted(name.lower()) == sorted(other.lower()):
            ratio += _SAME_LETTERS
        if name.lower() == other.lower():
            ratio += 0.3
        if ratio >= _NEAR:
            scored.append((-ratio, other))
    return [other for _, other in sorted(scored)[:most]]


def renamed(spot: Spot, name: str, others: Sequence[str], *, prior: float = 0.75) -> Iterator[Fix]:
    """A misspelt name becomes one of those that are there."""
    span = spot.word(name)
    if span is None:
        return
    for at, other in enumerate(near(name, others)):
        yield Fix(
            start=span[0],
            end=span[1],
            text=other,
            name="misspelt-name",
            prior=prior / (1 + at),
            reason=f"{name} is not there; {other} is",
        )


def put(offset: int, text: str, *, name: str, prior: float, reason: str) -> Fix:
    """A text is inserted."""
    return Fix(start=offset, end=offset, text=text, name=name, prior=prior, reason=reason)
