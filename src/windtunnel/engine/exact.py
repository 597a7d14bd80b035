"""One hash of all that is to be done, to which a person's yes is bound.

What holds: whatever could be given in another way gives another hash: contents, values of variables and secrets,
arguments, however long or many. It is keyed with a secret of the state folder, so that nobody who reads a hash can try
out which secret it was made from. What does not hold: input that comes while a program runs, and the files of a folder
that it is shown, are not in it; that they are there, is.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from os import PathLike, fspath


def digest(value: object, *, key: bytes) -> str:
    """In hex."""
    return hmac.new(key, json.dumps(_told(value)).encode(), hashlib.sha256).hexdigest()


def _told(value: object) -> object:
    """As JSON in which no two different values look alike."""
    if value is None or isinstance(value, bool | int | float) or type(value) is str:
        return value
    if isinstance(value, Enum):
        return {"word": _told(value.value)}
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bytes | bytearray):
        return {"bytes": hashlib.sha256(value).hexdigest()}
    if isinstance(value, PathLike):
        return {"path": str(fspath(value))}
    return _told_parts(value)


def _told_parts(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return {type(value).__name__: [[one.name, _told(getattr(value, one.name))] for one in fields(value)]}
    if isinstance(value, Mapping):
        return {"table": sorted(([_told(key), _told(item)] for key, item in value.items()), key=json.dumps)}
    if isinstance(value, list | tuple):
        return [_told(item) for item in value]
    if isinstance(value, set | frozenset):
        return {"set": sorted((_told(item) for item in value), key=json.dumps)}
    # Streams and functions have no value; whether there is one matters.
    return {"live": type(value).__name__ if not callable(value) else "function"}
