"""JavaScript and TypeScript as tokens: enough to know names from strings, comments, templates and patterns.

Never raises: a character that fits nothing is a token of its own. Walks the text once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

MOST_TEXT = 2_000_000
MOST_NESTED = 6
"""Templates inside templates that are looked into."""

Kind = Literal["name", "number", "string", "template", "pattern", "mark"]

_SPACE = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/|<!--[^\n]*|^#![^\n]*)+", re.DOTALL)
_NAME = re.compile(r"#?(?:[^\W\d]|\$|\\u\{?[0-9a-fA-F]{1,6}\}?)(?:\w|\$|\\u\{?[0-9a-fA-F]{1,6}\}?)*")
_NUMBER = re.compile(r"0[xXbBoO][\da-fA-F_]+n?|(?:\d[\d_]*)?\.?\d[\d_]*(?:[eE][+-]?\d+)?n?|\d+\.")
_STRING = re.compile(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"", re.DOTALL)
_PATTERN = re.compile(r"/(?![*/])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
_MARK = re.compile(r"=>|\.\.\.|===|!==|==|!=|<=|>=|&&|\|\||\?\?|\?\.(?!\d)|\+\+|--|\*\*|[-+*/%&|^]=|.", re.DOTALL)
_BEFORE_PATTERN = {
    "return",
    "typeof",
    "case",
    "in",
    "of",
    "void",
    "delete",
    "instanceof",
    "new",
    "throw",
    "do",
    "else",
    "yield",
    "await",
}
_ESCAPE = re.compile(r"\\(u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|\n|.)", re.DOTALL)
_SHORT = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
_LAST = 0x10FFFF


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a script."""

    kind: Kind
    text: str
    """A string's or plain template's content without quotes and escapes; anything else as it stands."""
    line: int
    fresh: bool = False
    """Whether it is the first of its line."""
    start: int = field(default=-1, compare=False)
    """Where it begins in its text, in characters; -1 inside a template."""
    end: int = field(default=-1, compare=False)


def _unescaped(match: re.Match[str]) -> str:
    digits = match[2] or match[3] or match[4]
    if digits:
        code = int(digits, 16)
        return chr(code) if code <= _LAST else ""
    return _SHORT.get(match[1], match[1])


def _template(text: str, start: int) -> int:
    """Where the template that starts here ends."""
    # Below zero: in the text of a template; else inside ``${}`` with so many braces open.
    levels, place = [-1], start + 1
    while place < len(text) and levels:
        letter = text[place]
        if letter == "\\":
            place += 1
        elif letter == "`":
            if levels[-1] < 0:
                levels.pop()
            else:
                levels.append(-1)
        elif levels[-1] < 0 and text.startswith("${", place):
            levels.append(0)
            place += 1
        elif levels[-1] >= 0 and letter in "{}":
            levels[-1] += 1 if letter == "{" else -1
            if levels[-1] < 0:
                levels.pop()
        place += 1
    return place


def inner(text: str) -> list[str]:
    """The code inside the ``${}`` of a template."""
    found, place = [], text.find("${")
    while place >= 0:
        depth, end = 1, place + 2
        while end < len(text) and depth:
            depth += (text[end] == "{") - (text[end] == "}")
            end += 1
        found.append(text[place + 2 : end - 1])
        place = text.find("${", end)
    return found


def _divides(last: Token | None) -> bool:
    """Whether a slash after this token divides, rather than starting a pattern."""
    if last is None:
        return False
    if last.kind == "mark":
        return last.text in (")", "]", "}", "++", "--")
    return last.kind != "name" or last.text not in _BEFORE_PATTERN


def _next(text: str, place: int, last: Token | None) -> tuple[Kind, str, int]:
    letter = text[place]
    if letter == "`":
        end = _template(text, place)
        return "template", text[place:end], end
    if letter in "'\"" and (match := _STRING.match(text, place)):
        return "string", _ESCAPE.sub(_unescaped, match[0][1:-1]), match.end()
    if (letter.isdigit() or (letter == "." and text[place + 1 : place + 2].isdigit())) and (
        match := _NUMBER.match(text, place)
    ):
        return "number", match[0].replace("_", ""), match.end()
    if match := _NAME.match(text, place):
        return "name", _ESCAPE.sub(_unescaped, match[0]), match.end()
    if letter == "/" and not _divides(last) and (match := _PATTERN.match(text, place)):
        return "pattern", match[0], match.end()
    match = _MARK.match(text, place)
    assert match is not None
    return "mark", "." if match[0] == "?." else match[0], match.end()


def tokens(text: str, *, nested: int = 0) -> Iterator[Token]:
    """The tokens of a script; what stands inside a template follows it."""
    text = text[:MOST_TEXT]
    place, line, last, counted = 0, 1, None, 0
    while place < len(text):
        if space := _SPACE.match(text, place):
            place = space.end()
            continue
        kind, word, end = _next(text, place, last)
        breaks = text.count("\n", counted, place)
        plain = kind == "template" and "${" not in word
        token = Token(
            "string" if plain else kind,
            _ESCAPE.sub(_unescaped, word[1:-1]) if plain else word,
            line + breaks,
            fresh=bool(breaks) or last is None,
            start=place,
            end=end,
        )
        line, counted = line + breaks, place
        yield token
        if kind == "template" and not plain and nested < MOST_NESTED:
            for code in inner(word):
                inside = tokens(code, nested=nested + 1)
                yield from (replace(each, line=token.line, start=-1, end=-1) for each in inside)
        last, place = token, end
