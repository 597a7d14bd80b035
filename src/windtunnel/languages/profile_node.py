"""The profile of a JavaScript program: V8's own ``.cpuprofile``, read as collapsed stacks.

The file is JSON: ``nodes`` form a tree of call sites, ``samples`` names the node seen at each moment, and
``timeDeltas`` the microseconds from one moment to the next.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from heapq import nlargest
from typing import TypeAlias

from windtunnel.languages.profiling import MOST_BYTES, MOST_LINES, MOST_WEIGHT, OMITTED_STACKS, collapse

Json: TypeAlias = "Mapping[str, Json] | list[Json] | str | int | float | bool | None"

_MOST_PARTS = 400_000
"""Objects and lists in the file; V8 writes about two for 200 bytes, and each costs memory to read."""
_DEEPEST = 300
"""V8 walks no more than 255 frames; a longer path is not its work."""
_WHOLE_MINUTES = 60 * 10**6
_LOADER = ("(node:internal/modules/", "(node:internal/main/")


def read_profile(data: bytes) -> str:
    """Collapsed stacks in microseconds; hostile bytes give at worst a bounded untruth, garbage gives nothing."""
    if len(data) > MOST_BYTES or data.count(b"{") + data.count(b"[") > _MOST_PARTS:
        return ""
    try:
        profile: Json = json.loads(data)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(profile, dict):
        return ""
    tree = _Tree(_list(profile, "nodes"))
    weights = _weights(profile)
    heaviest = nlargest(MOST_LINES - 2, weights.items(), key=lambda item: item[1])
    rest = sum(weights.values()) - sum(weight for _, weight in heaviest)
    found = [(stack, weight) for node, weight in heaviest if (stack := tree.stack(node))]
    return collapse([*found, ([OMITTED_STACKS], rest)] if rest else found)


class _Tree:
    """Call sites by number, each with the one that called it."""

    def __init__(self, nodes: list[Json]) -> None:
        self._names: dict[int, str] = {}
        self._callers: dict[int, int] = {}
        for node in nodes:
            number = _number(node, "id")
            if isinstance(node, dict) and number is not None:
                self._names[number] = _name(node.get("callFrame"))
                self._callers.update((child, number) for child in _list(node, "children") if isinstance(child, int))

    def stack(self, node: int) -> list[str]:
        """Frames down to the node, without the root and without the loader's below the program's first.

        Empty for a node that is not there, for the root, and for a path that has no end.
        """
        frames: list[str] = []
        while node in self._names and len(frames) <= _DEEPEST:
            frames.append(self._names[node])
            if node not in self._callers:
                return _without_loader(frames[-2::-1])
            node = self._callers[node]
        return []


def _weights(profile: Mapping[str, Json]) -> dict[int, int]:
    """Microseconds by node: a sample lasts until the next one, the last until the end."""
    samples, deltas = _list(profile, "samples"), _list(profile, "timeDeltas")
    lasting = [*_microseconds(deltas[1:]), _tail(profile, deltas)]
    weights: dict[int, int] = {}
    for node, microseconds in zip(samples, lasting, strict=False):
        if isinstance(node, int) and microseconds:
            weights[node] = min(weights.get(node, 0) + microseconds, MOST_WEIGHT)
    return weights


def _tail(profile: Mapping[str, Json], deltas: list[Json]) -> int:
    begin, end = _number(profile, "startTime"), _number(profile, "endTime")
    if begin is None or end is None:
        return 0
    return min(max(0, end - begin - sum(_microseconds(deltas))), _WHOLE_MINUTES)


def _microseconds(deltas: list[Json]) -> Iterator[int]:
    """V8 sorts its samples late, so a few deltas may be negative."""
    return (min(max(0, delta), MOST_WEIGHT) if isinstance(delta, int) else 0 for delta in deltas)


def _name(site: Json) -> str:
    """``function (file:line)``, counting lines from one; V8's own states have no file: ``(idle)``."""
    if not isinstance(site, dict):
        return "?"
    name, url, line = site.get("functionName"), site.get("url"), _number(site, "lineNumber")
    function = name if isinstance(name, str) and name else "(anonymous)"
    if not isinstance(url, str) or not url:
        return function
    file = url.removeprefix("file://").removeprefix("/sandbox/")
    return f"{function} ({file}:{(line or 0) + 1})"


def _without_loader(frames: list[str]) -> list[str]:
    """A program is not about how Node.js loads it; time that the loader itself takes is kept."""
    for number, frame in enumerate(frames):
        if not any(place in frame for place in _LOADER):
            return frames[number:] if "(" in frame[1:] and "(node:" not in frame else frames
    return frames


def _list(value: Json, key: str) -> list[Json]:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def _number(value: Json, key: str) -> int | None:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, int) and abs(found) <= MOST_WEIGHT else None
