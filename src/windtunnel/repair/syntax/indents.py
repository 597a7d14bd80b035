"""Lines that stand too far left or right: where they would fit their neighbours."""

from __future__ import annotations

import re
from collections.abc import Iterator

from windtunnel.repair.syntax.edits import Candidate, Window
from windtunnel.repair.syntax.tokens import tokens_of

_LAST = re.compile(r"(?:return|raise|break|continue|pass)\b")
_LOWER = re.compile(r"(?:else|elif|except|finally)\b")
_ABOUT = re.compile(
    r"indent|expected an indented|unindent|tab|outside|expected 'except'|'(?:else|elif|except|finally)'"
)
_UNIT = 4
_FIRST_WORDS = ("def", "class", "if", "for", "from", "import", "assert", "return", "while", "with", "elif", "raise",
                "async", "yield", "await", "del", "global", "not", "except", "case", "nonlocal")


class _Lines:
    """The lines that start a statement, with how far in they stand."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts: list[int] = []
        """Where each line begins, in characters."""
        self.indents: list[int] = []
        self.bodies: list[str] = []
        fresh = True
        for token in tokens_of(text):
            if token.text and fresh:
                start = text.rfind("\n", 0, token.start) + 1
                self.starts.append(start)
                self.indents.append(token.start - start)
                fresh = False
            if token.word == "NL":
                fresh = True
                self.bodies.append(text[self.starts[-1] : token.start].strip() if self.starts else "")

    def cost(self, indents: list[int], low: int, high: int) -> float:
        """How badly lines fit those before them."""
        total = 0.0
        for at in range(max(low, 1), min(high, len(self.bodies))):
            total += self.step(indents, at)
        return total

    def step(self, indents: list[int], at: int) -> float:  # noqa: PLR0911 -- one for each case
        """How badly one line fits the one before it."""
        before, after = indents[at - 1], indents[at]
        head, body = self.bodies[at - 1], self.bodies[at]
        if head.startswith("@"):
            return 0.0 if after == before else 8.0
        if head.endswith(":") or re.search(r":\s*#[^'\"]*$", head):
            return 0.0 if after == before + _UNIT else (1.5 if after > before else 8.0)
        if after > before:
            return 8.0
        if after not in indents[:at]:
            return 6.0
        if _LOWER.match(body):
            return 0.0 if before > after else 6.0
        if _LAST.match(head):
            return 0.0 if after < before else 4.0
        return (
            0.0
            if after == before
            else 0.8 + 0.4 * ((before - after) // _UNIT) - (0.8 if re.match(r"def |class |@|async ", body) else 0.0)
        )


def indent_edits(window: Window) -> Iterator[Candidate]:
    """Candidates for the lines around the fault, one by one and in runs."""
    lines = _Lines(window.text)
    about = 4.0 if _ABOUT.search(window.region.fault.message) else -4.0
    if window.region.fault.sort in {"IndentationError", "TabError"}:
        about = 8.0
    at = next(
        (number for number in range(len(lines.bodies) - 1, -1, -1) if lines.starts[number] <= window.region.at), None
    )
    if at is None:
        return
    for first in range(max(at - 4, 0), min(at + 2, len(lines.bodies))):
        far = -0.3 * abs(at - first)
        yield from _moved(lines, first, about + far)
    if "expected an indented block" in window.region.fault.message and at > 0:
        yield from _body(lines, at, about)
    for line in range(max(at - 1, 0), at + 1):
        yield from _first_word(window, lines, line)


def _levels(lines: _Lines, at: int) -> set[int]:
    near = lines.indents[max(at - 6, 0) : at] + lines.indents[at + 1 : at + 3]
    return {0, *near, *(indent + _UNIT for indent in near), *(indent - _UNIT for indent in near if indent >= _UNIT)}


def _moved(lines: _Lines, first: int, base: float) -> Iterator[Candidate]:
    for last in _runs(lines, first):
        low, high = first, last + 3
        old = lines.cost(lines.indents, low, high)
        for level in _levels(lines, first):
            by = level - lines.indents[first]
            if by == 0:
                continue
            indents = [
                indent + by if first <= number <= last else indent for number, indent in enumerate(lines.indents)
            ]
            if min(indents[first : last + 1]) < 0:
                continue
            gain = old - lines.cost(indents, low, high) - 0.5 * (last > first) - 0.02 * (last - first)
            yield Candidate(base + gain, tuple(_shift(lines, first, last, by)), "the indentation of a line")


def _runs(lines: _Lines, first: int) -> list[int]:
    """Last lines of what may be moved as one: the line alone, its block, and all up to where it gets less."""
    block = first
    while block + 1 < len(lines.bodies) and lines.indents[block + 1] > lines.indents[first]:
        block += 1
    same = first
    while (
        same + 1 < len(lines.bodies)
        and lines.indents[same + 1] >= lines.indents[first]
        and not re.match(r"(?:async )?def |class |@", lines.bodies[same + 1])
    ):
        same += 1
    return sorted({first, block, same})


def _shift(lines: _Lines, first: int, last: int, by: int) -> Iterator[tuple[int, int, str]]:
    for number in range(first, last + 1):
        start, indent = lines.starts[number], lines.indents[number]
        yield start, start + indent, " " * (indent + by)


def _body(lines: _Lines, at: int, base: float) -> Iterator[Candidate]:
    """A body of nothing, for a head that has none."""
    if lines.indents[at] <= lines.indents[at - 1]:
        end = lines.starts[at]
        parted = 14.0 if lines.text[:end].endswith("\n\n") else -1.0
        place = len(lines.text[:end].rstrip()) + 1 if parted > 0 else end
        body = " " * (lines.indents[at - 1] + _UNIT) + "pass\n"
        yield Candidate(base + parted, ((place, place, body),), "a missing body")


def _first_word(window: Window, lines: _Lines, at: int) -> Iterator[Candidate]:
    """A word before a line that stands one blank too far in: the blank that parted them is left."""
    indent, start = lines.indents[at], lines.starts[at]
    if indent % _UNIT != 1:
        return
    token = next((number for number, one in enumerate(window.tokens) if one.start >= start + indent and one.text), None)
    if token is None:
        return
    marks = 1 if token and window.tokens[token - 1].word in {"IN", "OUT"} else 0
    place = start + indent - 1
    for word in _FIRST_WORDS:
        gain = window.gain(token - marks, marks, [word])
        yield Candidate(gain + 6.0, ((place, place, word),), f"missing first {word}")
