"""What rules remember: bounded tables, and counts in windows of time with what was usual before."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from windtunnel.core.alert import Evidence
from windtunnel.engine.watch.rule import Memory, Seen
from windtunnel.policy import table
from windtunnel.policy.tree import Node

MOST_KEYS = 1000
_MOST_WORD, _KEPT_WORD = 200, 150
_MOST_EVIDENCE = 10
_MOST_KEPT = 1000
_NORMAL = 1.4826
"""By which the median distance from the median is the standard deviation of normal numbers."""
_HIGH = 0.95


def several(node: Node, name: str) -> int:
    """A number of records that are kept until there are so many."""
    found = table.whole(node, name)
    if not 1 <= found <= _MOST_KEPT:
        raise node.refusal(f"{name}: not from 1 to {_MOST_KEPT}: {found}")
    return found


def word(text: str) -> str:
    """A text short enough to be remembered; two that differ stay different."""
    if len(text) <= _MOST_WORD:
        return text
    return f"{text[:_KEPT_WORD]}#{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"


def touched(table: dict[str, Any], key: str, fresh: Any, *, most: int = MOST_KEYS) -> Any:  # noqa: ANN401 -- plain JSON
    """What is remembered of a key; ``fresh`` where nothing was. The key used longest ago is forgotten for it."""
    found = table.pop(key, None)
    table[key] = fresh if found is None else found
    if len(table) > most:
        del table[next(iter(table))]
    return table[key]


def window(memory: Memory, key: str, seen: Seen, *, seconds: float, most_past: int) -> dict[str, Any]:
    """The window of time that the record is in, for this key; those before are in its ``past``.

    It begins with the first record after the one before is over, and so is never empty. A clock that goes back begins
    another one.
    """
    windows: dict[str, dict[str, Any]] = memory.setdefault("windows", {})
    found = windows.pop(key, None)
    if found is None:
        found = {"at": seen.when, "past": [], **_fresh()}
        if len(windows) >= MOST_KEYS:
            del windows[next(iter(windows))]
    elif not 0 <= seen.when - found["at"] < seconds:
        past = [*found["past"], [found["count"], found["bad"]]][-most_past:]
        found.update(at=seen.when, past=past, **_fresh())
    windows[key] = found
    return found


def _fresh() -> dict[str, Any]:
    return {"count": 0, "bad": 0, "fired": False, "usual": None, "records": []}


def note(found: dict[str, Any], seen: Seen) -> None:
    """Remember that this record is among those of the window."""
    records = found["records"]
    records.append([seen.record.seq, word(seen.entry.id)])
    if len(records) > _MOST_EVIDENCE:
        del records[0]


def evidence(found: dict[str, Any]) -> tuple[Evidence, ...]:
    """The newest records of the window."""
    return tuple(Evidence(seq=seq, id=act) for seq, act in found["records"])


def usual(past: Sequence[float]) -> tuple[float, float, float]:
    """The median of earlier windows, their spread, and what only one in twenty exceeds.

    The spread is the median distance from the median, as a standard deviation; for counts no less than the root of the
    median, which is that of events that come by chance, and no less than one.
    """
    middle = median(past)
    spread = max(_NORMAL * median(abs(value - middle) for value in past), math.sqrt(middle), 1.0)
    return middle, spread, sorted(past)[int(_HIGH * (len(past) - 1))]


def most_usual(past: Sequence[Sequence[float]], options: Mapping[str, Any]) -> float:
    """The most that a window can have and still be like those before; the bound alone where they are too few."""
    most: float = options["most"]
    if len(past) >= options["learn"]:
        middle, spread, high = usual([count for count, _ in past])
        most = min(most, max(options["least"], middle + options["spreads"] * spread, options["times"] * high))
    return most
