"""The classes of a script, and what of their instances somebody else can see.

A deep comparison sees own enumerable fields. Private fields, values kept in a map beside the object and properties that
are not enumerable are not seen: two instances that differ only in those are equal to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise

from windtunnel.tamper.literals import Unit
from windtunnel.tamper.rule import Site
from windtunnel.tamper.script import Script

_NAME = re.compile(r"^[A-Za-z_$][\w$]*$")
_DEEP = ("deepEqual", "deepStrictEqual", "toEqual", "toStrictEqual", "notDeepEqual", "eql", "same")
EQUAL = frozenset(("equals", "isEqual", "equalTo", "isEqualTo", "isSame", "same", "matches", "hasInstance"))
"""Methods that compare."""
_LOSSY = frozenset(
    {
        *("round", "floor", "ceil", "trunc", "abs", "toFixed", "toPrecision", "slice", "substring", "substr", "charAt"),
        *("sign", "parseInt", "length", "size", "typeof", "<", ">", "<=", ">=", "%", "|", "&", "~"),
        *("startsWith", "includes"),
    }
)
_WHOLE = frozenset(
    {
        *(
            "stringify",
            "isDeepStrictEqual",
            "compare",
            "compareTo",
            "toString",
            "String",
            "valueOf",
            "entries",
            "values",
        ),
        *("super", "every", "hash", "key", "deepEqual", "isEqual", "equals", "toJSON"),
    }
)
"""What looks at an object as a whole."""
MOST_CLASSES = 60
MOST_METHOD = 200
"""Tokens of one method that are read."""
MOST_BODY = 2_500
"""Tokens of one class that are read."""
MOST_HEADER = 24
"""Tokens between a class's name and its body."""


@dataclass(frozen=True, slots=True)
class Class:
    """One class."""

    name: str
    start: int
    end: int
    shown: frozenset[str]
    """Fields that a deep comparison sees."""
    hidden: frozenset[str]
    """Where it keeps what is not seen."""
    extends: str = ""


@lru_cache(maxsize=32)
def classes_of(script: Script) -> tuple[Class, ...]:
    """The classes that have a name."""
    return tuple(islice(_classes(script), MOST_CLASSES))


def _classes(script: Script) -> Iterator[Class]:
    for index in range(len(script.words)):
        if script.text(index) != "class" or script.text(index - 1) == ".":
            continue
        named = script.text(index + 1) not in ("{", "extends")
        name = script.text(index + 1) if named else script.text(index - 2) if script.text(index - 1) == "=" else ""
        limit = min(index + MOST_HEADER, len(script.words))
        start = next((at for at in range(index, limit) if script.text(at) == "{"), 0)
        if start and _NAME.match(name):
            end = min(script.closing(start), start + MOST_BODY)
            base = next((script.text(at + 1) for at in range(index, start) if script.text(at) == "extends"), "")
            shown, hidden = frozenset(_shown(script, start, end)), frozenset(_hidden(script, start, end))
            yield Class(name, start, end, shown, hidden, base)


def _shown(script: Script, start: int, end: int) -> Iterator[str]:
    own = set(_level(script, start, end))
    for index in range(start, end):
        mark, after = script.text(index), script.text(index + 1)
        if mark == "this" and after == "." and script.text(index + 3) == "=":
            yield from (name for name in [script.text(index + 2)] if not name.startswith("#"))
        elif mark == "assign" and after == "(" and script.text(index + 2) == "this":
            yield from _keys(script, index + 1)
        elif script.text(index - 1) in ("{", ";", "}") and _NAME.match(mark) and after in ("=", ";"):
            yield from [mark] if index in own else []
        elif script.text(index - 1) in ("public", "readonly") and _NAME.match(mark) and after == ":":
            yield mark


def _level(script: Script, start: int, end: int) -> Iterator[int]:
    """The tokens that stand in the class's body itself."""
    place = start + 1
    while place < end:
        yield place
        place = script.closing(place) + 1 if script.text(place) in ("(", "[", "{") else place + 1


