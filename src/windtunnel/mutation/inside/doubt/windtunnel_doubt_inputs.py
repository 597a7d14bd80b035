"""More inputs for a function, made of those that tests gave it: varied, crossed with each other, near its constants."""

# ruff: noqa: PLR2004 -- shares of a draw, and how deep

from __future__ import annotations

import copy
import datetime as dt
import decimal
import fractions
import random
from typing import Any, Callable, Dict, Iterator, List, Sequence

from windtunnel_doubt_values import TooLarge, canon  # type: ignore[import-not-found]  # lies beside this file when it runs

Arguments = Dict[str, Any]
MOST_LENGTH = 60
MOST_TURNS = 400
MOST_NUMBER = 10**12
YEARS = (1900, 1999, 2000, 2023, 2024, 2100)
"""Of every kind that the calendar has."""
LETTERS = "aZ09 -_.,:;/\n\té"


class Input:
    """One call to make."""

    def __init__(self, target: int, given: Arguments, *, place: str) -> None:
        """``place``: ``o`` as a test gave it, ``n`` one step from one that the change repairs, ``f`` farther away."""
        self.target, self.given, self.place = target, given, place


class Varied:
    """Makes them; the same ones for the same calls."""

    def __init__(self, constants: Sequence[Any], *, seed: int) -> None:
        """``constants`` of the function, before and after the change."""
        self.random = random.Random(seed)
        self.numbers = [value for value in constants if type(value) in (int, float)]
        self.texts = [value for value in constants if isinstance(value, str)]

    def inputs(self, target: int, calls: List[Arguments], repaired: List[Arguments], *, most: int) -> List[Input]:
        """Those of the tests, then near ones of each repaired call, then others."""
        seen: set[str] = set()
        found: List[Input] = []
        for given in calls:
            self._add(found, seen, Input(target, given, place="o"))
        near = repaired or calls
        streams = [self._near(given, calls) for given in near[:12]]
        for made in _turns(streams, most=2 * most):
            if len(found) >= most // 2:
                break
            self._add(found, seen, Input(target, made, place="n" if repaired else "f"))
        for _ in range(4 * most):
            if len(found) >= most:
                break
            self._add(found, seen, Input(target, self._far(calls), place="f"))
        return found

    def _add(self, found: List[Input], seen: set[str], made: Input) -> None:
        try:
            key = canon(made.given)
        except (TooLarge, Exception):
            return
        if key not in seen:
            seen.add(key)
            found.append(made)

    def _near(self, given: Arguments, calls: List[Arguments]) -> Iterator[Arguments]:
        """One argument changed a little, each in turn; again and again."""
        names = [name for name in given if not _fixed(given[name])]
        for turn in range(MOST_TURNS):
            for name in names:
                made = dict(given)
                if turn % 5 == 4 and calls:
                    other = self.random.choice(calls)
                    made[name] = copy.deepcopy(other.get(name, given[name]))
                else:
                    made[name] = self.vary(given[name])
                yield made

    def _far(self, calls: List[Arguments]) -> Arguments:
        made = dict(self.random.choice(calls))
        names = [name for name in made if not _fixed(made[name])]
        for _ in range(self.random.choice((1, 2, 2, 3))):
            if not names:
                break
            name = self.random.choice(names)
            if self.random.random() < 0.3:
                made[name] = copy.deepcopy(self.random.choice(calls).get(name, made[name]))
            else:
                made[name] = self.vary(made[name])
        return made

    # --- one value ---

    def vary(self, value: Any, depth: int = 0) -> Any:
        """Another one of the same kind."""
        act = self._act(value)
        try:
            return act(value, depth)
        except Exception:
            return value

    def _act(self, value: Any) -> Callable[[Any, int], Any]:
        table = (
            (bool, lambda value, _: not value), (int, self._whole), (float, self._float), (str, self._text),
            (bytes, lambda value, _: self._text(value.decode("latin-1"), 0).encode("latin-1", "replace")),
            (list, self._list), (tuple, self._tuple), (dict, self._dict), ((set, frozenset), self._set),
            (dt.timedelta, lambda value, _: value + self.random.choice((1, -1)) * dt.timedelta(
                seconds=self.random.choice((1, 60, 3600, 86400, 30)))),
            (dt.date, self._day),
            ((decimal.Decimal, fractions.Fraction), lambda value, _: type(value)(self.random.choice((
                value + 1, value - 1, -value, value * 2, value / 2, value + type(value)("0.01"), 0)))))
        return next((act for kind, act in table if isinstance(value, kind)), self._thing)

    def _whole(self, value: int, _: int) -> int:
        near = [value + 1, value - 1, value + 2, value - 2, 0, 1, -1, -value, value * 2, value // 2, value + 10,
                value * 10, self.random.randint(-10, 30), value + self.random.randint(-5, 5)]
        near += [int(one) + step for one in self.numbers if abs(one) < MOST_NUMBER for step in (-1, 0, 1)]
        return _bounded(self.random.choice(near))

    def _float(self, value: float, _: int) -> float:
        near = [value + 1, value - 1, value + 0.5, value - 0.01, 0.0, 1.0, -value, value * 2, value / 2, value * 1.1,
                round(value, 1), float(self.random.randint(-5, 20)), self.random.uniform(-1, 10)]
        near += [float(one) + step for one in self.numbers if abs(one) < MOST_NUMBER for step in (-0.5, 0, 0.5)]
        return self.random.choice(near)

    def _text(self, value: str, _: int) -> str:
        """Mostly a letter or two of its own kind exchanged: what is read as something else fails at once."""
        act = self.random.random()
        made = self._spelled(value) if act < 0.55 else self._cut(value) if act < 0.85 else self._odd(value)
        return self.random.choice(made)[:400]

    def _spelled(self, value: str) -> List[str]:
        at, letter = self._at(value), self.random.choice(value or LETTERS)
        there = value[at : at + 1]
        before, after = value[:at], value[at + 1 :]
        made = [before + self._like(there) + after, before + letter + after, before + letter + value[at:],
                before + after, before + there * 2 + after]
        twice = self._at(value)
        return [*made, made[0][:twice] + self._like(made[0][twice : twice + 1]) + made[0][twice + 1 :]]

    def _cut(self, value: str) -> List[str]:
        at, end = sorted((self._at(value), self._at(value)))
        return [value[1:], value[:-1], value + value[-1:], value[::-1], value * 2, value[at:end], value[end:],
                value[: len(value) // 2], value[end:] + value[:end], value[:at] + value[end:], value[:end] + value[at:]]

    def _odd(self, value: str) -> List[str]:
        at, letter = self._at(value), self.random.choice(LETTERS)
        return [value.upper(), value.lower(), value.swapcase(), "", " " + value, value + " ", value + letter,
                letter + value, value[:at] + letter + value[at:], value + self._piece(), self._piece() + value,
                value[:at] + self._piece() + value[at:], value.replace(letter, ""), value.title()]

    def _like(self, letter: str) -> str:
        if letter.isdigit():
            return self.random.choice("0123456789")
        if letter.isalpha():
            return self.random.choice("abcde" if letter.islower() else "ABXYZ")
        return self.random.choice(" -_.,:;/")

    def _piece(self) -> str:
        return self.random.choice(self.texts)[:40] if self.texts else self.random.choice(LETTERS)

    def _at(self, value: Any) -> int:
        return self.random.randint(0, max(0, len(value) - 1))

    def _list(self, value: List[Any], depth: int) -> List[Any]:
        at = self._at(value)
        if depth < 3 and len(value) > 0 and self.random.random() < 0.85 and _is_table(value):
            return self._table(value, depth)
        made = [
            [], value[:at] + value[at + 1 :], value[::-1], value + value[at : at + 1], value[:1], value[1:], value[:-1],
            value[at : at + 1] + value, value + value, self._shuffled(value)]
        if value and depth < 4:
            made += [self._with(value, at, depth) for _ in range(6)]
            made += [[*value, self.vary(value[at], depth + 1)], [self.vary(value[at], depth + 1), *value],
                     [self.vary(item, depth + 1) for item in value]]
            made += [[*value[:at], self.vary(value[at], depth + 1), *value[at:]] for _ in range(2)]
        return list(self.random.choice(made))[:MOST_LENGTH]

    def _table(self, value: List[Any], depth: int) -> List[Any]:
        """Rows of one length stay so: a column goes, comes twice, or one cell is another."""
        row, column = self._at(value), self._at(value[0])
        act = self.random.random()
        if act < 0.2:
            return [*value[:row], *value[row + 1 :]] or list(value)
        if act < 0.35:
            return [*value, value[row]]
        if act < 0.5 and len(value[0]) > 1:
            return [[*line[:column], *line[column + 1 :]] for line in value]
        if act < 0.65:
            return [[*line[:column], line[column], *line[column:]] for line in value]
        return [self._with(line, column, depth + 1) if at == row else line for at, line in enumerate(value)]

    def _shuffled(self, value: List[Any]) -> List[Any]:
        made = list(value)
        self.random.shuffle(made)
        return made

    def _with(self, value: List[Any], at: int, depth: int) -> List[Any]:
        made = list(value)
        made[at] = self.vary(made[at], depth + 1)
        return made

    def _tuple(self, value: Any, depth: int) -> Any:
        """Inside something else a tuple is mostly a record, and keeps its length."""
        if hasattr(value, "_replace"):
            name = self.random.choice(value._fields)
            return value._replace(**{name: self.vary(getattr(value, name), depth + 1)})
        kinds = {type(item) for item in value}
        if value and (depth or len(kinds) > 1) and self.random.random() < 0.9:
            return tuple(self._with(list(value), self._at(value), depth))
        return tuple(self._list(list(value), depth))

    def _dict(self, value: Dict[Any, Any], depth: int) -> Dict[Any, Any]:
        made = copy.copy(value)  # it may be of a kind of its own
        choice = self.random.random()
        if not made:
            return made
        key = self.random.choice(list(made))
        if choice < 0.5:
            made[key] = self.vary(made[key], depth + 1)
        elif choice < 0.65:
            del made[key]
        elif choice < 0.85:
            made[self.vary(key, depth + 1)] = copy.deepcopy(made[key])
        elif choice < 0.92:
            for name in list(made)[::-1][1:]:
                made[name] = made.pop(name)
        else:
            for name in list(made):
                made[name] = self.vary(made[name], depth + 1)
        return made

    def _set(self, value: Any, depth: int) -> Any:
        return type(value)(self._list(sorted(value, key=repr), depth))

    def _day(self, value: Any, _: int) -> Any:
        days = self.random.choice((1, -1, 7, 28, 30, 31, 365, 366, -30, -365, 1461))
        more = value + dt.timedelta(days=days)
        turned = [more, value.replace(day=1), value.replace(month=12, day=31), value.replace(month=2, day=28),
                  value.replace(year=self.random.choice(YEARS), day=min(value.day, 28))]
        if isinstance(value, dt.datetime):
            turned += [value + dt.timedelta(seconds=self.random.choice((1, -1, 60, 3600, -3600))),
                       value.replace(hour=0, minute=0, second=0), value.replace(hour=23, minute=59)]
        return self.random.choice(turned)

    def _thing(self, value: Any, depth: int) -> Any:
        """An object of the project with one attribute changed."""
        state = getattr(value, "__dict__", None)
        names = [name for name, part in (state or {}).items() if not _fixed(part)]
        if not names or depth > 2 or isinstance(value, type) or (callable(value) and hasattr(value, "__qualname__")):
            return value
        made = copy.deepcopy(value)
        name = self.random.choice(names)
        object.__setattr__(made, name, self.vary(made.__dict__[name], depth + 1))
        return made


def _fixed(value: Any) -> bool:
    """Whether there is nothing about it to vary."""
    return value is None or isinstance(value, type) or (callable(value) and hasattr(value, "__qualname__"))


def _is_table(value: List[Any]) -> bool:
    return bool(value[0]) and all(isinstance(line, list) and len(line) == len(value[0]) for line in value)


def _bounded(value: int) -> int:
    return value if abs(value) < MOST_NUMBER else 0


def _turns(streams: List[Iterator[Arguments]], *, most: int) -> Iterator[Arguments]:
    """From each in turn."""
    streams = list(streams)
    while streams and most > 0:
        for stream in list(streams):
            made = next(stream, None)
            if made is None:
                streams.remove(stream)
                continue
            most -= 1
            yield made
