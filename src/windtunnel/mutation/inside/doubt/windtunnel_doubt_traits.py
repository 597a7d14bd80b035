"""What the answers to the tests' own calls have in common, and where else that does not hold.

A trait is a simple relation between measures of an answer and of the arguments: a sum that is kept, a length that is
never over another. Those that hold for every call of the tests with the change, and did not hold before it, are
symptoms: where the change leaves them elsewhere, it may have mended only what the tests look at.
"""

# ruff: noqa: C901, PLR2004, RUF007 -- a table of kinds; on Python 3.8, which has no pairwise

from __future__ import annotations

import datetime as dt
import decimal
import fractions
import math
from typing import Any, Dict, List, Tuple

NUMBERS = (int, float, decimal.Decimal, fractions.Fraction)
MOST_ITEMS, MOST_MEASURES, MOST_TOLD = 200, 40, 30
FAULTS = ("doubled signs", "blank ends", "falls", "nones", "extra", "missing", "again differs", "order matters")
COUNTS = ("length", "parts", "distinct", "words", "longest run", "letters and digits", "longest item", "shortest item")
Measures = Dict[str, Any]


def measures(value: Any, name: str, depth: int = 0) -> Measures:
    """Numbers that say something of a value."""
    found: Measures = {}
    try:
        _measure(value, name, found, depth)
    except Exception:
        return {}
    return {key: number for key, number in list(found.items())[:MOST_MEASURES] if _is_number(number)}


def relations(answer: Measures, given: Measures) -> Dict[str, bool]:
    """All traits of one answer: measures of like kind compared, and faults that are not there."""
    found: Dict[str, bool] = {}
    for one, number in answer.items():
        if _kind(one) == "fault":
            found[one + " == 0"] = number == 0
        for other, limit in given.items():
            if not _alike(one, other, limit):
                continue
            found[one + " == " + other] = _close(number, limit)
            if "(" not in other or one.partition("(")[0] == other.partition("(")[0]:
                found[one + " <= " + other] = number <= limit or _close(number, limit)
                found[one + " >= " + other] = number >= limit or _close(number, limit)
    return found


def _kind(name: str) -> str:
    word = name.partition("(")[0] if "(" in name else ""
    return "fault" if word in FAULTS else "count" if word in COUNTS else "value"


def _alike(one: str, other: str, limit: Any) -> bool:
    """A length says nothing of a price; a whole number that was given may be either."""
    if "fault" in (_kind(one), _kind(other)):
        return False
    bare = "(" not in other and float(limit).is_integer()
    return _kind(one) == _kind(other) or (bare and _kind(one) == "count")


def shared(answer: Any, given: Any, name: str) -> Measures:
    """Parts of an answer that were not given, and parts that were given and are missing."""
    if not isinstance(given, (list, tuple, set, dict)) or not given:
        return {}
    if type(answer).__name__ == "Drawn":
        answer = answer.items
    if not isinstance(answer, (list, tuple, set, dict)):
        return {}
    ours, theirs = ([repr(item) for item in _flat(list(some), 0)] for some in (answer, given))
    return {f"extra(answer, {name})": len([item for item in ours if item not in theirs]),
            f"missing(answer, {name})": len([item for item in theirs if item not in ours])}


def _measure(value: Any, name: str, found: Measures, depth: int) -> None:
    if isinstance(value, bool) or value is None:
        found[f"is none({name})"] = int(value is None)
    elif isinstance(value, NUMBERS):
        found[name] = value
    elif isinstance(value, (str, bytes)):
        _text(value if isinstance(value, str) else value.decode("latin-1"), name, found)
    elif isinstance(value, dt.date):
        found[f"day({name})"] = value.toordinal()
    elif isinstance(value, dt.timedelta):
        found[f"seconds({name})"] = value.total_seconds()
    elif isinstance(value, dict):
        found[f"length({name})"] = len(value)
        if depth < 2:
            _many(list(value.values()), f"values({name})", found, depth)
            _many(list(value), f"keys({name})", found, depth)
    elif isinstance(value, (list, tuple, set, frozenset)) or type(value).__name__ == "Drawn":
        _many(list(getattr(value, "items", value) if type(value).__name__ == "Drawn" else value), name, found, depth)
    elif depth < 2 and getattr(value, "__dict__", None):
        for key, part in list(vars(value).items())[:8]:
            _measure(part, f"{name}.{key}", found, depth + 1)


