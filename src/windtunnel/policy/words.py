"""The words of a condition, checked before anything compiles it.

A condition is a part of CEL: the fields of ``request``, comparisons, ``&& || ! ? :``, ``in``, numbers, texts and
lists, ``size``, ``startsWith``, ``endsWith``, ``contains``, ``matches``, and ``all``, ``exists`` and ``exists_one``
over a list of the request. What holds: its length, depth and cost are known before it runs. Left out is what could make
values grow (``map``, ``filter``, ``+`` beside a walk over a list): a short condition could then fill the memory.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from windtunnel.policy.facts import LISTS, VALUES, variable

MOST_LENGTH, MOST_WORDS, MOST_DEPTH, MOST_WALKS, MOST_SUMS = 4096, 1000, 16, 2, 8
_WORD = re.compile(r"""
    (?P<blank>\s+|//[^\n]*)
  | (?P<text>[rR](?:"[^"\n]*"|'[^'\n]*')|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
  | (?P<number>0x[0-9a-fA-F]+|[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)
  | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<sign>&&|\|\||==|!=|<=|>=|[-+*/%<>!?:.,()\[\]])
""", re.VERBOSE)
_WALKS = frozenset({"all", "exists", "exists_one"})
_METHODS = frozenset({"startsWith", "endsWith", "contains", "matches", "size", *_WALKS})
_FUNCTIONS = frozenset({"size", "int", "double"})
_PLAIN = frozenset({"true", "false", "in"})
_PATTERN_STEPS, _PATTERN_LETTER_STEPS, _PATTERN_CLASS_STEPS, _MOST_PATTERN = 500, 100, 5000, 256


class BadCondition(ValueError):
    """The message says where in the condition, and what would do."""


@dataclass(slots=True, kw_only=True)
class Words:
    """What was found in a condition."""

    made: list[str] = field(default_factory=list)
    """The words as they are compiled; each field of the request is a variable of its own."""
    places: list[int] = field(default_factory=list)
    """Where in the source each of them begins."""
    fields: set[str] = field(default_factory=set)
    steps: list[int] = field(default_factory=lambda: [0] * (MOST_WALKS + 2))
    """How many steps are taken once, once for each item, and so on."""
    patterns: list[str] = field(default_factory=list)
    walks: int = 0
    sums: int = 0
    choices: int = 0


@dataclass(frozen=True, slots=True)
class _Word:
    kind: str
    text: str
    at: int


def read(source: str) -> Words:
    """The words of a condition; a ``BadCondition`` for what is not one."""
    if len(source) > MOST_LENGTH:
        raise BadCondition(f"longer than {MOST_LENGTH} letters (make two rules of it)")
    reader = _Reader(source, _words(source))
    while reader.at < len(reader.words):
        reader.take()
    if reader.found.walks and reader.found.sums:
        raise BadCondition("+ beside a walk over a list (all, exists) is not known here (make two rules of it)")
    return reader.found


def place(source: str, at: int) -> str:
    """Where in a condition, for a person."""
    line, column = source.count("\n", 0, at) + 1, at - source.rfind("\n", 0, at)
    return f"letter {column}" if "\n" not in source.strip() else f"line {line}, letter {column}"


def _words(source: str) -> list[_Word]:
    found, at = [], 0
    while at < len(source):
        match = _WORD.match(source, at)
        if match is None:
            raise BadCondition(f"{place(source, at)}: {source[at]!r} is not known here")
        if match.lastgroup != "blank":
            found.append(_Word(str(match.lastgroup), match[0], at))
        at = match.end()
    if not 0 < len(found) <= MOST_WORDS:
        raise BadCondition(f"not of 1 to {MOST_WORDS} words")
    return found


class _Reader:
    """Goes over the words once, knowing how deep it is and which names mean items."""

    def __init__(self, source: str, words: list[_Word]) -> None:
        self.source, self.words, self.at = source, words, 0
        self.found = Words()
        self.open: list[str | None] = []
        """For each bracket that is open, the item that is walked over in it."""

    def take(self) -> None:
        word = self.words[self.at]
        if word.kind == "name":
            self._name(word)
        elif word.kind == "sign":
            self._sign(word)
        else:
            self._keep(word.text)

    def _keep(self, text: str, *, steps: int = 1) -> None:
        self.found.made.append(text)
        self.found.places.append(self.words[self.at].at)
        self.found.steps[self._walks()] += steps
        self.at += 1

    def _walks(self) -> int:
        return sum(item is not None for item in self.open)

    def _ahead(self, count: int = 1) -> str:
        at = self.at + count
        return self.words[at].text if at < len(self.words) else ""

    def _sign(self, word: _Word) -> None:
        if word.text in "([":
            self._open(None)
        elif word.text in ")]" and self.open:
            self.open.pop()
        elif word.text == "+":
            self.found.sums += 1
            if self.found.sums > MOST_SUMS:
                raise self._bad(word, f"more than {MOST_SUMS} sums")
        elif word.text == "?":
            self.found.choices += 1
            if self.found.choices > MOST_DEPTH:
                raise self._bad(word, f"more than {MOST_DEPTH} choices")
        self._keep(word.text)

    def _open(self, item: str | None) -> None:
        self.open.append(item)
        if len(self.open) > MOST_DEPTH:
            raise BadCondition(f"nested deeper than {MOST_DEPTH}")

    def _name(self, word: _Word) -> None:
        if self.at and self.words[self.at - 1].text == ".":
            self._method(word)
        elif word.text == "request":
            self._field(word)
        elif word.text in _PLAIN or word.text in self.open or (word.text in _FUNCTIONS and self._ahead() == "("):
            self._keep(word.text)
        else:
            raise self._bad(word, f"{word.text[:40]!r} is not known here (a condition is about request.FIELD)")

    def _field(self, word: _Word) -> None:
        name = self._ahead(2)
        length = 3
        if name == "limits" and self._ahead(3) == ".":
            name, length = f"limits.{self._ahead(4)}", 5
        if self._ahead() != "." or name not in VALUES:
            raise self._bad(word, f"request.{name[:40]} is not known (known: {', '.join(VALUES)})")
        self.found.fields.add(name)
        self.found.steps[self._walks() + (name in LISTS)] += 1
        self._keep(variable(name))
        self.at += length - 1

    def _method(self, word: _Word) -> None:
        if word.text not in _METHODS or self._ahead() != "(":
            raise self._bad(word, f".{word.text[:40]} is not known here (known: {', '.join(sorted(_METHODS))})")
        if word.text in _WALKS:
            self._walk(word)
        elif word.text == "matches":
            self._matches(word)
        else:
            self._keep(word.text)

    def _walk(self, word: _Word) -> None:
        lists = {variable(name) for name in LISTS}
        item, comma = self._ahead(2), self._ahead(3)
        if len(self.found.made) < 2 or self.found.made[-2] not in lists:  # noqa: PLR2004 -- the list and the dot
            raise self._bad(word, f"{word.text} walks over a list of the request ({', '.join(sorted(LISTS))})")
        if not re.fullmatch("[a-z][a-z0-9_]{0,30}", item) or item in {*_PLAIN, "request", *self.open} or comma != ",":
            raise self._bad(word, f"{word.text} wants a new name and a condition (try {word.text}(path, …))")
        if item.startswith("request"):
            raise self._bad(word, "the name of an item does not begin with request")
        self.found.walks += 1
        for text in (word.text, "(", item, ","):
            self._keep(text)
        self._open(item)
        if self._walks() > MOST_WALKS:
            raise self._bad(word, f"more than {MOST_WALKS} walks inside each other")

    def _matches(self, word: _Word) -> None:
        kind = self.words[self.at + 2].kind if self.at + 2 < len(self.words) else ""
        if kind != "text" or self._ahead(3) != ")":
            raise self._bad(word, "matches wants one pattern as a text")
        pattern = self._ahead(2)
        if len(pattern) > _MOST_PATTERN or "{" in pattern or re.search(r"\\[xuU0-7]", pattern):
            raise self._bad(word, f"a pattern has at most {_MOST_PATTERN} letters, no {{n}} and no \\x, \\u or \\0")
        self.found.patterns.append(pattern)
        # A pattern is compiled each time that it is held against a text.
        self._keep(word.text, steps=_PATTERN_STEPS + _PATTERN_LETTER_STEPS * len(pattern)
                   + _PATTERN_CLASS_STEPS * pattern.count("\\"))

    def _bad(self, word: _Word, why: str) -> BadCondition:
        return BadCondition(f"{place(self.source, word.at)}: {why}")
