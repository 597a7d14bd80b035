"""Typed reading of values that know where they stand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import TypeVar

from windtunnel.core.errors import UsageError
from windtunnel.core.limits import Limits, parse_size
from windtunnel.core.policy import LIMIT_NAMES
from windtunnel.policy.tree import Node, shown

_T = TypeVar("_T")
_E = TypeVar("_E", bound=StrEnum)
_MOST_TEXT = 8192
_MOST_NUMBER = 2**53
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_DURATION = re.compile(r"([0-9]{1,9})([smhd])")
_FRACTIONS = frozenset({"wall_seconds", "cpu_seconds", "cores"})


class Table:
    """One table of known keys; reading a key that is not there gives what it is then."""

    def __init__(self, node: Node, name: str, *, known: Iterable[str]) -> None:
        """Refuse what is no table, and any key that is not known."""
        if not isinstance(node.value, dict):
            raise node.refusal(f"{name or 'policy'}: not a table: {shown(node.value)}")
        self.node, self.name, self._items = node, name, node.value
        known = tuple(known)
        for key, (place, _) in self._items.items():
            if key not in known:
                raise place.refusal(f"{self._path(shown(key))}: unknown (known: {', '.join(known)})")

    def _path(self, key: str) -> str:
        return f"{self.name}.{key}" if self.name else key

    def __contains__(self, key: str) -> bool:
        """Whether it is written."""
        return key in self._items

    def read(self, key: str, kind: Callable[[Node, str], _T], default: _T) -> _T:
        """The value of a key by its kind."""
        return kind(self._items[key][1], self._path(key)) if key in self._items else default

    def must(self, key: str, kind: Callable[[Node, str], _T]) -> _T:
        """The value of a key that has to be there."""
        if key not in self._items:
            raise self.node.refusal(f"{self._path(key)}: missing")
        return kind(self._items[key][1], self._path(key))

    def place(self, key: str) -> Node:
        """Where a key's value stands; the table's own place when it is not there."""
        return self._items[key][1] if key in self._items else self.node


def text(node: Node, name: str) -> str:
    """A text of one line or more."""
    if not isinstance(node.value, str) or not 0 < len(node.value) <= _MOST_TEXT:
        raise node.refusal(f"{name}: not a text: {shown(node.value)}")
    return node.value


def line(node: Node, name: str) -> str:
    """A text of one line that a terminal may show."""
    found = text(node, name).strip()
    if not found.isprintable() or not found:
        raise node.refusal(f"{name}: not a text of one line: {shown(found)}")
    return found


def switch(node: Node, name: str) -> bool:
    """True or false."""
    if not isinstance(node.value, bool):
        raise node.refusal(f"{name}: neither true nor false: {shown(node.value)}")
    return node.value


def number(node: Node, name: str) -> float:
    """A number of zero or more."""
    value = node.value
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST_NUMBER:
        raise node.refusal(f"{name}: not a number of 0 or more: {shown(value)}")
    return value


def whole(node: Node, name: str) -> int:
    """A whole number of zero or more."""
    found = number(node, name)
    if not isinstance(found, int):
        raise node.refusal(f"{name}: not a whole number: {shown(node.value)}")
    return found


def seconds(node: Node, name: str) -> float:
    """A time: a number of seconds, or ``90s``, ``30m``, ``24h``, ``7d``."""
    match = _DURATION.fullmatch(node.value) if isinstance(node.value, str) else None
    found = float(match[1]) * _SECONDS[match[2]] if match else None
    if found is None and not isinstance(node.value, str | bool) and isinstance(node.value, int | float):
        found = float(node.value)
    if found is None or not 0 < found <= 1e9:  # noqa: PLR2004 -- thirty years
        raise node.refusal(f"{name}: not a time: {shown(node.value)} (try 90s, 30m, 24h or 7d)")
    return found


def one_of(kind: type[_E]) -> Callable[[Node, str], _E]:
    """One of the words of an enumeration."""
    def read(node: Node, name: str) -> _E:
        if not isinstance(node.value, str) or node.value not in tuple(kind):
            raise node.refusal(f"{name}: not one of {', '.join(kind)}: {shown(node.value)}")
        return kind(node.value)

    return read


def items(node: Node, name: str, *, most: int = 1000) -> Iterator[tuple[Node, str]]:
    """The values of a list, each with its name."""
    if not isinstance(node.value, list) or len(node.value) > most:
        raise node.refusal(f"{name}: not a list of at most {most}: {shown(node.value)}")
    for at, item in enumerate(node.value):
        yield item, f"{name}[{at}]"


def lines(node: Node, name: str) -> tuple[str, ...]:
    """A list of texts of one line."""
    return tuple(line(item, here) for item, here in items(node, name))


def texts(node: Node, name: str) -> tuple[str, ...]:
    """A list of texts, which may be empty."""
    found = []
    for item, here in items(node, name):
        if not isinstance(item.value, str):
            raise item.refusal(f"{here}: not a text: {shown(item.value)}")
        found.append(item.value)
    return tuple(found)


def limits(node: Node, name: str) -> Mapping[str, float]:
    """Some of the fields of ``Limits``, sizes as people write them."""
    table = Table(node, name, known=LIMIT_NAMES)
    return {key: table.must(key, _limit(key)) for key in LIMIT_NAMES if key in table}


def _limit(key: str) -> Callable[[Node, str], float]:
    def read(node: Node, name: str) -> float:
        value = node.value
        if not isinstance(value, str | int | float):
            raise node.refusal(f"{name}: not a number: {shown(value)}")
        try:
            if key.endswith("_bytes") and isinstance(value, str) and value.isascii():
                value = parse_size(value[:32], field=key)
            made: float = getattr(Limits(**{key: value}), key)  # type: ignore[arg-type]  # Limits says if it is one
        except UsageError as error:
            raise node.refusal(f"{name}: {str(error).removeprefix(f'{key}: ')}") from error
        return float(made) if key in _FRACTIONS else made

    return read
