"""Inputs are found for code of many kinds, in a real sandbox."""

from __future__ import annotations

from section_samples import ends, explored, write

MANY = """
from __future__ import annotations

import abc
import csv
import datetime as dt
import enum
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Iterable, Literal, NamedTuple, Protocol, TypedDict, Union

CODES = {"north": 1, "south": 2}


class Color(enum.Enum):
    RED = "r"


class Row(TypedDict):
    name: str
    size: int


class Pair(NamedTuple):
    left: int
    right: str


class Sized(Protocol):
    def size(self) -> int: ...


@dataclass
class Box:
    width: int
    labels: list[str] = field(default_factory=list)


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...

    def doubled(self):
        return [self.area()] * 2


def of_color(color: Color): return color.value
def of_row(row: Row): return row["name"].upper() * row["size"]
def of_pair(pair: Pair): return pair.right * pair.left
def of_protocol(thing: Sized): return thing.size() + 1
def of_box(box: Box): return box.width + len(box.labels)
def of_literal(mode: Literal["fast", "slow"]): return {"fast": 1, "slow": 2}[mode]
def of_union(value: Union[dt.date, None]): return value.year
def of_callable(act: Callable[[int, int], int]): return act(1, 2) + 1
def of_path(path: Path): return path.read_text()
def of_boxes(boxes: Iterable[Box]): return sum(box.width for box in boxes)


def by_body(table, keys):
    return [table[key] for key in keys if key in table]


def by_constant(word):
    return CODES[word]


def by_pattern(text):
    match = re.fullmatch(r"(\\d{4})-W(\\d\\d)", text)
    return int(match.group(1)) * int(match.group(2))


def by_isinstance(value):
    if not isinstance(value, (complex, dt.timedelta)):
        raise TypeError(value)
    return value * 2


def by_name(filename):
    with open(filename) as file:
        return list(csv.reader(file))


def by_element(records):
    return {record["id"]: record["name"] for record in records}


def by_fields(order):
    return order.width * 2


def by_kind(*iterables):
    return [len(list(one)) for one in iterables]


async def by_waiting(gate):
    async with gate:
        return 1
"""


def test_inputs_are_found_for_many_kinds_of_parameters(tunnel, tmp_path):
    found = explored(tunnel, write(tmp_path, {"m.py": MANY}), seconds=0.5)

    assert [name for name, one in found.items() if not one.returned] == []


def test_calls_in_tests_and_docstrings_are_taken(tunnel, tmp_path):
    files = {
        "pkg/__init__.py": "", "pkg/m.py": (
            'def secret(word, level):\n    """Opens.\n\n    >>> secret("open sesame", level=7)\n    True\n    """\n'
            "    if word != 'open' + ' ' + 'sesame' or level != 14 / 2:\n        raise ValueError(word)\n    return True\n\n\n"
            "def other(key):\n    if hash(key) != hash('tested' * 1):\n        raise KeyError(key)\n    return key\n"),
        "tests/test_m.py": "from pkg.m import other\n\ndef test_other():\n    key = 'tested'\n    assert other(key) == key\n"}
    found = explored(tunnel, write(tmp_path, files), calls=1)

    assert [ends(one) for one in found.values()] == [
        [("secret(word='open sesame', level=7)", "returned", "")], [("other(key='tested')", "returned", "")]]


def test_lines_behind_a_constant_are_reached(tunnel, tmp_path):
    source = "def f(n):\n    if n == 4242:\n        return 'deep'\n    if n > 100000:\n        return 'high'\n    return 'low'\n"
    found = explored(tunnel, write(tmp_path, {"m.py": source}), seconds=5.0)

    assert (found["f"].lines_run, found["f"].lines) == (5, 5)
