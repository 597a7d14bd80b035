"""What data files say: rows of tables, pairs of JSON objects, whole texts; of tests and of products alike."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from functools import lru_cache

MOST_BYTES = 200_000
"""A larger file is no table of a few answers."""
MOST_ROWS = 2000
MOST_CELLS = 40
_NUMBER = re.compile(r"^-?\d+(\.\d+)?$")
_DIGITS = re.compile(r"-?\d+(?:\.\d+)?")
_TABLES = (".csv", ".tsv")
_TEXTS = (".txt", ".out", ".expected", ".golden", ".html", ".md", ".xml", ".rst", ".approved")


class Whole(frozenset[str]):
    """All that a file of the tests says, with and without its last line end."""

    __slots__ = ()


def _forms(value: object) -> list[str]:
    """A value as code would write it: as a text, and as the number that a text holds."""
    if isinstance(value, str) and _NUMBER.match(value):
        number = float(value) if "." in value else int(value[:MOST_CELLS])
        return [repr(value), repr(number)]
    return [repr(value)]


def _text(data: bytes) -> str | None:
    if len(data) > MOST_BYTES:
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _objects(value: object) -> Iterator[dict[str, object] | list[object]]:
    waiting = [value]
    for each in waiting:
        if isinstance(each, dict | list):
            yield each
            waiting += (list(each.values()) if isinstance(each, dict) else each)[: MOST_ROWS - len(waiting)]


def _rows(path: str, text: str) -> list[list[str]]:
    try:
        return list(csv.reader(io.StringIO(text), delimiter="\t" if path.endswith(".tsv") else ","))[:MOST_ROWS]
    except csv.Error:
        return []


@lru_cache(maxsize=1024)
def stored_units(path: str, data: bytes) -> tuple[frozenset[str], ...]:
    """What stands together in a data file of the tests."""
    text = _text(data)
    if text is None:
        return ()
    if path.endswith(_TABLES):
        return tuple(
            frozenset(form for cell in row[:MOST_CELLS] for form in (*_forms(cell), *_forms(cell.strip())))
            for row in _rows(path, text)
        )
    if path.endswith(".json"):
        return tuple(_of_object(each) for each in _objects(_json(text)))
    return (Whole({repr(text), repr(text.rstrip("\n"))}),) if path.endswith(_TEXTS) else ()


def _of_object(value: dict[str, object] | list[object]) -> frozenset[str]:
    parts = [*value, *value.values()] if isinstance(value, dict) else value
    return frozenset(form for each in parts[:MOST_CELLS] for form in _forms(each))


def stored_pairs(path: str, data: bytes) -> list[tuple[str, str]]:
    """Keys and what is kept under them, in a data file of the product, as canonical texts."""
    text = _text(data)
    if text is None:
        return []
    if path.endswith(_TABLES):
        return [(repr(row[0]), repr(row[-1])) for row in _rows(path, text) if len(row) > 1]
    if not path.endswith(".json"):
        return []
    return [
        (repr(key), repr(each))
        for value in _objects(_json(text))
        if isinstance(value, dict)
        for key, each in value.items()
        if not isinstance(each, dict)
    ]


def stored_rows(path: str, data: bytes) -> list[frozenset[str]]:
    """The numbers of each row of a table, or of each entry of a JSON object, however they are written down."""
    text = _text(data)
    if text is None or not path.endswith((*_TABLES, ".json", ".txt", ".dat")):
        return []
    if path.endswith(".json"):
        found = [f"{key} {each}" for value in _objects(_json(text)) if isinstance(value, dict)
                 for key, each in value.items()]  # fmt: skip
    else:
        found = text.splitlines()
    return [frozenset(_DIGITS.findall(row)) for row in found[:MOST_ROWS]]


def stored_lines(path: str, data: bytes) -> frozenset[str]:
    """The lines of a text that a test keeps, as canonical texts."""
    text = _text(data) if path.endswith(_TEXTS) else None
    return frozenset(repr(line) for line in (text or "").splitlines())


def stored_text(data: bytes) -> str | None:
    """A whole file as the canonical text of what it says."""
    text = _text(data)
    return None if text is None else repr(text)
