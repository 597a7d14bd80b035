"""JSON from outside: bounded in size and depth, without numbers that are none, each name once."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from windtunnel.core.errors import UsageError

MOST_DEPTH = 64


def read_json(data: bytes, *, field: str) -> Any:  # noqa: ANN401 -- whatever it says
    """What it says; ``UsageError`` for whatever is wrong with it."""
    if _depth(data) > MOST_DEPTH:
        raise UsageError(f"{field}: nested more than {MOST_DEPTH} deep", field=field)
    try:
        return json.loads(data.decode(), object_pairs_hook=_once, parse_constant=_no_number, parse_float=_finite,
                          parse_int=_whole)
    except RecursionError:
        raise UsageError(f"{field}: nested too deeply", field=field) from None
    except (ValueError, UnicodeDecodeError) as error:
        raise UsageError(f"{field}: not JSON: {_told(error)}", field=field) from None


def _depth(data: bytes) -> int:
    """Of brackets outside of texts; more than the parser is asked to follow is refused before it is asked."""
    deepest = depth = 0
    inside = escaped = False
    if data.count(b"[") + data.count(b"{") <= MOST_DEPTH:
        return 0
    for sign in data:
        if inside:
            inside, escaped = escaped or sign != 0x22, not escaped and sign == 0x5C  # noqa: PLR2004 -- " and \
        elif sign == 0x22:  # noqa: PLR2004
            inside = True
        elif sign in b"[{":
            depth += 1
            deepest = max(deepest, depth)
            if deepest > MOST_DEPTH:
                return deepest
        elif sign in b"]}":
            depth -= 1
    return deepest


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"the name {twice[:60]!r} stands there twice")
    return made


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number of JSON")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"{text[:40]} is too large")
    return value


def _whole(text: str) -> int:
    if len(text) > 40:  # noqa: PLR2004 -- no number here needs more
        raise ValueError("a number of more than 40 digits")
    return int(text)


def _told(error: Exception) -> str:
    return str(error)[:200]
