"""Answers for a model: bounded, the reason first, shortened where they are long and never wrong in their shape."""

from __future__ import annotations

import json
from typing import Any

MOST_BYTES = 30_000
_STEPS = ((8000, 200), (3000, 100), (1200, 50), (500, 25), (200, 12), (80, 6), (60, 2))
"""Letters of a text and items of a list that stay, from step to step until all of it fits."""
_LEAST_TEXT = 40


def bounded(told: dict[str, Any], *, most: int = MOST_BYTES) -> tuple[dict[str, Any], bool]:
    """The answer, and whether anything was left out of it."""
    if _size(told) <= most:
        return told, False
    short = told
    for letters, items in _STEPS:
        short = {name: _short(value, letters, items) for name, value in told.items()}
        if _size(short) <= most:
            break
    return short, True


def _short(value: Any, letters: int, items: int) -> Any:  # noqa: ANN401 -- any JSON
    if isinstance(value, str):
        return shorten(value, letters)
    if isinstance(value, list):
        return [_short(one, letters, items) for one in value[:items]]
    if isinstance(value, dict):
        return {name: _short(one, letters, items) for name, one in list(value.items())[: max(items, 40)]}
    return value


def shorten(text: str, most: int) -> str:
    """Head and tail, with the middle left out and counted."""
    if len(text) <= most:
        return text
    mark = f" … {len(text) - most} letters left out … "
    kept = max(_LEAST_TEXT, most - len(mark))
    return f"{text[: kept * 2 // 3]}{mark}{text[-(kept // 3):]}"


def lines(text: str, *, most: int = 4000) -> str:
    """A program's output as a model reads it."""
    return shorten(text.replace("\r\n", "\n"), most)


def _size(value: object) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"))
