"""Where a value goes in a script: the names that it is given to, and the decisions that rest on it.

Follows declarations, assignments, what functions return and what they are given, by name and within one file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from windtunnel.tamper.script import Script
from windtunnel.tamper.script_functions import NOWHERE, Function, functions_of, owners_of

MOST_ROUNDS = 6
"""Names that a value is handed on through."""
MOST_PLACES = 300
"""Places of one value that are looked at."""
MOST_CHAIN = 24
"""Tokens after a value in which its own methods are looked for."""
MOST_STATEMENT = 160
"""Tokens of one statement that are read."""
_OPEN, _CLOSE = ("(", "[", "{"), (")", "]", "}")
_COMPARING = frozenset(("===", "==", "!==", "!=", "<", ">", "<=", ">=", "&&", "||", "?", "??", "!", "instanceof", "in"))
_BEFORE_OBJECT = frozenset(("(", ",", "=", ":", "[", "return", "const", "let", "var", "?", "&&", "||", "??"))
_CONTINUING = frozenset(
    (".", "?", ":", "+", "-", "*", "/", "%", "&&", "||", "??", "===", "==", "!==", "!=", "<", ">", "<=", ">=", "=>")
)
"""Signs that a line may start or end with without ending a statement"""
_CALLING = frozenset(("then", "forEach", "map", "flatMap", "filter", "some", "every", "find", "reduce"))
_ASKING = frozenset(
    {
        *(
            "test",
            "includes",
            "match",
            "matchAll",
            "startsWith",
            "endsWith",
            "indexOf",
            "search",
            "exec",
            "has",
            "some",
        ),
        *("find", "findLast", "findIndex", "filter", "every", "at", "lastIndexOf"),
    }
)


@dataclass(frozen=True, slots=True)
class Decision:
    """A place where something is decided by a value."""

    index: int
    """Where the value is."""
    start: int
    end: int
    """The statement, or the condition with its bracket."""


def _is_block(script: Script, brace: int) -> bool:
    """Whether a brace holds statements, as far as what stands before it tells."""
    return script.text(brace - 1) not in _BEFORE_OBJECT


def _ends_before(script: Script, index: int) -> bool:
    """Whether a statement ends before a token though no sign says so."""
    before, here = script.text(index - 1), script.text(index)
    if not script.words[index].fresh or here in _CONTINUING or before in _CONTINUING:
        return False
    return before not in (*_OPEN, ",", "=", "=>", "return")


def statement(script: Script, index: int) -> tuple[int, int]:
    """The statement around a token, to where it ends or its block starts."""
    start = index
    while start > 0 and index - start < MOST_STATEMENT:
        mark = script.text(start - 1)
        block = mark == "{" and _is_block(script, start - 1)
        if mark == ";" or block or _ends_before(script, start):
            break
        if mark == "}" and script.text(start) not in (*_CONTINUING, "=", ",", *_CLOSE, "of"):
            break
        start = script.starts.get(start - 1, start - 1) if mark in _CLOSE else start - 1
    end = index
    while end < min(len(script.words), index + MOST_STATEMENT):
        mark = script.text(end)
        block = mark == "}" and _is_block(script, script.starts.get(end, end))
        if mark == ";" or block or (mark == "{" and script.text(end - 1) in (")", "else")):
            break
        if end > index and _ends_before(script, end):
            break
        end = script.closing(end) + 1 if mark in _OPEN else end + 1
    return start, min(end, len(script.words), index + 2 * MOST_STATEMENT)


class Flow:
    """What becomes of values that start at some tokens."""

    def __init__(self, script: Script, sources: Iterable[int]) -> None:
        """Follow them as far as names go."""
        self.script = script
        self.places = set(list(sources)[:MOST_PLACES])
        self.names: set[str] = set()
        self.owners = owners_of(script) if self.places else ()
        self.functions: dict[str, list[Function]] = {}
        if self.places:
            for each in functions_of(script):
                self.functions.setdefault(each.name, []).append(each)
            self._follow()

    def _follow(self) -> None:
        done = set[int]()
        for _ in range(MOST_ROUNDS):
            before = len(self.names)
            waiting, done = self.places - done, done | self.places
            for index in waiting:
                self.names |= set(self._given(index))
            handed = [
                index
                for index, word in enumerate(self.script.words)
                if word.kind == "name" and word.text in self.names and not self._declares(index)
            ]
            self.places |= set(handed[:MOST_PLACES])
            if len(self.names) == before:
                break

    def _declares(self, index: int) -> bool:
        return self.script.text(index - 1) in ("const", "let", "var", "function")

    def _given(self, index: int) -> Iterator[str]:
        """Names that get the value at an index."""
        script = self.script
        start, end = statement(script, index)
        for place in range(start, index):
            if script.text(place) == "=" and script.text(place - 1) not in ("", ")") and not self._past(place, index):
                target = place - 1
                if script.text(target) in ("}", "]"):
                    yield from self._pattern(target)
                else:
                    yield script.text(target)
        if script.text(index - 1) in ("{", ",") and script.text(index + 1) in (",", "}", ":"):
            brace = next((at for at in range(index, max(-1, index - 20), -1) if script.text(at) == "{"), index)
            if script.text(script.closing(brace) + 1) == "=":
                yield script.text(index + 2) if script.text(index + 1) == ":" else script.text(index)
        owner = self.owners[index]
        if owner is not NOWHERE and owner.name and self._returned(owner, start, index):
            yield owner.name
        yield from self._handed(index, end)
        yield from self._called_back(index, end)

    def _called_back(self, index: int, end: int) -> Iterator[str]:
        """Parameters of functions that a value's own method calls, and what a loop calls its entries."""
        script = self.script
        for place in range(index, min(end, index + MOST_CHAIN)):
            if script.text(place) in _CALLING and script.text(place - 1) == "." and script.text(place + 1) == "(":
                stop = script.closing(place + 1)
                inner = next((each for each in functions_of(script) if place < each.start < stop), None)
                yield from inner.parameters[:1] if inner is not None else ()
                break
        start = statement(script, index)[0]
        for place in range(start, index):
            if script.text(place) == "of" and script.text(start) in ("for", "const", "let", "var"):
                several = script.text(place - 1) in ("}", "]")
                yield from self._pattern(place - 1) if several else (script.text(place - 1),)

    def _past(self, place: int, index: int) -> bool:
        """Whether another function starts between a sign and a value, so that what it gets is the function."""
        inner = self.owners[index]
        return inner is not NOWHERE and place < inner.start and not inner.name

    def _pattern(self, end: int) -> Iterator[str]:
        start = max(self.script.starts.get(end, end), end - MOST_STATEMENT)
        yield from (self.script.text(at) for at in range(start, end) if self.script.words[at].kind == "name")

    def _returned(self, owner: Function, start: int, index: int) -> bool:
        arrow = self.script.text(owner.start) != "{"
        return arrow or any(self.script.text(at) == "return" for at in range(max(start, owner.start), index))

    def _handed(self, index: int, end: int) -> Iterator[str]:
        """Parameters of functions of this file that are called with the value."""
        script = self.script
        for place in range(max(0, index - 12), index):
            if script.text(place) == "(" and index < script.closing(place) <= end + 1:
                called = script.text(place - 1)
                for each in self.functions.get(called, ()):
                    if each.parameters:
                        at = sum(script.text(mark) == "," for mark in range(place, index))
                        yield each.parameters[min(at, len(each.parameters) - 1)]

    def decisions(self) -> Iterator[Decision]:
        """Where something is decided by the value, or asked of it."""
        script = self.script
        for index in sorted(self.places):
            start, end = statement(script, index)
            marks = {script.text(at) for at in range(start, end)}
            if marks & (_COMPARING | _ASKING | {"if", "while", "switch"}):
                yield Decision(index, start, end)
