"""Faults that the compiler's words or a look at the characters name: another language's or another version's habits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from windtunnel.repair.syntax.edits import Candidate, Window

_ALIKE = {
    "\u201c": '"',
    "\u201d": '"',
    "\u201e": '"',
    "\u201f": '"',
    "\u00ab": '"',
    "\u00bb": '"',
    "\u2033": '"',
    "\u2018": "'",
    "\u2019": "'",
    "\u201a": "'",
    "\u201b": "'",
    "\u2032": "'",
    "\u00b4": "'",
    "\u0060": "'",
    "\u2013": "-",
    "\u2014": "-",
    "\u2212": "-",
    "\u2010": "-",
    "\u2011": "-",
    "\u00d7": "*",
    "\u00f7": "/",
    "\uff0c": ",",
    "\uff1a": ":",
    "\uff1b": ";",
    "\uff08": "(",
    "\uff09": ")",
    "\u3010": "[",
    "\u3011": "]",
    "\uff3b": "[",
    "\uff3d": "]",
    "\uff5b": "{",
    "\uff5d": "}",
    "\uff1d": "=",
    "\uff0b": "+",
    "\uff0d": "-",
    "\uff0a": "*",
    "\uff0f": "/",
    "\uff1c": "<",
    "\uff1e": ">",
    "\uff0e": ".",
    "\u3002": ".",
    "\uff01": "!",
    "\u2260": "!=",
    "\u2264": "<=",
    "\u2265": ">=",
    "\u00a0": " ",
    "\u2003": " ",
    "\u2002": " ",
    "\u2009": " ",
    "\u3000": " ",
    "\u200b": "",
    "\u200c": "",
    "\u200d": "",
    "\ufeff": "",
    "\u2060": "",
    "\u037e": ";",
}
_CONFLICT = re.compile(
    r"^<<<<<<<[^\n]*\n(.*?)^(?:\|{7}[^\n]*\n.*?^)?=======[^\n]*\n(.*?)^>>>>>>>[^\n]*\n?", re.MULTILINE | re.DOTALL
)
_LINES = (  # each row: a pattern, its replacement, a score, and what it is in words
    (r"^(\s*)print\s+(?![=(])(.+?)\s*$", r"\1print(\2)", 14.0, "print is a function"),
    (r"^(\s*)exec\s+(?![=(])(.+?)\s*$", r"\1exec(\2)", 14.0, "exec is a function"),
    (
        r"^(\s*)raise\s+([\w.]+)\s*,\s*(.+?)\s*$",
        r"\1raise \2(\3)",
        14.0,
        "an error is raised with its message in parentheses",
    ),
    (r"\bexcept\s+([\w.]+)\s*,\s*([a-z_]\w*)\s*:", r"except \1 as \2:", 16.0, "the name of an error follows 'as'"),
    (
        r"\bexcept\s+(\w+(?:\.\w+)*(?:\s*,\s*[\w.]+)+)\s*(as \w+)?:",
        r"except (\1) \2:",
        14.0,
        "errors stand in parentheses",
    ),
    (r"^(\s*import [\w.]+) +(\w+)\s*$", r"\1 as \2", 16.0, "another name follows 'as'"),
    (r"\belse\s+if\b", "elif", 16.0, "else if is elif"),
    (r"\belsif\b|\belseif\b", "elif", 16.0, "elif is the word"),
    (r"(?<![=!<>])!(?!=)\s*(?=[\w(])", "not ", 45.0, "not for !"),
    (r"&&", "and", 45.0, "and for &&"),
    (r"\|\|", "or", 45.0, "or for ||"),
    (r"(\w[\w.\[\]]*)\+\+", r"\1 += 1", 45.0, "there is no ++"),
    (r"(\w[\w.\[\]]*)--(?=\s*$)", r"\1 -= 1", 14.0, "there is no --"),
    (r"<>", "!=", 45.0, "!= for <>"),
    (r"===", "==", 45.0, "== for ==="),
    (r"!==", "!=", 45.0, "!= for !=="),
    (r"\bimport\s+(\w+)\s+from\s+([\w.]+)", r"from \2 import \1", 14.0, "from comes before import"),
    (r"^(\s*)(?:const|let|var)\s+(\w+)\s*=", r"\1\2 =", 14.0, "names are not declared"),
    (r"^(\s*)(?:function|func|fn)\s+(\w+\s*\([^)]*\))\s*[:{]?\s*$", r"\1def \2:", 14.0, "def for function"),
    (r"\s*\{\s*$", ":", 7.0, "a block begins with a colon"),
    (r"^(\s*)\}\s*$", r"\1", 3.0, "a block ends by its indentation"),
    (r"\b0+([1-9]\d*)\b", r"\1", 13.0, "no leading zeros"),
    (r"\b0+([0-7]+)\b", r"0o\1", 11.0, "octal numbers begin with 0o"),
    (r"\bur(['\"])", r"r\1", 12.0, "ur is no prefix"),
    (r"(\d)[lL]\b", r"\1", 12.0, "there are no long numbers"),
    (r"^(\s*)@\s*$", "", 6.0, "a stray decorator"),
    (r"^(\s*(?:async )?def \w+)\s*:", r"\1():", 12.0, "missing parentheses"),
    (r"^(\s*)//(.*)$", r"\1#\2", 10.0, "a comment begins with #"),
    (r"\s+//\s[^'\"]*$", "", 5.0, "a comment begins with #"),
    (r";\s*$", "", 5.0, "a stray semicolon"),
    (r";\s*$", ":", 6.0, "a colon"),
    (r"\bnull\b", "None", 1.0, "None for null"),
    (r"\basync\s+(?!def|for|with)", "", 2.0, "a stray async"),
    (r"=\s*>", ">=", 7.0, ">= for =>"),
    (r"=\s*<", "<=", 7.0, "<= for =<"),
    (r"=>", ":", 4.0, "a colon for =>"),
    (r"=>", "->", 4.0, "-> for =>"),
    (r"=\s+=", "==", 9.0, "=="),
    (r"!\s+=", "!=", 9.0, "!="),
    (r"=!", "!=", 12.0, "!="),
    (r"\*\s+\*", "**", 9.0, "**"),
    (r"/\s+/", "//", 9.0, "//"),
    (r"([-+*/<>])\s+=(?!=)", r"\1=", 9.0, "a sign in two"),
    (r"\s+(?:then|do)\s*:?\s*$", ":", 12.0, "a block begins with a colon"),
    (r"\s*(?:->|=>)\s*$", ":", 10.0, "a block begins with a colon"),
    (r":\s*\{\s*$", ":", 10.0, "a block begins with a colon"),
    (r"^(\s*)(?:catch)\b", r"\1except", 14.0, "except for catch"),
    (r"^(\s*)throw\b", r"\1raise", 14.0, "raise for throw"),
    (r"^(\s*)(?:include|require)\b", r"\1import", 12.0, "import is the word"),
    (r"^(\s*)(?:int|auto|float|str|string|double)\s+(\w+)\s*=", r"\1\2 =", 12.0, "names are not declared"),
    (r"\+\s+=", "+=", 8.0, "+="),
    (r"=\+", "+=", 3.0, "+="),
    (r"-\s+>", "->", 8.0, "->"),
    (r"(\w)\s*=\s*(?=['\"\d\[{(\w])", r"\1: ", -3.0, "a colon"),
)
_KEYWORD_NAME = re.compile(
    r"\b(class|from|import|lambda|in|is|def|return|global|pass|with|as|del|not|or|and|if|else|for|"
    r"while|try|raise|yield|async|await|assert|None|True|False)\b"
)


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str, float, str], ...]:
    """The table, compiled when the first text is broken: whoever has none does not wait for it."""
    return tuple((re.compile(pattern), new, score, name) for pattern, new, score, name in _LINES)


def line_rewrites(window: Window) -> Iterator[Candidate]:
    """The line of the fault and the one before it, by the table."""
    text = window.text
    start = text.rfind("\n", 0, window.region.at) + 1
    for low, cost in ((start, 0.0), (text.rfind("\n", 0, max(start - 1, 0)) + 1, -2.0)):
        end = text.find("\n", low)
        line = text[low : len(text) if end < 0 else end]
        for pattern, new, score, name in _patterns():
            found = pattern.search(line)
            if found is not None:
                yield Candidate(score + cost, ((low + found.start(), low + found.end(), found.expand(new)),), name)
        for found in list(_KEYWORD_NAME.finditer(line))[:8]:
            place = low + found.end()
            yield Candidate(-2.0 + cost, ((place, place, "_"),), f"{found[1]} cannot be a name")
    if re.search(r"Maybe you meant '=='|expected 'else'|cannot assign", window.region.fault.message):
        yield from _compared(window)
    yield from _look_alikes(window, start)


def _compared(window: Window) -> Iterator[Candidate]:
    """Assignments of the line made comparisons, the first first."""
    for token in window.tokens[window.first : window.error + 40]:
        if token.text == "=":
            yield Candidate(
                16.0 - 0.02 * abs(token.start - window.region.at), ((token.start, token.end, "=="),), "== for ="
            )


def _look_alikes(window: Window, start: int) -> Iterator[Candidate]:
    """Characters that look like others, in the line and in all of the region."""
    text = window.text
    end = text.find("\n", start)
    for low, high in ((start, len(text) if end < 0 else end), (0, len(text))):
        parts = tuple((at, at + 1, _ALIKE[text[at]]) for at in range(low, high) if text[at] in _ALIKE)
        if parts:
            yield Candidate(20.0 - 0.01 * len(parts), parts, "characters that look like others")


def text_rewrites(text: str) -> Iterator[tuple[str, str]]:
    """Whole texts: what is left of a merge, tabs among spaces, bytes that are no text."""
    if "<<<<<<<" in text and _CONFLICT.search(text):
        yield _CONFLICT.sub(r"\1", text), "a merge that was not finished: the first side"
        yield _CONFLICT.sub(r"\2", text), "a merge that was not finished: the second side"
        yield _CONFLICT.sub(r"\1\2", text), "a merge that was not finished: both sides"
    if "\0" in text:
        yield text.replace("\0", ""), "characters that are nothing"


def async_rewrites(text: str, line: int) -> Iterator[tuple[str, str]]:
    """The function around a line made one that may wait."""
    lines = text.split("\n")
    inner = lines[min(line, len(lines)) - 1]
    width = len(inner) - len(inner.lstrip())
    for number in range(min(line, len(lines)) - 1, -1, -1):
        found = re.match(r"(\s*)def\b", lines[number])
        if found is not None and len(found[1]) < width:
            new = f"{found[1]}async {lines[number].lstrip()}"
            yield "\n".join([*lines[:number], new, *lines[number + 1 :]]), "a missing async"
            return


def tab_rewrites(text: str, line: int) -> Iterator[tuple[str, str]]:
    """Tabs made spaces: in one line as four or eight, then in all."""
    lines = text.split("\n")
    if 0 < line <= len(lines):
        for number in (line - 1, line - 2):
            for width in (4, 8):
                own = lines[number]
                body = own.lstrip(" \t")
                if "\t" in own[: len(own) - len(body)]:
                    new = own[: len(own) - len(body)].expandtabs(width) + body
                    yield "\n".join([*lines[:number], new, *lines[number + 1 :]]), "a tab among spaces"
    for width in (4, 8):
        yield re.sub(r"^[ \t]+", lambda lead: lead[0].expandtabs(width), text, flags=re.MULTILINE), "tabs among spaces"  # noqa: B023 -- used at once
