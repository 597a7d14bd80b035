"""Brackets that were left out: where the closing or the opening one would read best."""

from __future__ import annotations

import re
from collections.abc import Iterator

from windtunnel.repair.syntax.edits import Candidate, Window, placed
from windtunnel.repair.syntax.tokens import CLOSERS, OPENERS

_NEVER = re.compile(r"'(.)' was never closed")
_MISMATCH = re.compile(r"closing parenthesis '(.)' does not match opening parenthesis '(.)'")
_UNMATCHED = re.compile(r"unmatched '(.)'")
_REACH = 120


def bracket_edits(window: Window) -> Iterator[Candidate]:
    """Candidates for the compiler's words about brackets, and for brackets that its words are not about."""
    message = window.region.fault.message
    if said := _NEVER.match(message):
        yield from _closed(window, said[1], window.error, _statement_end(window, window.error))
    elif said := _MISMATCH.match(message):
        start = _opener(window, window.error)
        yield from _closed(window, said[2], start, window.error)
        yield from _opened(window, CLOSERS[said[1]], start)
    elif said := _UNMATCHED.match(message):
        yield from _opened(window, CLOSERS[said[1]], window.error - _REACH)
        yield from _line_end(window, CLOSERS[said[1]])
    elif message == "unexpected indent":
        yield from _deeper(window)
    else:
        start = _opener(window, window.error)
        if start < window.error:
            yield from _closed(window, window.tokens[start].text, start, window.error)


def _closed(window: Window, opener: str, start: int, end: int) -> Iterator[Candidate]:
    closer = OPENERS[opener]
    for at in range(start + 1, min(end + 1, start + _REACH, len(window.tokens))):
        score = window.gain(at, 0, [closer]) + 3.0 - 0.01 * (at - start)
        yield Candidate(score, (placed(window, at, closer),), f"missing {closer}")
        place = window.tokens[at].start
        if "\n" in window.text[window.tokens[at - 1].end : place]:
            yield Candidate(score, ((place, place, closer),), f"missing {closer}")


def _opened(window: Window, opener: str, start: int) -> Iterator[Candidate]:
    for at in range(max(start, window.error - _REACH, 0), window.error + 1):
        marks = 0
        while at + marks < window.error and not window.tokens[at + marks].text:
            marks += 1
        if marks == 0 or window.tokens[at].word == "NL":
            yield Candidate(
                window.gain(at, marks, [opener]) + 2.0 - 0.02 * (window.error - at),
                (placed(window, at, opener),),
                f"missing {opener}",
            )


def _line_end(window: Window, opener: str) -> Iterator[Candidate]:
    """The end of the nearest line above that stands as far in as the closing bracket's."""
    text, at = window.text, window.region.at
    start = text.rfind("\n", 0, at) + 1
    indent = text[start:at]
    if indent.strip():
        return
    lines = list(re.finditer(rf"^{indent}(?=\S)[^\n]*", text[:start], re.MULTILINE))
    if lines:
        line = lines[-1]
        end = line.start() + len(line[0].rstrip())
        tight = "" if opener == "(" or line[0].rstrip().endswith(("(", "[", "{")) else " "
        yield Candidate(12.0, ((end, end, tight + opener),), f"missing {opener}")


def _deeper(window: Window) -> Iterator[Candidate]:
    """The end of the line before one that stands deeper than it may."""
    before = window.text[: window.text.rfind("\n", 0, window.region.at) + 1].rstrip()
    for opener in OPENERS:
        tight = "" if opener == "(" or before[-1:] in OPENERS else " "
        score = 8.0 if opener == "(" else 5.0
        yield Candidate(score, ((len(before), len(before), tight + opener),), f"missing {opener}")


def _statement_end(window: Window, at: int) -> int:
    while at < len(window.tokens) - 1 and window.tokens[at].word != "NL":
        at += 1
    return at


def _opener(window: Window, at: int) -> int:
    """The innermost bracket open at a token, or the first of its statement."""
    depth = 0
    for step in range(at - 1, max(at - _REACH, -1), -1):
        text = window.tokens[step].text
        if text in CLOSERS:
            depth += 1
        elif text in OPENERS:
            if not depth:
                return step
            depth -= 1
    return at
