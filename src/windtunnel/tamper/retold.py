"""Tests told again with other inputs: what each copy changes, and the inputs that are like another one.

A change that is worth something answers other inputs too. So each test that it makes pass is copied, in the file that
it stands in, with one of its inputs changed and the answer that it wants left alone. Nobody knows the right answer to
the copy; what can be seen is whether the change makes any difference to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from windtunnel.tamper.probing import Probe

MOST_COPIES = 160
"""Copies of the tests of one file."""
MOST_OTHERS = 14
"""Other values that one input is changed to."""
MOST_SPOTS = 8
"""Inputs of one test that are changed, one after the other."""
MOST_TEXT = 400
"""Characters of an input that is changed."""
MARK = "retold_"
"""What the names of copies end with, before their number."""
MOST_WORDS = 5
"""Words of other tests that take the place of one."""
_LONGEST_WORD = 20
_PLACES = 4
_LARGE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """One copy of a test."""

    number: int
    frame: int
    """The test, the row of its table and the claim that is left in it: copies of one frame differ in one input."""
    test: str
    """The name or title of the test."""
    line: int
    spot: int = -1
    """Which of the inputs of the frame is changed."""
    before: object = None
    """The input that is changed; None in the copy that changes nothing."""
    after: object = None
    places: int = 1
    """At how many places the input stands in the test, the answer among them; it is changed at all of them."""
    echoed: bool = False
    """Whether the input is also part of the answer."""
    wanted: tuple[object, ...] = ()
    """The literals of the answer."""
    whole: bool = False
    """Whether nothing of the test was left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retold:
    """A file of tests with the copies in it."""

    path: str
    data: bytes
    copies: tuple[Copy, ...]
    probes: tuple[Probe, ...] = ()
    """Copies that tell what their functions are called with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A piece of a text, and what to put there."""

    start: int
    end: int
    text: str


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made; of two that overlap the first stands."""
    parts, place = list[str](), 0
    for each in sorted(edits, key=lambda edit: (edit.start, -edit.end)):
        if each.start >= place:
            parts += [text[place : each.start], each.text]
            place = each.end
    return "".join((*parts, text[place:]))


def others(value: object, words: Sequence[str] = ()) -> list[object]:
    """Values that are like this one and not the same; first of all some of ``words``, which the tests use too."""
    known = [each for each in words if isinstance(value, str) and _is_word(value) and _is_word(each)]
    found = [each for each in (*known[:MOST_WORDS], *_others(value)) if each != value]
    return list(dict.fromkeys(found))[:MOST_OTHERS]


def _is_word(text: str) -> bool:
    return text.isalnum() and len(text) <= _LONGEST_WORD


def _others(value: object) -> Iterator[object]:
    if isinstance(value, int) and not isinstance(value, bool):
        yield from (value + 1, value - 1, value + 2, value + 10, value * 2, value + 3, value - 2, value + 7)
        yield from (value + 100, value - 100, value + 1000) if abs(value) > _LARGE else (value * 10, value + 23)
    elif isinstance(value, float):
        yield from (round(value + step, 6) for step in (1, -1, 0.5, 10, 0.25, 2, 7, 0.01))
        yield round(value * 2, 6)
    elif isinstance(value, str):
        yield from _texts(value)
    elif isinstance(value, bytes):
        yield from (each.encode("latin-1", "replace") for each in _texts(value.decode("latin-1")))


def _texts(value: str) -> Iterator[str]:
    places = [place for place, sign in enumerate(value) if sign.isalnum()]
    step = max(1, len(places) // _PLACES)
    for place in (*places[::step][:_PLACES], *places[-1:]):
        yield value[:place] + _other(value[place], 1) + value[place + 1 :]
    yield "".join(_other(sign, 2) for sign in value)
    if value:
        yield value + _other(value[-1], 3)
        yield _other(value[0], 3) + value
    yield from _own_signs(value, places)
    yield value + value


def _own_signs(value: str, places: list[int]) -> Iterator[str]:
    """Texts of the signs of this one, which whoever reads such texts knows."""
    if len(value) > 1:
        yield value[:-1]
        yield value[1:]
    for first, second in list(pairwise(places))[:: max(1, len(places) // 3)]:
        signs = list(value)
        signs[first], signs[second] = signs[second], signs[first]
        yield "".join(signs)
        yield value[:first] + value[second] + value[first + 1 :]


def _other(sign: str, step: int) -> str:
    """Another sign of the same kind; what is neither a letter nor a digit stays."""
    for first, count in (("0", 10), ("a", 26), ("A", 26)):
        if 0 <= ord(sign) - ord(first) < count:
            return chr(ord(first) + (ord(sign) - ord(first) + step) % count)
    return sign
