"""A short word for a value: the same for equal values in any process, and none where that cannot be promised."""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import re
import types
from typing import Any, Callable, Dict, List

MOST_PARTS, MOST_DEPTH, MOST_LETTERS = 5000, 12, 200_000
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{4,}\b")
_DIGITS = 24


class Untold(Exception):
    """Nothing can be promised of it."""


def digest(value: Any) -> str:
    """Empty where two processes would not agree, or equal values not."""
    try:
        text = _Teller().tell(value, 0)
    except BaseException:
        return ""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


class _Teller:
    def __init__(self) -> None:
        self.parts = self.letters = 0

    def tell(self, value: Any, depth: int) -> str:
        self.parts += 1
        if self.parts > MOST_PARTS or depth > MOST_DEPTH:
            raise Untold
        kind = type(value)
        plain = _PLAIN.get(kind)
        if plain is not None:
            return self._bounded(kind.__name__ + plain(value))
        if kind in (list, tuple):
            return kind.__name__ + "(" + self._all(list(value), depth) + ")"
        if kind in (set, frozenset):
            return "set(" + ",".join(sorted(self.tell(one, depth + 1) for one in value)) + ")"
        if isinstance(value, dict):
            pairs = [self.tell(key, depth + 1) + ":" + self.tell(one, depth + 1) for key, one in value.items()]
            return _name(kind) + "{" + ",".join(sorted(pairs)) + "}"
        return self._object(value, depth)

    def _bounded(self, text: str) -> str:
        self.letters += len(text)
        if self.letters > MOST_LETTERS:
            raise Untold
        return text

    def _all(self, values: List[Any], depth: int) -> str:
        return ",".join(self.tell(value, depth + 1) for value in values)

    def _object(self, value: Any, depth: int) -> str:
        kind = type(value)
        if isinstance(value, enum.Enum):
            return _name(kind) + "." + str(value.name)
        if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType)):
            return _name(value)
        if isinstance(value, BaseException):
            return _name(kind) + "(" + self._all(list(value.args), depth) + ")"
        if dataclasses.is_dataclass(value):
            names = [field.name for field in dataclasses.fields(value)]
            return _name(kind) + "(" + self._all([getattr(value, name, None) for name in names], depth) + ")"
        if isinstance(value, (list, tuple, set, frozenset)):
            return _name(kind) + "(" + self._all(list(value), depth) + ")"
        return self._by_word(value, depth)

    def _by_word(self, value: Any, depth: int) -> str:
        """What it says of itself, where that is more than where it lies; else what it holds."""
        kind: Any = type(value)
        if kind.__repr__ is not object.__repr__:
            text = repr(value)
            if not _ADDRESS.search(text):
                return self._bounded(_name(kind) + text)
        held: Dict[str, Any] = getattr(value, "__dict__", {})
        slots = [name for one in kind.__mro__ for name in getattr(one, "__slots__", ()) if isinstance(name, str)]
        if not held and not slots:
            raise Untold
        pairs = sorted({**{name: getattr(value, name, None) for name in slots if name[:2] != "__"}, **held}.items())
        return _name(kind) + "<" + ",".join(name + "=" + self.tell(one, depth + 1) for name, one in pairs) + ">"


def _name(thing: Any) -> str:
    return str(getattr(thing, "__module__", "")) + "." + str(getattr(thing, "__qualname__", ""))


_PLAIN: Dict[type, Callable[[Any], str]] = {
    type(None): repr, bool: repr, int: repr, float: repr, complex: repr, str: repr, bytes: repr, bytearray: repr,
    range: repr, slice: repr, type(...): repr, type(NotImplemented): repr}
