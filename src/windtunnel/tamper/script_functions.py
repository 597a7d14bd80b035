"""The functions of a script: where their bodies are, what they are called and what they are given."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from windtunnel.tamper.script import Script

MOST_BODY = 200
"""Tokens of an arrow's body without braces that are read."""
_NO_NAMES = frozenset(("if", "for", "while", "switch", "catch", "return", "with"))


@dataclass(frozen=True, slots=True)
class Function:
    """One function."""

    start: int
    """Where its body starts: the brace, or the expression of an arrow."""
    end: int
    name: str = ""
    parameters: tuple[str, ...] = ()

    def holds(self, index: int) -> bool:
        """Whether a token stands in its body."""
        return self.start <= index <= self.end


NOWHERE = Function(0, 0)
"""What a token stands in that stands in no function."""


@lru_cache(maxsize=32)
def functions_of(script: Script) -> tuple[Function, ...]:
    """Every function, in the order in which their bodies start."""
    return tuple(sorted(_functions(script), key=lambda each: each.start))


@lru_cache(maxsize=32)
def owners_of(script: Script) -> tuple[Function, ...]:
    """For each token, the innermost function that it stands in."""
    starts = {each.start: each for each in functions_of(script)}
    found, stack = list[Function](), list[Function]()
    for index in range(len(script.words)):
        while stack and stack[-1].end < index:
            stack.pop()
        if index in starts:
            stack.append(starts[index])
        found.append(stack[-1] if stack else NOWHERE)
    return tuple(found)


def _functions(script: Script) -> Iterator[Function]:
    for index, word in enumerate(script.words):
        if word.kind != "mark":
            continue
        if word.text == "(":
            end = script.closing(index)
            after, called = script.text(end + 1), script.text(index - 1)
            start = end + 2 if after == "=>" else end + 1
            if after == "=>" or (after == "{" and called not in _NO_NAMES):
                yield Function(start, _body_end(script, start), _named(script, index), _parameters(script, index))
        elif word.text == "=>" and script.text(index - 1) != ")":
            given = (script.text(index - 1),)
            yield Function(index + 1, _body_end(script, index + 1), _named(script, index - 1), given)


def _body_end(script: Script, start: int) -> int:
    """Where a body ends: its brace, or the statement that it is part of."""
    if script.text(start) == "{":
        return script.closing(start)
    index = start
    while index < min(len(script.words), start + MOST_BODY) and script.text(index) not in (";", ")", "]", "}"):
        index = script.closing(index) + 1 if script.text(index) in ("(", "[", "{") else index + 1
    return index


def _named(script: Script, place: int) -> str:
    """The name of the function whose parameters start here."""
    before = place - 1
    if script.text(before) == "async":
        before -= 1
    if script.text(before) == "function":
        before -= 1
    if script.text(before) in ("=", ":"):
        return script.text(before - 1)
    return "" if script.text(before) in ("(", ",", "return", "=>") else script.text(before)


def _parameters(script: Script, place: int) -> tuple[str, ...]:
    found, each, end = list[str](), place + 1, script.closing(place)
    while each < end:
        if script.text(each - 1) in ("(", ",") and script.words[each].kind == "name":
            found.append(script.text(each))
        each = script.closing(each) + 1 if script.text(each) in ("(", "[", "{") else each + 1
    return tuple(found)
