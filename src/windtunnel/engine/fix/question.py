"""What a person would have to answer where a search alone cannot."""

from __future__ import annotations

from collections.abc import Sequence

from windtunnel.core.problem import Problem
from windtunnel.core.repair import Proposal

_FEW = 3
_MOST = 160


def which_is_meant(proposals: Sequence[Proposal]) -> str:
    """Of several that pass everything; empty where there is one."""
    reasons = list(dict.fromkeys(_line(one.reason) for one in proposals))[:_FEW]
    if len(reasons) < 2:  # noqa: PLR2004 -- nothing to choose
        return ""
    listed = "; ".join(f"({letter}) {reason}" for letter, reason in zip("abc", reasons, strict=False))
    return f"The tests cannot tell these apart; which is meant? {listed}"


def what_is_right(problems: Sequence[Problem], *, stopped: str, tried: int) -> str:
    """Of the first problem that nothing mended."""
    if not problems:
        return "The checks fail without saying where; which file is to blame?"
    first = problems[0]
    where = f"{first.place.file}:{first.place.line}" if first.place and first.place.line else (
        first.place.file if first.place else "a place that the output does not name")
    symbol = f" in {first.place.symbol}" if first.place and first.place.symbol else ""
    asked = (f"{_line(first.test)} wants {_line(first.expected)} and gets {_line(first.actual or '')}"
             if first.expected is not None and first.test else _line(f"{first.name}: {first.message}".strip(": ")))
    return (f"At {where}{symbol}: {asked}. {tried} edits were tried ({stopped}). What should happen there, and is the "
            "test right?")


def _line(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _MOST else f"{words[:_MOST - 1]}…"
