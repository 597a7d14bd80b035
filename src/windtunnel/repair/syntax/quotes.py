"""Strings that do not end or do not begin: where the missing quote would read best."""

from __future__ import annotations

import re
from collections.abc import Iterator

from windtunnel.repair.syntax.edits import Candidate, Window
from windtunnel.repair.syntax.tokens import QUOTE, tokens_of, whole

_LONG_LINE = 400
_LETTER = 0.3
_MOST_LETTERS = 24
"""What a character in a string costs: code that is swallowed by one must not come for free."""


def quote_edits(window: Window) -> Iterator[Candidate]:
    """Candidates for a line whose quotes do not come in pairs."""
    text = window.text
    start = text.rfind("\n", 0, window.region.at) + 1
    end = text.find("\n", start)
    end = len(text) if end < 0 else end
    line = text[start:end]
    if "triple-quoted" in window.region.fault.message or len(line) > _LONG_LINE:
        return
    odd = "unterminated string" in window.region.fault.message or line.count("'") % 2 == 1 or line.count('"') % 2 == 1
    if not odd and not any(quote in line for quote in "'\""):
        return
    base = _score(window, line)
    least = base if base is not None else _worst(window, line)
    for parts, new, cost in _variants(line, window.region.at - start, odd=odd):
        score = _score(window, new)
        if score is not None:
            moved = tuple((start + low, start + high, put) for low, high, put in parts)
            yield Candidate(score - least + cost, moved, _name(parts[0]))


def _name(part: tuple[int, int, str]) -> str:
    low, high, put = part
    if put == "\\":
        return "a quote that is text"
    return "a missing quote" if low == high else "another quote" if put else "a stray quote"


def _variants(line: str, at: int, *, odd: bool) -> Iterator[tuple[tuple[tuple[int, int, str], ...], str, float]]:
    """(parts, new line, cost)."""
    quote = line[at] if at < len(line) and line[at] in "'\"" else next((char for char in line if char in "'\""), "'")
    own = sorted({char for char in line if char in "'\""}) or [quote]
    indent = len(line) - len(line.lstrip())
    if odd:
        for place in range(indent, len(line) + 1):
            for mark in own:
                yield (
                    ((place, place, mark),),
                    line[:place] + mark + line[place:],
                    (1.0 if mark == quote else -3.0) - _inside(line, place),
                )
    for place in range(indent, len(line)):
        if line[place] in "'\"":
            other = "'" if line[place] == '"' else '"'
            yield ((place, place + 1, other),), line[:place] + other + line[place + 1 :], 6.0
            yield ((place, place + 1, ""),), line[:place] + line[place + 1 :], -8.0
            yield ((place, place, "\\"),), line[:place] + "\\" + line[place:], 0.0


def _inside(line: str, place: int) -> float:
    """What it costs to put a quote in the middle of a word."""
    return 3.0 if 0 < place < len(line) and line[place - 1].isalnum() and line[place].isalnum() else 0.0


def _score(window: Window, line: str) -> float | None:
    """How the line reads; None where a string in it does not end."""
    tokens = tokens_of(line.strip())
    if any(token.word == "S" and not whole(token.text) for token in tokens):
        return None
    run = window.model.encode(["NL", *(token.word for token in tokens)])
    odd = sum(_odd_content(token.text) for token in tokens if token.word == "S")
    return window.model.score(run, 1, len(run)) - odd


def _odd_content(text: str) -> float:
    """Strings that look as if code were inside, or as if nothing but what parts arguments were."""
    mark = QUOTE.match(text)
    inner = text[mark.end() : -len(mark[1])] if mark is not None else text
    cost = _LETTER * min(len(inner), _MOST_LETTERS) + (1.5 if re.search(r"\w, \w+$|^\d+, ", inner) else 0.0)
    if re.fullmatch(r"[\s,]+|, .*|.*, ", inner) and inner.strip() != inner and "," in inner:
        cost += 1.5
    if not _balanced(inner):
        cost += 5.0
    if re.search(r"%[-\d.]*[sdifrxg].* % |[:.!?n], \w|\\n ?%", inner):
        cost += 4.0
    if inner[:1] == " " and inner.strip():
        cost += 0.8
    return cost + (1.0 if re.search(r"\w\(|\) *[:,]|= *$", inner) else 0.0)


def _balanced(text: str) -> bool:
    depth = 0
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        if depth < 0:
            return False
    return depth == 0


def _worst(window: Window, line: str) -> float:
    tokens = tokens_of(line.strip())
    run = window.model.encode(["NL", *(token.word for token in tokens)])
    return window.model.score(run, 1, len(run)) - 6.0
