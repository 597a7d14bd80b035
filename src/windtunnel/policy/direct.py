"""Plain conditions as functions of Python, which answer many times faster than the engine of conditions.

Taken over is only what has one meaning and cannot fail: comparisons of a field with a value of its own kind, ``in``,
``size``, ``startsWith``, ``endsWith``, ``contains``, one walk over a list, and ``&& || !`` between them. All else stays
with the engine, as does a request whose values are not of the usual kinds (``Unsure``). What holds: where there is an
answer here, it is the engine's own.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from windtunnel.core.policy import Request
from windtunnel.policy.facts import LISTS, VALUES, variable

Test: TypeAlias = Callable[[Request, Any], Any]
"""Takes the request, and the item of the walk that it stands in: outside of walks, none. Gives true or false."""
_Part: TypeAlias = Test
_DOUBLES = frozenset({"limits.wall_seconds", "limits.cpu_seconds", "limits.cores"})
_MOST_WHOLE = 2**63
_MOST_WORDS = 120
"""Longer ones would be functions inside functions beyond what the stack bears."""
_COMPARED: Mapping[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_METHODS: Mapping[str, Callable[[Any, Any], Any]] = {
    "startsWith": str.startswith, "endsWith": str.endswith, "contains": operator.contains}
_WALKS = ("all", "exists", "exists_one")


class Unsure(Exception):
    """This request is for the engine of conditions."""


class _Other(Exception):
    """This condition is for the engine of conditions."""


class _Typed(NamedTuple):
    """One part with the kind of what it gives: ``bool``, ``text``, ``whole``, ``double`` or ``texts``."""

    kind: str
    part: _Part
    value: Any = None
    """What it always is; none where that depends."""
    get: Callable[[Request], Any] | None = None
    """The same as ``part`` where no item matters and nothing need be made sure of."""


def direct(words: Sequence[str]) -> Test | None:
    """The condition of these compiled words as a function; none where it is the engine's."""
    if len(words) > _MOST_WORDS:
        return None
    try:
        reader = _Reader(words)
        part = _wanted(reader.choice(), "bool")
        reader.end()
    except _Other:
        return None
    return part


def _wanted(typed: _Typed, kind: str) -> _Part:
    if typed.kind != kind:
        raise _Other
    return typed.part