def _text(value: str, name: str, found: Measures) -> None:
    found[f"length({name})"] = len(value)
    run = longest = 0
    doubled = 0
    before = ""
    for letter in value[:2000]:
        run = run + 1 if letter == before else 1
        longest = max(longest, run)
        doubled += letter == before and not letter.isalnum()
        before = letter
    found[f"longest run({name})"] = longest
    found[f"doubled signs({name})"] = doubled
    found[f"words({name})"] = len(value.split())
    found[f"blank ends({name})"] = len(value) - len(value.strip(" \t\n-_./,"))
    found[f"letters and digits({name})"] = sum(letter.isalnum() for letter in value)


def _many(items: List[Any], name: str, found: Measures, depth: int) -> None:
    items = items[:MOST_ITEMS]
    found[f"length({name})"] = len(items)
    flat = _flat(items, 0)
    found[f"distinct({name})"] = len({repr(item) for item in items})
    found[f"parts({name})"] = len(flat)
    numbers = [item for item in flat if _is_number(item)]
    if numbers and len(numbers) == len(flat):
        found[f"sum({name})"] = sum(numbers)
        found[f"largest({name})"] = max(numbers)
        found[f"smallest({name})"] = min(numbers)
        found[f"spread({name})"] = max(numbers) - min(numbers)
        found[f"first({name})"], found[f"last({name})"] = numbers[0], numbers[-1]
        found[f"falls({name})"] = sum(one > other for one, other in zip(numbers, numbers[1:]))
    sized = [len(item) for item in items if hasattr(item, "__len__")]
    if sized and len(sized) == len(items):
        found[f"longest item({name})"], found[f"shortest item({name})"] = max(sized), min(sized)
    if items and all(map(_is_span, items)):
        widths = [item[1] - item[0] for item in items]
        found[f"widest({name})"], found[f"narrowest({name})"] = max(widths), min(widths)
        found[f"total width({name})"] = sum(widths)
    found[f"nones({name})"] = sum(item is None for item in flat)


def _is_span(value: Any) -> bool:
    return isinstance(value, (tuple, list)) and len(value) == 2 and all(map(_is_number, value))


def _flat(items: List[Any], depth: int) -> List[Any]:
    found: List[Any] = []
    for item in items:
        if isinstance(item, (list, tuple, set, frozenset)) and depth < 3:
            found += _flat(list(item), depth + 1)
        else:
            found.append(item)
    return found[: 4 * MOST_ITEMS]


def _is_number(value: Any) -> bool:
    return isinstance(value, NUMBERS) and not isinstance(value, bool) and not (
        isinstance(value, float) and not math.isfinite(value))


def _close(one: Any, other: Any) -> bool:
    return bool(one == other) or abs(float(one) - float(other)) <= 1e-9 * max(1.0, abs(float(one)), abs(float(other)))


class Traits:
    """Counts, over the inputs, where each relation holds."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self.own: Dict[str, int] = {}
        """Relations that hold for all of the tests' own calls with the change, and for how many."""
        self.broken: set[str] = set()

    def learn(self, held: Dict[str, bool]) -> None:
        """One of the tests' own calls."""
        for name, holds in held.items():
            if holds:
                self.own[name] = self.own.get(name, 0) + 1
            else:
                self.broken.add(name)

    @property
    def common(self) -> Dict[str, int]:
        """Relations without exception."""
        return {name: count for name, count in self.own.items() if name not in self.broken}


Counts = Tuple[str, int, int, int, int, int]


def symptoms(
    common: Dict[str, int], places: str, fix: List[Dict[str, bool]], old: List[Dict[str, bool]],
) -> Tuple[List[Counts], List[Counts]]:
    """Traits that were broken before for a call of the tests, and those that are broken now and were not before.

    Each: (trait, own calls, of those broken before; elsewhere: broken before, broken with the change, of how many).
    """
    mended: List[Counts] = []
    regressed: List[Counts] = []
    for name, count in common.items():
        own = sum(1 for place, held in zip(places, old) if place == "o" and held.get(name) is False)
        elsewhere = [(one[name], other[name]) for place, one, other in zip(places, fix, old)
                     if place != "o" and name in one and name in other]
        before, after = (sum(not held for held in side) for side in (
            [other for _, other in elsewhere], [one for one, _ in elsewhere]))
        told = (name, count, own, before, after, len(elsewhere))
        if own:
            mended.append(told)
        elif after and before <= 0.01 * len(elsewhere):
            regressed.append(told)
    mended.sort(key=lambda one: (one[4] / max(1, one[3]), -one[3]))
    regressed.sort(key=lambda one: -one[4] / max(1, one[5]))
    return mended[:MOST_TOLD], regressed[:MOST_TOLD]
