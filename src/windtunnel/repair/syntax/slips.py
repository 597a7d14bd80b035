"""Slips of more than a token: a comment without its sign, a call without its brackets, a name in two."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from windtunnel.repair.syntax.edits import Candidate, Window
from windtunnel.repair.syntax.tokens import KEYWORDS, OPENERS

_NAMES = frozenset({"N", "C"})
_PROSE = re.compile(r"[A-Za-z][\w'-]*,? [a-zA-Z][\w'-]*")
_TERNARY = re.compile(r"(?:(?<=[=(,\[:]) *|(?<=return) +)([^=(,\[:?]*(?:[=!<>]=[^?]*)?) \? (.+?) : ([^\n,)\]]+)")
_FORMAT = re.compile(r"[rR]?[fF][rR]?(['\"])")
_INNER = re.compile(r"[\w\])'\"](?=\W|$)")
_FOUR, _MANY, _NEAR = 4, 12, 8


def slip_edits(window: Window) -> Iterator[Candidate]:
    """Candidates for the line of the fault."""
    text = window.text
    start = text.rfind("\n", 0, window.region.at) + 1
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    yield from _comment(window, start, end)
    yield from _ternary(text[start:end], start)
    if window.region.fault.message.startswith("f-string"):
        yield from _braces(window)
    yield from _nested(text[start:end], start)
    if window.ahead and end < len(text):
        yield from _nested(text[end + 1 :].split("\n", 1)[0], end + 1)
    for at in range(max(window.error - 2, 1), min(window.error + 2, len(window.tokens))):
        yield from _in_two(window, at)
        yield from _called(window, at)


def _comment(window: Window, start: int, end: int) -> Iterator[Candidate]:
    """A comment, alone on its line or after two blanks."""
    line = window.text[start:end]
    indent = len(line) - len(line.lstrip())
    gap = line.find("  ", indent)
    for place in {indent, gap + 2 if gap > 0 else indent}:
        rest = line[place:]
        if rest and (place == indent or rest[0] != " "):
            prose = 12.0 if _PROSE.match(rest) and rest.partition(" ")[0] not in KEYWORDS else 0.0
            yield Candidate(prose, ((start + place, start + place, "# "),), "missing hash")


def _ternary(line: str, start: int) -> Iterator[Candidate]:
    found = _TERNARY.search(line)
    if found is not None:
        low, new = start + found.start(1), f"{found[2]} if {found[1].strip()} else {found[3]}"
        yield Candidate(16.0, ((low, start + found.end(), new),), "a condition stands in the middle")


def _braces(window: Window) -> Iterator[Candidate]:
    """A brace that a text with values in it lacks."""
    for token in window.tokens[window.first : window.error + _NEAR]:
        text = token.text
        if token.word != "S" or not _FORMAT.match(text):
            continue
        if "single '}'" in window.region.fault.message:
            marks = [(token.start + 2 + found.start(), "{") for found in re.finditer(r"\b[^\W\d]", text[2:])]
        else:
            ends = (found.end() for found in _INNER.finditer(text))
            marks = [(token.start + end, "}") for end in ends if text.rfind("{", 0, end) > text.rfind("}", 0, end)]
        for place, mark in marks:
            yield Candidate(8.0, ((place, place, mark),), f"missing {mark} in a text")


def _nested(line: str, start: int) -> Iterator[Candidate]:
    """A text's own quote around a word in it: the other quote, or a mark before both."""
    for quote, other in (("'", '"'), ('"', "'")):
        marks = [at for at, char in enumerate(line) if char == quote and line[at - 1 : at] != "\\"]
        if not _FOUR <= len(marks) <= _MANY:
            continue
        pairs = itertools.pairwise(marks[1:-1])
        for places in (*pairs, marks[1:-1]):
            low, high = places[0], places[-1]
            if not line[low + 1 : high].strip() or other in line[low:high]:
                continue
            score = 6.0 if line[low - 1] not in ",:=+[{" and line[low - 2 : low] != ", " else 2.0
            for new, name in ((other, "quotes inside a text"), (f"\\{quote}", "marked quotes inside a text")):
                yield Candidate(score, tuple((start + at, start + at + 1, new) for at in places), name)


def _in_two(window: Window, at: int) -> Iterator[Candidate]:
    """Two names that are one elsewhere in the file, or one that is defined here."""
    one, two = window.tokens[at - 1], window.tokens[at]
    if one.text == "-" and at > 1:
        one = window.tokens[at - 2]
    if one.text.isidentifier() and re.fullmatch(r"\w+", two.text) and two.start == one.end + 1:
        defined = at > 1 and window.tokens[at - 2].text in {"def", "class"}
        for between in ("_", ""):
            known = window.names[name := one.text + between + two.text]
            if known or (defined and between):
                yield Candidate(9.0 + min(known, 3), ((one.start, two.end, name),), "a name in two")


def _called(window: Window, at: int) -> Iterator[Candidate]:
    """A name before a value: called with it, and with all up to the end of what it stands in."""
    one, two = window.tokens[at - 1], window.tokens[at]
    if one.word in KEYWORDS or not one.text.isidentifier() or not two.text or two.start != one.end + 1:
        return
    if two.text in KEYWORDS or two.word not in {*_NAMES, "S", "0", "self"}:
        return
    depth, ends = 0, []
    for number in range(at, min(at + 40, len(window.tokens))):
        text = window.tokens[number].text
        depth += (text in OPENERS) - (text in OPENERS.values())
        if depth < 0 or not text:
            break
        if not depth and number + 1 < len(window.tokens) and window.tokens[number + 1].text not in {".", "(", "["}:
            ends.append(window.tokens[number].end)
    for end in {*ends[:1], *ends[-1:]}:
        score = 2.0 if window.names[one.text] > 1 else 0.0
        yield Candidate(score, ((one.end, two.start, "("), (end, end, ")")), "a call without its brackets")
