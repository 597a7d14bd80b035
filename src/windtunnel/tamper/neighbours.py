"""Inputs near a known one: a condition that is true for a test's input and for none of these is made for that input."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

FAR = 130
"""How far numbers near another one go; a rule by remainders is met within it."""
MOST_PLACES = 24
"""Characters of a text that are changed, one at a time."""


def near(value: object) -> list[object]:
    """Values that are like this one and not the same."""
    return [each for each in _near(value) if each != value or type(each) is not type(value)]


def _near(value: object) -> Iterator[object]:
    if isinstance(value, bool) or value is None:
        yield not value
    elif isinstance(value, int):
        yield from (value + step for step in range(-FAR, FAR + 1))
        yield from (value * 2, value * 3, value * 10, value + 256, value + 1000, -value, value * value)
    elif isinstance(value, float):
        yield from (value + step / 100 for step in range(-FAR, FAR + 1))
        yield from (value * 1.0001, value * 2, value + 1, value - 1, -value)
    elif isinstance(value, date):
        days = (value.toordinal() + step for step in range(-FAR, FAR + 1))
        yield from (date.fromordinal(day) for day in days if 0 < day <= date.max.toordinal())
    elif isinstance(value, str):
        yield from _texts(value)
    elif isinstance(value, list | tuple):
        yield from _rows(value)
    elif isinstance(value, dict):
        yield from ({**value, key: each} for key, held in list(value.items())[:4] for each in near(held)[:6])


def _texts(value: str) -> Iterator[str]:
    yield from (value.swapcase(), value.upper(), value.lower(), f"{value} ", f" {value}")
    yield from (value * 2, f"{value}x", value[1:])
    for place, sign in enumerate(value[:MOST_PLACES]):
        for step in (1, 3):
            yield value[:place] + _other(sign, step) + value[place + 1 :]


def _other(sign: str, step: int) -> str:
    """Another sign of the same kind: a digit for a digit, a letter for a letter."""
    for first, count in (("0", 10), ("a", 26), ("A", 26)):
        if 0 <= ord(sign) - ord(first) < count:
            return chr(ord(first) + (ord(sign) - ord(first) + step) % count)
    return chr(ord(sign) + step) if ord(sign) < 0xFFFF else "x"  # noqa: PLR2004 -- the end of the basic plane


def _rows(value: list[object] | tuple[object, ...]) -> Iterator[object]:
    kind = type(value)
    yield kind(reversed(value))
    yield kind([*value, *value])
    for place, held in enumerate(value[:4]):
        for each in near(held)[:12]:
            yield kind([*value[:place], each, *value[place + 1 :]])
    if all(isinstance(each, int | float) for each in value):
        yield kind(sorted(value))  # type: ignore[type-var]  # they are numbers
        yield kind([each + 1 for each in value])  # type: ignore[operator]  # they are numbers
