"""A plugin of pytest that keeps, for each function of a product, a few of the calls that its tests made.

Run with ``-p repair_recorder`` and told by the environment: where the product lies, and where to write.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections import Counter
from types import FrameType
from typing import Any

_ROOT = os.environ.get("REPAIR_RECORD_ROOT", "")
_TO = os.environ.get("REPAIR_RECORD_TO", "")
_MOST_CALLS = 12
_MOST_LOOKS = 30
_MOST_BYTES = 20_000
_GENERATOR = 0x20 | 0x80 | 0x200
_FIRST = 4
"""A generator that goes on is further in its code than this."""
_KEPT: dict[tuple[str, int, str], list[bytes]] = {}
_LOOKS: Counter[tuple[str, int, str]] = Counter()


def _seen(frame: FrameType, event: str, _: object) -> None:
    code = frame.f_code
    if event != "call" or not code.co_filename.startswith(_ROOT):
        return
    key = (code.co_filename, code.co_firstlineno, code.co_qualname)
    calls = _KEPT.setdefault(key, [])
    fresh = not code.co_flags & _GENERATOR or frame.f_lasti <= _FIRST
    if len(calls) < _MOST_CALLS and _LOOKS[key] < _MOST_LOOKS and fresh:
        _LOOKS[key] += 1  # what is large or cannot be kept would be looked at for ever
        try:
            data = pickle.dumps(_arguments(frame))
        except Exception:  # noqa: BLE001 -- whatever cannot be kept is not
            return
        if len(data) <= _MOST_BYTES and data not in calls:
            calls.append(data)


def _arguments(frame: FrameType) -> tuple[list[Any], dict[str, Any]]:
    code, values = frame.f_code, frame.f_locals
    names, at = code.co_varnames, code.co_argcount + code.co_kwonlyargcount
    given = [values[name] for name in names[:code.co_argcount]]
    named = {name: values[name] for name in names[code.co_argcount:at]}
    if code.co_flags & 0x04:
        given += values[names[at]]
        at += 1
    if code.co_flags & 0x08:
        named |= values[names[at]]
    return given, named


def pytest_configure() -> None:
    if _TO:
        sys.setprofile(_seen)


def pytest_unconfigure() -> None:
    if _TO:
        sys.setprofile(None)
        with open(_TO, "wb") as file:  # noqa: PTH123 -- runs in whatever process pytest is
            pickle.dump(_KEPT, file)
