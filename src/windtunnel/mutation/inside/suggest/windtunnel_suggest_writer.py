"""Values written down as text that makes an equal value again.

What holds: a text is given only where evaluating it makes an equal value, or for code the same code. What does not
hold: an object whose class says that two of it are equal when they are not is taken by its word; the suggestion that
comes of it is tried before anybody sees it.
"""

from __future__ import annotations

import ast
import dataclasses
import datetime as dt
import enum
import io
import math
import os
import re
import sys
import tempfile
import types
from typing import Any, Callable, Dict, List, Set, Tuple

from windtunnel_suggest_lambdas import lambda_text  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_suggest_names import Names  # type: ignore[import-not-found]  # the same

MOST_TEXT, MOST_DEPTH, MOST_ITEMS, MOST_LETTERS = 240, 5, 30, 120
ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{5,}\b")
EMPTY: List[Any] = [[], (), "", "ä", b"", range(0), {}, set()]
ITERATORS = tuple({type(iter(some)) for some in EMPTY})
OWNERS = (str, bytes, list, dict, tuple)
"""Whose methods can be written down."""
MADE = (zip, map, filter, enumerate)


class Unwritable(Exception):
    """It cannot be written down; says of what kind it is."""


class Writer:
    """Writes in the words of one test file."""

    def __init__(self, names: Names) -> None:
        """``made`` gives, by the identity of an object, how it was made, where that was seen."""
        self.names = names
        self.made: Dict[int, Tuple[Any, str]] = {}
        self.refused: Set[str] = set()
        self.forms: List[Tuple[type, Callable[[Any, int], str]]] = [
            (list, lambda value, depth: "[" + self._items(value, depth) + "]"), (tuple, self._tuple), (set, self._set),
            (frozenset, self._frozen), (dict, self._dict), (str, self._letters), (bytes, self._letters),
            (bytearray, self._letters), (float, self._float), (range, lambda value, depth: repr(value)),
            (slice, lambda value, depth: "slice(" + self._items((value.start, value.stop, value.step), depth) + ")")]

    def text(self, value: Any) -> str:
        """Nothing where it cannot be written down; what stood in the way is noted."""
        try:
            found = self._text(value, MOST_DEPTH)
        except Unwritable as refused:
            self.refused.add(str(refused)[:60])
            return ""
        except Exception:
            self.refused.add(type(value).__name__[:60])
            return ""
        places = [place for place in (tempfile.gettempdir(), os.getcwd()) if place != os.sep]
        if len(found) > MOST_TEXT or ADDRESS.search(found) or any(place in found for place in places):
            self.refused.add("a long " + type(value).__name__[:50])
            return ""
        return found

    def _text(self, value: Any, depth: int) -> str:
        kind = type(value)
        if depth < 0:
            raise Unwritable("deep " + kind.__name__)
        if value is None or kind in (bool, int, complex):
            return repr(value)
        if value is Ellipsis:
            return "..."
        form = next((form for known, form in self.forms if kind is known), None)
        if form is not None:
            return form(value, depth - 1)
        return self._object(value, depth - 1)

    def _object(self, value: Any, depth: int) -> str:
        if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType)):
            return self._named(value)
        for form in (self._enum, self._dataclass, self._named_tuple, self._iterator, self._stream, self._by_repr):
            found = form(value, depth)
            if found:
                return found
        made = self.made.get(id(value))
        if made is not None and made[0] is value and made[1]:
            return made[1]
        raise Unwritable(type(value).__name__)

    def _named(self, value: Any) -> str:
        found = self.names.of(value)
        if not found and isinstance(value, types.FunctionType):
            found = lambda_text(value)
        owner = getattr(value, "__self__", None)
        if not found and isinstance(value, types.BuiltinFunctionType) and isinstance(owner, OWNERS):
            found = self._text(owner, 1) + "." + value.__name__ if not value.__name__.startswith("_") else ""
        if not found:
            raise Unwritable(type(value).__name__)
        return str(found)

    def _items(self, values: Any, depth: int) -> str:
        if len(values) > MOST_ITEMS:
            raise Unwritable("long " + type(values).__name__)
        return ", ".join(self._text(value, depth) for value in values)

    def _tuple(self, value: Any, depth: int) -> str:
        return "(" + self._items(value, depth) + ("," if len(value) == 1 else "") + ")"

    def _set(self, value: Any, depth: int) -> str:
        """In an order that is the same in every process."""
        return "{" + ", ".join(self._sorted(value, depth)) + "}" if value else "set()"

    def _frozen(self, value: Any, depth: int) -> str:
        return "frozenset(" + (self._set(value, depth) if value else "") + ")"

    def _sorted(self, values: Any, depth: int) -> List[str]:
        if len(values) > MOST_ITEMS:
            raise Unwritable("long " + type(values).__name__)
        texts = [self._text(value, depth) for value in values]
        return sorted(texts, key=lambda text: (len(text), text))

    def _dict(self, value: Any, depth: int) -> str:
        if len(value) > MOST_ITEMS:
            raise Unwritable("long dict")
        pairs = (self._text(key, depth) + ": " + self._text(one, depth) for key, one in value.items())
        return "{" + ", ".join(pairs) + "}"

    def _letters(self, value: Any, depth: int) -> str:
        if len(value) > MOST_LETTERS:
            raise Unwritable("long " + type(value).__name__)
        return repr(value)

    def _float(self, value: float, depth: int) -> str:
        if math.isnan(value):
            raise Unwritable("nan")
        return repr(value) if value not in (float("inf"), float("-inf")) else "float('" + repr(value) + "')"

    def _class(self, value: Any) -> str:
        found: str = self.names.of(type(value))
        if not found:
            raise Unwritable(type(value).__name__)
        return found

    def _enum(self, value: Any, depth: int) -> str:
        plain = isinstance(value, enum.Enum) and getattr(type(value), str(value.name), None) is value
        return self._class(value) + "." + str(value.name) if plain else ""

    def _dataclass(self, value: Any, depth: int) -> str:
        if not dataclasses.is_dataclass(value):
            return ""
        fields = [field for field in dataclasses.fields(value) if field.init]
        parts = [field.name + "=" + self._text(getattr(value, field.name), depth) for field in fields]
        return self._equal(self._class(value) + "(" + ", ".join(parts) + ")", value)

    def _named_tuple(self, value: Any, depth: int) -> str:
        if not isinstance(value, tuple) or not hasattr(value, "_fields"):
            return ""
        parts = [name + "=" + self._text(one, depth) for name, one in zip(value._fields, value)]
        return self._equal(self._class(value) + "(" + ", ".join(parts) + ")", value)

    def _iterator(self, value: Any, depth: int) -> str:
        """Of a sequence, or of others; looking at it takes nothing out of it."""
        if not isinstance(value, (*ITERATORS, *MADE)) or type(value) not in (*ITERATORS, *MADE):
            return ""
        made = value.__reduce__()
        if type(value) in ITERATORS:
            left = made[1][0][made[-1]:] if isinstance(made[-1], int) else made[1][0]
            return "iter(" + self._text(left, depth) + ")"
        return type(value).__name__ + "(" + ", ".join(self._text(part, depth) for part in made[1]) + ")"

    def _stream(self, value: Any, depth: int) -> str:
        if type(value) not in (io.StringIO, io.BytesIO):
            return ""
        return self._class(value) + "(" + self._text(value.getvalue()[value.tell():], depth) + ")"

    def _by_repr(self, value: Any, depth: int) -> str:
        """An object whose own word for itself makes it again."""
        kind: Any = type(value)
        if kind.__repr__ is object.__repr__:
            return ""
        try:
            tree = ast.parse(repr(value), mode="eval").body
        except (SyntaxError, ValueError):
            return ""
        if not isinstance(tree, ast.Call) or _last(tree.func) != kind.__name__:
            return ""
        around = {**vars(sys.modules.get(kind.__module__, types)), "datetime": dt}
        return self._equal(ast.unparse(_Renamed(self.names, around, kind).visit(tree)), value)

    def _equal(self, text: str, value: Any) -> str:
        """The text, if it makes an equal one."""
        kind: Any = type(value)
        try:
            again = eval(text, dict(self.names.space))
            told: Any = kind.__eq__
            same = type(again) is kind and (
                bool(again == value) if told is not object.__eq__ else alike(again, value))
        except Exception:
            return ""
        return text if same else ""


class _Renamed(ast.NodeTransformer):
    """The names in the words of an object, as the test file would say them."""

    def __init__(self, names: Names, around: Dict[str, Any], kind: type) -> None:
        self.names, self.around, self.kind = names, around, kind

    def _other(self, node: Any) -> Any:
        text = ast.unparse(node)
        thing = self.kind if text.rpartition(".")[2] == self.kind.__name__ else eval(text, dict(self.around))
        name = self.names.of(thing)
        if not name and isinstance(node, ast.Attribute):
            owner = self.names.of(eval(ast.unparse(node.value), dict(self.around)))
            name = owner + "." + node.attr if owner else ""
        if not name:
            raise Unwritable(text)
        return ast.parse(name, mode="eval").body

    visit_Name = visit_Attribute = _other  # noqa: N815 -- names of the base class


def _last(node: Any) -> str:
    return str(getattr(node, "attr", getattr(node, "id", "")))


def alike(one: Any, other: Any) -> bool:
    """Whether two of a class that has no word on it hold the same, in plain values."""
    held, same = getattr(one, "__dict__", None), getattr(other, "__dict__", None)
    if isinstance(one, BaseException):
        return bool(one.args == other.args and held == same)
    return bool(held) and held == same
