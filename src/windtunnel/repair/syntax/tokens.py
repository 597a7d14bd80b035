"""Tokens of Python text that may not be Python: never fails, and finds its way back after an unclosed bracket."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass

_PREFIX = r"(?:[rRbBuU]|[fF]|[rR][bBfF]|[bBfF][rR])?"
_TOKEN = re.compile(
    rf"""(?P<triple>{_PREFIX}(?:\"\"\"(?:[^\\]|\\.)*?(?:\"\"\"|\Z)|'''(?:[^\\]|\\.)*?(?:'''|\Z)))"""
    rf"""|(?P<string>{_PREFIX}(?:"(?:[^"\\\n]|\\.|\\\n)*(?:"|(?=\n)|\Z)|'(?:[^'\\\n]|\\.|\\\n)*(?:'|(?=\n)|\Z)))"""
    r"""|(?P<comment>\#[^\n]*)"""
    r"""|(?P<number>(?:0[xXoObB][0-9a-fA-F_]+|(?:\d[\d_]*)?\.?\d[\d_]*(?:\.(?!\.))?(?:[eE][+-]?\d+)?[jJ]?))"""
    r"""|(?P<name>[^\W\d]\w*)"""
    r"""|(?P<join>\\\n)"""
    r"""|(?P<newline>\n)"""
    r"""|(?P<space>[ \t\f\r]+)"""
    r"""|(?P<operator>&&|\|\||\+\+|===|!==|=>|<>|\*\*=|//=|>>=|<<=|\.\.\.|->|:=|[-+*/%@&|^=<>!]=|\*\*|//|<<|>>|[-+*/%@&|^~<>=.,:;()\[\]{}])"""
    r"""|(?P<other>.)""",
    re.DOTALL,
)
QUOTE = re.compile(r"[rRbBuUfF]{0,2}(\"\"\"|'''|\"|')")
OPENERS = {"(": ")", "[": "]", "{": "}"}
CLOSERS = {")": "(", "]": "[", "}": "{"}
KEYWORDS = frozenset(keyword.kwlist)
_ALONE = frozenset(
    {
        "def",
        "class",
        "return",
        "import",
        "raise",
        "while",
        "try",
        "with",
        "del",
        "pass",
        "break",
        "continue",
        "assert",
        "global",
        "nonlocal",
        "@",
        "elif",
        "except",
        "finally",
    }
)
"""Words that start a statement and never stand first on a line inside brackets."""
COMMON = frozenset(
    {
        "self",
        "cls",
        "len",
        "str",
        "int",
        "range",
        "isinstance",
        "print",
        "super",
        "list",
        "dict",
        "set",
        "tuple",
        "open",
        "type",
        "getattr",
        "hasattr",
        "enumerate",
        "zip",
        "ValueError",
        "TypeError",
        "KeyError",
        "Exception",
        "match",
        "case",
        "_",
    }
)


@dataclass(slots=True)
class Token:
    """A token with its abstract word: keywords, operators and common names as they are, others by their sort."""

    word: str
    text: str
    start: int
    end: int


def tokens_of(text: str, *, base: int = 0) -> list[Token]:
    """All that matters: no comments or blank lines; ``NL``, ``IN`` and ``OUT`` where lines end and blocks do."""
    return _Scan(text, base).run()


class _Scan:
    """One pass over a text."""

    def __init__(self, text: str, base: int) -> None:
        self.text, self.base = text, base
        self.found: list[Token] = []
        self.stack: list[tuple[str, int]] = []
        """Open brackets, each with the indentation of its line."""
        self.indents = [0]
        self.indent, self.fresh = 0, True

    def run(self) -> list[Token]:
        """The tokens."""
        for match in _TOKEN.finditer(self.text):
            sort = match.lastgroup or "other"
            if sort == "newline":
                self.line_ends(match.start())
            elif sort == "space":
                if self.at_start(match.start()):
                    self.indent = len(match[0].expandtabs(8))
            elif sort not in {"comment", "join"}:
                self.add(sort, match)
        self.stack.clear()
        self.line_ends(len(self.text.rstrip()))
        return self.found

    def at_start(self, at: int) -> bool:
        """Whether a line begins here."""
        return at == 0 or self.text[at - 1] == "\n"

    def line_ends(self, at: int) -> None:
        """A logical line's end, unless a bracket is open."""
        if not self.stack and not self.fresh:
            self.mark("NL", at)
            self.fresh = True
        self.indent = 0

    def add(self, sort: str, match: re.Match[str]) -> None:
        """One token, with the marks that belong before it."""
        first = match.start() == 0 or not self.text[self.text.rfind("\n", 0, match.start()) + 1 : match.start()].strip()
        if first and self.stack and self.lost(match[0]):
            self.stack.clear()
            self.mark("NL", match.start())
            self.fresh = True
        if self.fresh:
            self.block(match.start())
            self.fresh = False
        if match[0] in OPENERS:
            self.stack.append((match[0], self.line_indent(match.start())))
        elif match[0] in CLOSERS and self.stack:
            self.stack.pop()
        self.found.append(Token(word_of(sort, match[0]), match[0], self.base + match.start(), self.base + match.end()))

    def line_indent(self, at: int) -> int:
        """How far the line of a place is indented."""
        line = self.text[self.text.rfind("\n", 0, at) + 1 : at]
        return len(line) - len(line.lstrip())

    def lost(self, word: str) -> bool:
        """Whether a line that starts so cannot be inside the open bracket."""
        if word in _ALONE:
            return True
        return word not in CLOSERS and self.indent <= self.stack[-1][1] and word.isidentifier() and self.indent < 80  # noqa: PLR2004 -- a measure that is this place's own

    def block(self, at: int) -> None:
        """Marks of blocks that begin or end here."""
        if self.indent > self.indents[-1]:
            self.indents.append(self.indent)
            self.mark("IN", at)
        while self.indent < self.indents[-1]:
            self.indents.pop()
            self.mark("OUT", at)

    def mark(self, word: str, at: int) -> None:
        """A token of no width."""
        self.found.append(Token(word, "", self.base + at, self.base + at))


def word_of(sort: str, text: str) -> str:
    """The abstract word of a token."""
    if sort == "name":
        return text if text in KEYWORDS or text in COMMON else ("C" if text[:1].isupper() else "N")
    if sort in {"triple", "string"}:
        return "S"
    return "0" if sort == "number" else text


def whole(text: str) -> bool:
    """Whether a string token has its end."""
    mark = QUOTE.match(text)
    if mark is None:
        return True
    body = text[mark.end() :]
    return body.endswith(mark[1]) and not re.search(r"(?<!\\)(?:\\\\)*\\$", body[: len(body) - len(mark[1])])
