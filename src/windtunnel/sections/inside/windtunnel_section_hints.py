"""Inputs that a type hint allows, as texts."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import inspect
import io
import itertools
import logging
import os
import pathlib
import random
import re
import sys
import types
import typing
import uuid
from typing import Any, Callable, Dict, List, Optional

from windtunnel_section_names import KINDS, NAMED, lambdas  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_section_target import NOTHING, signature_of  # type: ignore[import-not-found]  # the same

MOST_DEEP, MOST_TEXTS = 4, 14
_PLAIN: Dict[Any, str] = {
    int: "int", float: "number", complex: "number", bool: "bool", str: "str", bytes: "bytes", bytearray: "bytes",
    type(None): "none", None: "none", object: "any", Any: "any", list: "iterable", tuple: "pair", set: "set",
    frozenset: "set", dict: "mapping", type: "class", slice: "slice", datetime.date: "date",
    datetime.datetime: "datetime", datetime.time: "time", datetime.timedelta: "timedelta", datetime.tzinfo: "timezone",
    datetime.timezone: "timezone", decimal.Decimal: "decimal", fractions.Fraction: "fraction", uuid.UUID: "uuid",
    re.Pattern: "pattern", re.Match: "match", pathlib.Path: "path", pathlib.PurePath: "path", os.PathLike: "path",
    random.Random: "random", logging.Logger: "logger", BaseException: "exception", Exception: "exception",
    io.StringIO: "stream", io.BytesIO: "stream", io.TextIOBase: "stream", io.IOBase: "stream",
    io.TextIOWrapper: "stream", types.ModuleType: "module", types.FunctionType: "callable",
    collections.Counter: "mapping"}
_STANDARD = ("typing", "collections", "numbers", "typing_extensions", "contextlib", "os", "io", "_typeshed")
_TURNED = {frozenset: "frozenset({})", tuple: "tuple({})", collections.deque: "wt.collections.deque({})",
           bytearray: "bytearray({})", collections.Counter: "wt.collections.Counter({})",
           collections.OrderedDict: "wt.collections.OrderedDict({})", pathlib.Path: "wt.pathlib.Path({})",
           pathlib.PurePath: "wt.pathlib.PurePath({})", re.Pattern: "wt.re.compile('a+')"}


class Hints:
    """Of one project."""

    def __init__(self, makers: Callable[[Any], List[str]]) -> None:
        """``makers`` gives texts that are known to make objects of a class."""
        self.makers = makers

    def texts(self, hint: Any, deep: int = 0) -> List[str]:
        """At most a handful; nothing where nothing is known of it."""
        if deep > MOST_DEEP:
            return []
        try:
            found = self._texts(hint, deep)
        except Exception:
            return []
        return list(dict.fromkeys(found))[:MOST_TEXTS]

    def _texts(self, hint: Any, deep: int) -> List[str]:
        if isinstance(hint, str):
            return self._word(hint)
        origin = typing.get_origin(hint)
        if origin is not None:
            return self._generic(origin, typing.get_args(hint), deep)
        if isinstance(hint, typing.TypeVar):
            inner = hint.__constraints__ or ([hint.__bound__] if hint.__bound__ is not None else [])
            return _woven([self.texts(one, deep + 1) for one in inner]) if inner else []
        if hasattr(hint, "__supertype__"):
            return self.texts(hint.__supertype__, deep + 1)
        if isinstance(hint, type) and issubclass(hint, enum.Enum):
            return [name_of(hint) + "[" + repr(member) + "]" for member in list(hint.__members__)[:8]]
        try:
            kind = _PLAIN.get(hint, "")
        except TypeError:
            kind = ""
        if str(getattr(hint, "__module__", "")).partition(".")[0] in _STANDARD:
            kind = kind or NAMED.get(str(getattr(hint, "__name__", getattr(hint, "_name", ""))), "")
        if kind:
            return [_TURNED[hint].format(text) for text in KINDS[kind]] if hint in _TURNED else list(KINDS[kind])
        return self._class(hint, deep) if isinstance(hint, type) else []

    def _word(self, text: str) -> List[str]:
        """A hint that could not be evaluated, by its last name."""
        name = re.split(r"\[", text)[0].rpartition(".")[2].strip("'\" ")
        plain = {kind.__name__: word for kind, word in _PLAIN.items() if isinstance(kind, type)}
        kind = NAMED.get(name, plain.get(name, ""))
        return list(KINDS[kind]) if kind else []

    def _generic(self, origin: Any, inner: Any, deep: int) -> List[str]:
        if origin is typing.Union or origin is getattr(types, "UnionType", None):
            return _woven([self.texts(one, deep + 1) for one in sorted(inner, key=lambda one: one is type(None))])
        if origin is getattr(typing, "Literal", None):
            return [repr(one) for one in inner if not isinstance(one, enum.Enum)] + [
                name_of(type(one)) + "." + one.name for one in inner if isinstance(one, enum.Enum)]
        if str(origin) in ("typing.Annotated", "<class 'typing.Annotated'>") or hasattr(origin, "__metadata__"):
            return self.texts(inner[0], deep + 1)
        if origin is type:
            names = [name_of(one) for one in inner if isinstance(one, type)]
            return [name for name in names if name] or list(KINDS["class"])
        if origin is collections.abc.Callable:
            return self._callable(inner, deep)
        if isinstance(origin, type) and issubclass(origin, tuple) and origin is tuple:
            return self._tuple(inner, deep)
        if isinstance(origin, type) and issubclass(origin, collections.abc.Mapping):
            return self._mapping(origin, inner, deep)
        if isinstance(origin, type) and issubclass(origin, (collections.abc.Iterable, collections.abc.Container)):
            return self._many(origin, inner, deep) or self._texts(origin, deep)
        return self._texts(origin, deep)

    def _callable(self, inner: Any, deep: int) -> List[str]:
        given = inner[0] if inner else ...
        result = (self.texts(inner[1], deep + 1) or ["None"]) if len(inner) > 1 else []
        head = "lambda *given: " if not isinstance(given, list) else (
            "lambda " + ", ".join("abcdefgh"[: len(given)]) + ": " if given else "lambda: ")
        made = [head + text for text in result[:2]]
        usual = lambdas(len(given)) if isinstance(given, list) else list(KINDS["callable"])
        return [*usual[:3], *made, *usual[3:]]

    def _tuple(self, inner: Any, deep: int) -> List[str]:
        if not inner:
            return list(KINDS["pair"])
        if len(inner) > 1 and inner[1] is ...:
            some = self.texts(inner[0], deep + 1)
            return ["(" + ", ".join(some[:2]) + ("," if len(some) == 1 else "") + ")", "()"] if some else KINDS["pair"]
        parts = [self.texts(one, deep + 1) or KINDS["any"] for one in inner]
        return ["(" + ", ".join(part[at % len(part)] for part in parts) + ("," if len(parts) == 1 else "") + ")"
                for at in range(4)]

    def _mapping(self, origin: Any, inner: Any, deep: int) -> List[str]:
        keys = (self.texts(inner[0], deep + 1) if inner else []) or ["'a'", "'b'"]
        values = (self.texts(inner[1], deep + 1) if len(inner) > 1 else []) or KINDS["any"]
        made = ["{" + ", ".join(key + ": " + values[at % len(values)] for at, key in enumerate(keys[:count])) + "}"
                for count in (2, 1, 0)]
        if origin is collections.defaultdict:
            return ["wt.collections.defaultdict(list, " + text + ")" for text in made]
        return [_TURNED[origin].format(text) if origin in _TURNED else text for text in made]

    def _many(self, origin: Any, inner: Any, deep: int) -> List[str]:
        some = self.texts(inner[0], deep + 1) if inner else list(KINDS["any"])
        some = some or list(KINDS["any"])
        made = ["[" + ", ".join(some[:3]) + "]", "[" + some[0] + "]", "[]", "[" + ", ".join(some[1:5]) + "]",
                "[" + ", ".join(some[:2] * 3) + "]"]
        if issubclass(origin, collections.abc.Iterator):
            return ["iter(" + text + ")" for text in made]
        if origin in (set, collections.abc.Set, collections.abc.MutableSet):
            return ["set(" + text + ")" for text in made]
        if inner and inner[0] is str and origin is not list:
            made.insert(3, "'abc'")
        return [_TURNED[origin].format(text) if origin in _TURNED else text for text in made]

    def _class(self, kind: Any, deep: int) -> List[str]:
        """An object of a class of its own."""
        known = self.makers(kind)
        if getattr(kind, "_is_protocol", False):
            return [*known, *_protocol(kind)]
        if hasattr(kind, "__total__") and issubclass(kind, dict):
            return [self._typed_dict(kind, deep)]
        return [*known[:6], *self.made(kind, deep)]

    def _typed_dict(self, kind: Any, deep: int) -> str:
        parts = [(name, self.texts(hint, deep + 1) or ["None"]) for name, hint in typing.get_type_hints(kind).items()]
        return "{" + ", ".join(repr(name) + ": " + texts[0] for name, texts in parts) + "}"

    def made(self, kind: Any, deep: int = 0) -> List[str]:
        """Calls of a class with inputs by its constructor's hints; abstract ones with their methods filled in."""
        name = name_of(kind)
        if not name or deep > MOST_DEEP:
            return []
        given = [one for one in signature_of(kind) if one.default is NOTHING
                 and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
        hints = hints_of(kind.__init__, kind)
        lists = [self.texts(hints.get(one.name, one.annotation), deep + 1) or KINDS["any"] for one in given]
        head = "wt.concrete(" + name + ", " if inspect.isabstract(kind) else name + "("
        rows = itertools.islice(itertools.product(*[some[:3] for some in lists]), 6)
        return [head + ", ".join(_given(one, text) for one, text in zip(given, row)) + ")" for row in rows]


def _given(parameter: inspect.Parameter, text: str) -> str:
    return text if parameter.kind is not parameter.KEYWORD_ONLY else parameter.name + "=" + text


def _protocol(kind: Any) -> List[str]:
    names = [name for name in dir(kind) if not name.startswith("_") and name not in dir(typing.Protocol)]
    return ["wt.fake(" + ", ".join(name + "=lambda *given, **named: 1" for name in names[:8]) + ")", "1", "'abc'"]


def name_of(thing: Any) -> str:
    """How any text can say it; nothing where none can."""
    module, name = getattr(thing, "__module__", None), getattr(thing, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str) or "<" in name:
        return ""
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is not thing:
        return ""
    return name if module == "builtins" else "wt.of(" + repr(module) + ")." + name


def hints_of(function: Any, owner: Optional[Any] = None) -> Dict[str, Any]:
    """By parameter; of what cannot be evaluated, the text."""
    space = getattr(inspect.unwrap(function), "__globals__", {}) if callable(function) else {}
    try:
        return typing.get_type_hints(function)
    except Exception:
        raw = dict(getattr(function, "__annotations__", {}) or {})
    if not raw and owner is not None:
        raw = dict(getattr(owner, "__annotations__", {}) or {})
    found: Dict[str, Any] = {}
    for name, hint in raw.items():
        try:
            found[name] = eval(hint, {**vars(typing), **space}) if isinstance(hint, str) else hint
        except Exception:
            found[name] = hint
    return found


def _woven(lists: List[List[str]]) -> List[str]:
    return [text for row in itertools.zip_longest(*lists) for text in row if text is not None]


def fields_of(kind: Any) -> Dict[str, Any]:
    """Hints of a data class or a named tuple, by field."""
    if dataclasses.is_dataclass(kind) or hasattr(kind, "_fields"):
        try:
            return typing.get_type_hints(kind)
        except Exception:
            return dict(getattr(kind, "__annotations__", {}))
    return {}
