"""Triple quotes that were lost: whole texts to try, since one of them turns the rest of a file inside out."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

_TWO = re.compile(r"(?<![\"'\\\w])(\"\"|'')(?![\"'])|(?<=[^\"'\\\s(=,\[{:])(\"\"|'')(?=\s*$)", re.MULTILINE)
_CODE = re.compile(
    r"\s*(?:def |class |return\b|if .*:$|for .*:$|import |from \w+ import|self\.|@\w|\w+(?:\.\w+)* = |"
    r"\w+(?:\.\w+)*\(|try:|with .*:$|raise |while .*:$|pass$|yield |assert )"
)
_HALF = re.compile(r"^[ \t]*[rRuU]?(\"\"|'')(?=[^\"'\s)\],.:])", re.MULTILINE)
_HEAD = re.compile(r"^([ \t]*)(?:async def|def|class)\b[^\n]*(?:\n[^\n]*)*?:[ \t]*\n", re.MULTILINE)
_BLANK = re.compile(r"[ \t]+(?=\n)")
"""Of a line: what is left where a quote stood alone."""
_MOST = 14


def triple_edits(text: str) -> Iterator[str]:
    """The text with one triple quote more or made whole, the likeliest first."""
    for quote in ('"""', "'''"):
        if quote in text:
            yield from _made_whole(text, quote)
            yield from _opened(text, quote)
            yield from _closed(text, quote)


def two_for_three(text: str) -> bool:
    """Whether a line begins with two quotes and goes on with words: the start of a docstring that lost one."""
    return _HALF.search(text) is not None


def _made_whole(text: str, quote: str) -> Iterator[str]:
    """Two quotes where three are meant: alone on a line or before words first, then others at an edge of a line."""
    found = [one for one in _TWO.finditer(text) if one[0] == quote[:2] and _edge(text, one.start(), one.end())]
    found.sort(key=lambda one: not _sure(text, one.start(), one.end()))
    for one in found[:_MOST]:
        yield text[: one.start()] + quote + text[one.end() :]


def _sure(text: str, start: int, end: int) -> bool:
    before = text[text.rfind("\n", 0, start) + 1 : start]
    return not before.strip() and (text[end : end + 1] in {"", "\n"} or text[end : end + 1].isalpha())


def _edge(text: str, start: int, end: int) -> bool:
    before = text[text.rfind("\n", 0, start) + 1 : start]
    stop = text.find("\n", end)
    after = text[end : stop if stop >= 0 else len(text)]
    opens = not before.strip(" rRuUfFbB\t") and after[:1] not in {")", ",", ":", ".", "]", "}", ""}
    alone = not before.strip() and not after.strip()
    return opens or alone or (
        not after.strip(" )")
        and before.strip() != ""
        and not before.rstrip().endswith(("=", "(", ",", "return", "[", ":"))
    )


def _opened(text: str, quote: str) -> Iterator[str]:
    """A quote put in at the head of what ends with a quote that should open something."""
    marks = [found.start() for found in re.finditer(re.escape(quote), text)]
    for number, mark in enumerate(marks):
        if number % 2 == 0 and not _opens(text, mark) and not text[text.rfind("\n", 0, mark) + 1 : mark].strip():
            low = marks[number - 1] if number else 0
            heads = list(_HEAD.finditer(text, low, mark))
            if heads:
                end = heads[-1].end()
                blank = _BLANK.match(text, end)
                place = blank.end() if blank else end + len(text[end:mark]) - len(text[end:mark].lstrip())
                yield text[:place] + quote + text[place:]
            return


def _closed(text: str, quote: str) -> Iterator[str]:
    """A quote put in where an opening one is followed by another opening one."""
    marks = [found.start() for found in re.finditer(re.escape(quote), text)]
    for number, mark in enumerate(marks):
        if number % 2 == 0 and number + 1 < len(marks) and not _opens(text, marks[number + 1]):
            continue
        if number % 2 == 0:
            end = marks[number + 1] if number + 1 < len(marks) else len(text)
            yield from _endings(text, quote, start=mark, end=end)
            return


def _opens(text: str, at: int) -> bool:
    """Whether a triple quote looks like the start of a docstring: first on its line, with words after it."""
    before = text[text.rfind("\n", 0, at) + 1 : at]
    after = text[at + 3 : at + 4]
    return not before.strip(" rRuUbBfF\t") and after not in {"\n", "", ")", ",", "."}


def _endings(text: str, quote: str, *, start: int, end: int) -> Iterator[str]:
    """Ends of lines before something that looks like code, the first first; the quote's own line before all."""
    for found in itertools.islice(re.finditer(r"(?<=\n)[ \t]+(?=\n)", text[start:end]), _MOST // 4):
        yield text[: start + found.end()] + quote + text[start + found.end() :]
    lines = text[start:end].split("\n")
    place, tried = start, 0
    own_indent = start - (text.rfind("\n", 0, start) + 1)
    for number, line in enumerate(lines[:-1]):
        stop = place + len(line)
        following = next((one for one in lines[number + 1 :] if one.strip()), "")
        indent = len(following) - len(following.lstrip())
        if (_CODE.match(following) and indent <= own_indent) or indent < own_indent:
            bare = text[:stop].rstrip()
            gap = "" if number == 0 or lines[number].strip() else "\n" + " " * own_indent
            yield (bare + quote + text[stop:]) if not gap else bare + gap + quote + text[stop:]
            if number:
                yield bare + "\n" + " " * own_indent + quote + text[stop:]
            tried += 1
        if tried >= _MOST // 2:
            return
        place = stop + 1
