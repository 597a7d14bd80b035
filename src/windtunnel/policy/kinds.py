"""What kind of value each part of a condition is, and whether the parts fit together.

What holds: a comparison of a field with a value of another kind, which would never be true, is refused when the policy
is read, and so is a condition that is neither true nor false. Kinds are texts, numbers, booleans and lists of one of
them; where a part may be of several, nothing is said about it. Whole numbers and fractions are one kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from windtunnel.policy.facts import LISTS, VALUES, variable
from windtunnel.policy.words import BadCondition, place

_ANY, _BOOL, _TEXT, _NUMBER, _LIST = "", "true or false", "a text", "a number", "a list of "
_EMPTY = _LIST + _ANY
_ORDER = ("<", "<=", ">", ">=")
_RELATIONS = ("==", "!=", *_ORDER, "in")
_WALKS = ("all", "exists", "exists_one")
_OF_TEXT = ("startsWith", "endsWith", "contains", "matches")


def _kind(name: str) -> str:
    if name in LISTS:
        return _LIST + _TEXT
    return _NUMBER if name.startswith(("limits.", "change_")) else _TEXT


_FIELDS = {variable(name): _kind(name) for name in VALUES}


def check_kinds(source: str, words: Sequence[str], places: Sequence[int]) -> None:
    """Refuse what does not fit, with its place in the source; the words are those of a condition that compiles."""
    reader = _Reader(source, words, places)
    found = reader.choice()
    if reader.at < len(words):
        reader.refuse(reader.at, f"{words[reader.at][:40]} is not known in this place")
    if found not in (_ANY, _BOOL):
        reader.refuse(0, f"it gives {_told(found)}, not true or false")


class _Reader:
    """Goes over the words by the usual order, from the loosest binding to the tightest."""

    def __init__(self, source: str, words: Sequence[str], places: Sequence[int]) -> None:
        self.source, self.words, self.places, self.at = source, words, places, 0
        self.items: dict[str, str] = {}

    def refuse(self, at: int, why: str) -> NoReturn:
        raise BadCondition(f"{place(self.source, self.places[at])}: {why}")

    def next(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    def taken(self, *words: str) -> str:
        found = self.next()
        if found not in words:
            return ""
        self.at += 1
        return found

    def need(self, word: str) -> None:
        if not self.taken(word):
            self.refuse(min(self.at, len(self.words) - 1), f"here {word} is wanted")

    def want(self, kind: str, found: str, *, at: int, where: str) -> None:
        """Refuse another kind than is wanted there."""
        if not _fits(kind, found):
            self.refuse(at, f"{where} wants {_told(kind)}, and this is {_told(found)}")

    def choice(self) -> str:
        at = self.at
        found = self.joined(("||", "&&"))
        if not self.taken("?"):
            return found
        self.want(_BOOL, found, at=at, where="?")
        one = self.choice()
        self.need(":")
        at, other = self.at, self.choice()
        self.want(one, other, at=at, where=":")
        return one or other

    def joined(self, signs: Sequence[str]) -> str:
        """Parts between ``||``, each of parts between ``&&``."""
        if not signs:
            return self.relation()
        at, sign = self.at, signs[0]
        found = self.joined(signs[1:])
        while self.next() == sign:
            self.want(_BOOL, found, at=at, where=sign)
            self.taken(sign)
            at = self.at
            found = self.joined(signs[1:])
            self.want(_BOOL, found, at=at, where=sign)
            found = _BOOL
        return found

    def relation(self) -> str:
        found = self.sum()
        while sign := self.taken(*_RELATIONS):
            self.compared(sign, found, self.at - 1)
            found = _BOOL
        return found

    def compared(self, sign: str, one: str, at: int) -> None:
        other = self.sum()
        if sign == "in":
            if other and not other.startswith(_LIST):
                self.refuse(at, f"in wants a list on its right, and this is {_told(other)}")
            if not _fits(one, other.removeprefix(_LIST)):
                self.refuse(at, f"in looks for {_told(one)} in {_told(other)}, where none can be")
        elif not _fits(one, other):
            never = "of which none comes first" if sign in _ORDER else "which are never the same"
            self.refuse(at, f"{sign} compares {_told(one)} with {_told(other)}, {never}")
        elif sign in _ORDER and (one.startswith(_LIST) or other.startswith(_LIST)):
            self.refuse(at, f"{sign} wants numbers or texts, and this is {_told(one)}")

    def sum(self) -> str:
        found = self.product()
        while sign := self.taken("+", "-"):
            at = self.at - 1
            other = self.product()
            kinds = {found, other} - {_ANY}
            if sign == "-" or _BOOL in kinds:
                self.numbers(found, other, at)
            elif not _fits(found, other):
                self.refuse(at, f"+ puts {_told(found)} and {_told(other)} together")
            found = _NUMBER if sign == "-" else found if found == other else _ANY
        return found

    def product(self) -> str:
        found = self.single()
        while self.taken("*", "/", "%"):
            at = self.at - 1
            self.numbers(found, self.single(), at)
            found = _NUMBER
        return found

    def numbers(self, one: str, other: str, at: int) -> None:
        for found in (one, other):
            self.want(_NUMBER, found, at=at, where=self.words[at])

    def single(self) -> str:
        kind = ""
        while sign := self.taken("!", "-"):  # one kind of sign at a time: !-1 and -!true are never anything
            wanted = _BOOL if sign == "!" else _NUMBER
            if kind not in ("", wanted):
                self.refuse(self.at - 1, f"{sign} gives {_told(wanted)}, and {_told(kind)} is wanted")
            kind = wanted
        at, found = self.at, self.member()
        self.want(kind, found, at=at, where="!" if kind == _BOOL else "-")
        return kind or found

    def member(self) -> str:
        found = self.primary()
        while sign := self.taken(".", "["):
            found = self.method(found) if sign == "." else self.index(found)
        return found

    def index(self, of: str) -> str:
        at = self.at
        self.want(_NUMBER, self.choice(), at=at, where="[")
        self.need("]")
        if of and not of.startswith(_LIST):
            self.refuse(at - 1, f"[ wants a list before it, and this is {_told(of)}")
        return of.removeprefix(_LIST)

    def method(self, of: str) -> str:
        at, name = self.at, self.next()
        self.at += 1
        self.need("(")
        if name in _WALKS:
            return self.walk(name, of)
        if name == "size":
            self.sized(of, at)
            self.need(")")
            return _NUMBER
        if name not in _OF_TEXT:
            self.refuse(at, f".{name[:40]} is not known here")
        self.want(_TEXT, of, at=at, where=f".{name}")
        inside = self.at
        self.want(_TEXT, self.choice(), at=inside, where=name)
        self.need(")")
        return _BOOL

    def walk(self, name: str, of: str) -> str:
        item = self.next()
        self.at += 1
        self.need(",")
        self.items[item] = of.removeprefix(_LIST)
        at = self.at
        self.want(_BOOL, self.choice(), at=at, where=name)
        del self.items[item]
        self.need(")")
        return _BOOL

    def sized(self, of: str, at: int) -> None:
        if of in (_BOOL, _NUMBER):
            self.refuse(at, f"size wants a list or a text, and this is {_told(of)}")

    def primary(self) -> str:
        at, word = self.at, self.next()
        self.at += 1
        if word == "(":
            found = self.choice()
            self.need(")")
            return found
        if word == "[":
            return self.listed()
        if word in self.items and self.next() != "(":
            return self.items[word]
        if word in ("size", "int", "double"):
            return self.function(word, at)
        found = _FIELDS.get(word) or _literal(word)
        if not found:
            self.refuse(min(at, len(self.words) - 1), f"{word[:40]!r} is not known in this place")
        return found

    def function(self, name: str, at: int) -> str:
        self.need("(")
        of = self.choice()
        self.need(")")
        if name == "size":
            self.sized(of, at)
        elif of == _BOOL or of.startswith(_LIST):
            self.refuse(at, f"{name} wants a number or a text, and this is {_told(of)}")
        return _NUMBER

    def listed(self) -> str:
        kind = _ANY
        while not self.taken("]"):
            at = self.at
            found = self.choice()
            if not _fits(kind, found):
                self.refuse(at, f"{_told(found)} in {_told(_LIST + kind)}")
            kind = kind or found
            if self.next() != "]":
                self.need(",")
        return _LIST + kind


def _literal(word: str) -> str:
    if word in ("true", "false"):
        return _BOOL
    return _NUMBER if word[:1].isdigit() else _TEXT if word[-1:] in ("'", '"') else ""


def _fits(one: str, other: str) -> bool:
    """Whether values of both kinds can be the same; of what is not known, yes."""
    if one.startswith(_LIST) and other.startswith(_LIST):
        return _fits(one.removeprefix(_LIST), other.removeprefix(_LIST))
    return _ANY in (one, other) or one == other


def _told(kind: str) -> str:
    if kind == _EMPTY:
        return "a list"
    if kind.startswith(_LIST):
        inner = {_TEXT: "texts", _NUMBER: "numbers", _BOOL: "true and false"}.get(kind.removeprefix(_LIST), "lists")
        return f"a list of {inner}"
    return kind or "anything"