class _Reader:
    """Reads the words by the usual order: choices of conjunctions of comparisons."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words, self.at, self.item = words, 0, ""

    def end(self) -> None:
        if self.at < len(self.words):
            raise _Other

    def next(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    def take(self, word: str = "") -> str:
        found = self.next()
        if not found or (word and found != word):
            raise _Other
        self.at += 1
        return found

    def taken(self, word: str) -> bool:
        there = self.next() == word
        self.at += there
        return there

    def choice(self) -> _Typed:
        made = self.both()
        while self.taken("||"):
            made = _either(_wanted(made, "bool"), _wanted(self.both(), "bool"))
        return made

    def both(self) -> _Typed:
        made = self.comparison()
        while self.taken("&&"):
            made = _both(_wanted(made, "bool"), _wanted(self.comparison(), "bool"))
        return made

    def comparison(self) -> _Typed:
        made, sign = self.single(), self.next()
        if sign in _COMPARED:
            self.take()
            made = _compared(made, self.single(), sign)
        elif sign == "in":
            self.take()
            made = _member(made, self.single())
        if self.next() in _COMPARED or self.next() == "in":
            raise _Other
        return made

    def single(self) -> _Typed:
        if self.taken("!"):
            inner = _wanted(self.single(), "bool")
            return _Typed("bool", lambda request, item: not inner(request, item))
        made = self.primary()
        while self.taken("."):
            made = self.method(made)
        return made

    def primary(self) -> _Typed:
        word = self.take()
        if word == "(":
            made = self.choice()
            self.take(")")
            return made
        if word == "size":
            self.take("(")
            made = _size(self.choice())
            self.take(")")
            return made
        if word == "[":
            return self.listed()
        if self.item and word == self.item:
            return _Typed("text", lambda _, item: item)
        return _field(word) or _literal(word)

    def listed(self) -> _Typed:
        values: list[Any] = []
        while not self.taken("]"):
            if values:
                self.take(",")
            typed = _literal(self.take())
            _wanted(typed, "text")
            values.append(typed.value)
        return _Typed("texts", lambda _, __: values, values)

    def method(self, on: _Typed) -> _Typed:
        name = self.take()
        self.take("(")
        if name in _WALKS:
            made = self.walk(name, _wanted(on, "texts"))
        elif name == "size":
            made = _size(on)
        elif name in _METHODS:
            made = _method(_wanted(on, "text"), self.choice(), _METHODS[name])
        else:
            raise _Other
        self.take(")")
        return made

    def walk(self, name: str, over: _Part) -> _Typed:
        if self.item:
            raise _Other
        self.item = self.take()
        self.take(",")
        body = _wanted(self.choice(), "bool")
        self.item = ""
        return _Typed("bool", _WALK[name](over, body))


def _field(word: str) -> _Typed | None:
    name = _FIELDS.get(word)
    if name is None:
        return None
    get = VALUES[name]
    if name in _DOUBLES:
        return _Typed("double", lambda request, _: _sure(get(request), float))
    if name.startswith(("limits.", "change_")):
        return _Typed("whole", lambda request, _: _sure(get(request), int))
    return _Typed("texts" if name in LISTS else "text", lambda request, _: get(request), get=get)


def _sure(value: object, kind: type) -> object:
    if type(value) is not kind or (kind is int and not 0 <= value < _MOST_WHOLE):  # type: ignore[operator]  # an int then
        raise Unsure
    return value


_FIELDS = {variable(name): name for name in VALUES}


def _literal(word: str) -> _Typed:
    if word in ("true", "false"):
        return _Typed("bool", lambda _, __: word == "true")
    if len(word) > 1 and word[0] in "\"'" and "\\" not in word:
        return _always("text", word[1:-1])
    if re.fullmatch("[0-9]{1,18}", word):
        return _always("whole", int(word))
    if re.fullmatch(r"[0-9]{1,15}\.[0-9]{1,9}", word):
        return _always("double", float(word))
    raise _Other


def _always(kind: str, value: object) -> _Typed:
    return _Typed(kind, lambda _, __: value, value)


def _either(one: _Part, other: _Part) -> _Typed:
    return _Typed("bool", lambda request, item: one(request, item) or other(request, item))


def _both(one: _Part, other: _Part) -> _Typed:
    return _Typed("bool", lambda request, item: one(request, item) and other(request, item))


def _compared(one: _Typed, other: _Typed, sign: str) -> _Typed:
    if one.kind != other.kind or one.kind not in ("text", "whole", "double"):
        raise _Other
    if one.kind == "text" and sign not in ("==", "!="):
        raise _Other
    compare, left, right, value, get = _COMPARED[sign], one.part, other.part, other.value, one.get
    if value is not None and get is not None:
        return _Typed("bool", lambda request, _: compare(get(request), value))
    if value is not None:
        return _Typed("bool", lambda request, item: compare(left(request, item), value))
    return _Typed("bool", lambda request, item: compare(left(request, item), right(request, item)))


def _member(one: _Typed, among: _Typed) -> _Typed:
    text, texts, value, get = _wanted(one, "text"), _wanted(among, "texts"), one.value, among.get
    if value is not None and get is not None:
        return _Typed("bool", lambda request, _: value in get(request))
    return _Typed("bool", lambda request, item: text(request, item) in texts(request, item))


def _method(on: _Part, given: _Typed, act: Callable[[Any, Any], Any]) -> _Typed:
    _wanted(given, "text")
    if given.value is None:
        raise _Other
    value = given.value
    return _Typed("bool", lambda request, item: act(on(request, item), value))


def _size(of: _Typed) -> _Typed:
    texts = _wanted(of, "texts")
    return _Typed("whole", lambda request, item: len(texts(request, item)))


def _all(over: _Part, body: _Part) -> _Part:
    def walk(request: Request, _: object) -> bool:
        for item in over(request, None):  # noqa: SIM110 -- a generator costs more than the walk
            if not body(request, item):
                return False
        return True

    return walk


def _exists(over: _Part, body: _Part) -> _Part:
    def walk(request: Request, _: object) -> bool:
        for item in over(request, None):  # noqa: SIM110 -- a generator costs more than the walk
            if body(request, item):
                return True
        return False

    return walk


def _exists_one(over: _Part, body: _Part) -> _Part:
    return lambda request, _: sum(1 for item in over(request, None) if body(request, item)) == 1


_WALK: Mapping[str, Callable[[_Part, _Part], _Part]] = {"all": _all, "exists": _exists, "exists_one": _exists_one}
