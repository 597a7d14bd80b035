"""Tables of names that grew: a row more in ``{404: 'Not Found'}`` is no special case of the test that asks for it.

A row counts where its table had others of the same form before: a whole number or a word that stands for a name, which
is a text of words. Tables of numbers are left out: answers that should be worked out are kept in such.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

LEAST_ROWS = 2
"""Rows that a table must have had."""
_MOST_TEXT = 400_000
_TABLE = re.compile(r"\{[^{}]{0,20000}\}")
_ROW = re.compile(
    r"(?P<key>-?\d{1,5}|[A-Za-z_]\w{0,40}|'[A-Za-z_][\w -]{0,40}'|\"[A-Za-z_][\w -]{0,40}\")\s{0,9}:\s{0,40}"
    r"(?P<quote>['\"])[A-Za-z][A-Za-z ,.'-]{1,79}(?P=quote)")


def grown(pairs: Iterable[tuple[str, str]]) -> Callable[[object], bool]:
    """Whether a value is the key of a row that such a table got; the pairs are files without the change and with it."""
    found: set[str] = set()
    for old, new in pairs:
        if max(len(old), len(new)) <= _MOST_TEXT:
            found |= _added(old, new)
    return lambda value: not isinstance(value, bool) and str(value) in found


def _added(old: str, new: str) -> set[str]:
    before = [_rows(table[0]) for table in _TABLE.finditer(old)]
    keys: set[str] = set()
    for table in _TABLE.finditer(new):
        rows = _rows(table[0])
        if any(len(known) >= LEAST_ROWS and known.items() <= rows.items() for known in before):
            keys |= rows.keys() - set().union(*(known for known in before if known.items() <= rows.items()))
    return keys


def _rows(table: str) -> dict[str, str]:
    return {found["key"].strip("'\""): found[0] for found in _ROW.finditer(table)}