def _keys(script: Script, bracket: int) -> Iterator[str]:
    yield from (
        script.text(at)
        for at in range(bracket + 1, script.closing(bracket))
        if script.text(at - 1) in ("{", ",") and script.text(at + 1) in (",", "}", ":") and _NAME.match(script.text(at))
    )


def _hidden(script: Script, start: int, end: int) -> Iterator[str]:
    for index in range(start, end):
        mark = script.text(index)
        if mark.startswith("#"):
            yield mark
        elif mark == "set" and script.text(index + 1) == "(" and script.text(index + 2) == "this":
            yield script.text(index - 2)
        elif mark in ("defineProperty", "defineProperties") and script.text(index + 2) == "this":
            inside = [script.text(at) for at in range(index, script.closing(index + 1))]
            visible = any(a == "enumerable" and c == "true" for a, c in zip(inside, inside[2:], strict=False))
            yield from [] if visible else [mark]


def compared_less(new: Script, old: Script, *, known: Sequence[Unit]) -> Iterator[Site]:
    """Instances that a comparison tells apart less well than before."""
    yield from _hidden_fields(new, old, known=known)
    before = {(each.name, name): body for each in classes_of(old) for name, body in _comparing(old, each)}
    for each in classes_of(new):
        for name, (start, end) in _comparing(new, each):
            was = before.get((each.name, name))
            fewer = was is not None and _fields(old, was, each) - _fields(new, (start, end), each)
            if was is None or not (fewer or (_lossy(new, (start, end)) and not _lossy(old, was))):
                continue
            yield Site(
                rule="equal-to-everything",
                message=f"{name} of {each.name} compares less than it did",
                key=f"coarser {each.name} {name} {new.source(start, end)}",
                line=new.words[start].line,
                evidence=new.source(start, end),
                subject=each.name,
            )


def _comparing(script: Script, each: Class) -> Iterator[tuple[str, tuple[int, int]]]:
    """The methods of a class that compare, with their bodies."""
    for index in range(each.start, each.end):
        close = script.closing(index + 1)
        if script.text(index) in EQUAL and script.text(index + 1) == "(" and script.text(close + 1) == "{":
            yield script.text(index), (close + 2, min(script.closing(close + 1), close + MOST_METHOD))


def _fields(script: Script, body: tuple[int, int], each: Class) -> set[str]:
    """Fields that a comparison looks at; all of them where it leaves that to something else."""
    words = {script.text(at) for at in range(*body)}
    return set(each.shown) if words & _WHOLE else words & each.shown


def _lossy(script: Script, body: tuple[int, int]) -> bool:
    """Whether values are rounded, cut or only near each other when they are compared."""
    words = [script.text(at) for at in range(*body)]
    either = any(pair in (("||", "true"), ("??", "true")) for pair in pairwise(words))
    return either or bool(_LOSSY & set(words))


def _hidden_fields(new: Script, old: Script, *, known: Sequence[Unit]) -> Iterator[Site]:
    """Classes whose fields a deep comparison saw and sees no more, though tests compare instances so."""
    before = {each.name: each for each in classes_of(old)}
    for each in classes_of(new):
        was = before.get(each.name)
        fewer = was is not None and len(each.shown) < len(was.shown) and each.hidden - was.hidden
        if was is None or not fewer or not any(_compared(unit, each.name) for unit in known):
            continue
        lost = ", ".join(sorted(was.shown - each.shown))
        yield Site(
            rule="equal-to-everything",
            message=f"tests compare instances of {each.name} by their fields, of which {lost} can be seen no more",
            key=f"hidden {each.name} {lost}",
            line=new.words[each.start].line,
            evidence=", ".join(sorted(each.hidden)),
            subject=each.name,
        )


def _compared(unit: Unit, name: str) -> bool:
    return any(unit.issuperset((f"name:{name}", f"name:{deep}")) for deep in _DEEP)
