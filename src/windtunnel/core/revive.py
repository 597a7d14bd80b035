"""Core values from the plain JSON that ``plain`` makes of them."""

from __future__ import annotations

import functools
import types
import typing
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, TypeVar

_T = TypeVar("_T")


def revive(kind: type[_T], value: object) -> _T:
    """A value of the kind; a ValueError says that the data is of another shape. Unknown fields are refused."""
    made: _T = _revive(kind, value)
    return made


def _revive(kind: Any, value: Any) -> Any:  # noqa: ANN401 -- kinds and JSON are what they are
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return None if value is None and type(None) in arguments else _revive(
            next(part for part in arguments if part is not type(None)), value)
    if origin is tuple and isinstance(value, list):
        parts = arguments[:1] * len(value) if arguments[1:] == (...,) else arguments
        return tuple(_revive(part, item) for part, item in zip(parts, value, strict=True))
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping) and isinstance(value, dict):
        return {_revive(arguments[0], key): _revive(arguments[1], item) for key, item in value.items()}
    if origin is typing.Literal and value in arguments:
        return value
    return _revive_plain(kind, value)


def _revive_plain(kind: Any, value: Any) -> Any:  # noqa: ANN401
    if isinstance(kind, type) and is_dataclass(kind) and isinstance(value, dict):
        hints = _hints(kind)
        if value.keys() - hints.keys():
            raise ValueError(f"{kind.__name__} has no field {min(value.keys() - hints.keys())!r}")
        return kind(**{name: _revive(hints[name], item) for name, item in value.items()})
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    if kind is float and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(kind, type) and type(value) is kind:
        return value
    raise ValueError(f"not a {getattr(kind, '__name__', kind)}: {value!r:.60}")


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    known = typing.get_type_hints(kind)
    return {field.name: known[field.name] for field in fields(kind)}
