"""The same code in two places: ten or more lines in a row that are equal but for blanks, empty lines and comments.

Every fifth window of a file is noted; a stretch of ten lines has five windows in a row, so at least one of the five was
noted where it stood first. From there the stretch is followed in both directions.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from windtunnel.analysis.facts import WINDOW, Facts, places
from windtunnel.core.analysis import Duplication

LEAST_LINES = 10
_LEAST_RUN = LEAST_LINES - WINDOW + 1
_MOST_SHOWN = 100
Spot = tuple[str, int]
"""A file, and the number of one of its windows."""


@dataclass(slots=True)
class _Search:
    """One pass over all files, in their order."""

    files: Mapping[str, Facts]
    noted: dict[int, int] = field(default_factory=dict)
    """By window, its place among all windows of all files."""
    starts: list[int] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    total: int = 0
    covered: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    found: list[tuple[int, Spot, Spot]] = field(default_factory=list)

    def look(self, path: str, windows: array[int]) -> None:
        """Find what stood in files before this one or further up in it, then note this one."""
        if not self.noted.keys().isdisjoint(windows):
            self._follow(path, windows, self._before)
        if len(set(windows)) < len(windows):
            own: dict[int, int] = {}
            for at in range(0, len(windows), _LEAST_RUN):
                own.setdefault(windows[at], at)
            self._follow(path, windows, lambda window: (path, own[window]) if window in own else None)
        self.noted.update(
            zip(windows[::_LEAST_RUN], range(self.total, self.total + len(windows), _LEAST_RUN), strict=True)
        )
        self.starts.append(self.total)
        self.paths.append(path)
        self.total += len(windows)

    def _before(self, window: int) -> Spot | None:
        place = self.noted.get(window)
        if place is None:
            return None
        number = bisect_right(self.starts, place) - 1
        return self.paths[number], place - self.starts[number]

    def _follow(self, path: str, windows: array[int], before: Callable[[int], Spot | None]) -> None:
        end = 0
        for at, window in enumerate(windows):
            spot = before(window) if at >= end else None
            if spot is None or (spot[0] == path and spot[1] >= at):
                continue
            other = self.files[spot[0]].windows
            back = 0
            while at - back > end and spot[1] - back > 0 and windows[at - back - 1] == other[spot[1] - back - 1]:
                back += 1
            most = min(len(windows) - at, (at if spot[0] == path else len(other)) - spot[1])
            on = next((step for step in range(1, most) if windows[at + step] != other[spot[1] + step]), most)
            if back + on >= _LEAST_RUN:
                self._add((spot[0], spot[1] - back), (path, at - back), back + on + WINDOW - 1)
                end = at + on

    def _add(self, first: Spot, then: Spot, lines: int) -> None:
        for path, at in (first, then):
            self.covered[path].update(range(at, at + lines))
        self.found.append((lines, first, then))


def duplications(
    files: Mapping[str, Facts], read: Callable[[str], bytes | None],
) -> tuple[float, tuple[Duplication, ...]]:
    """The share of code lines that stand somewhere else too, and the longest stretches."""
    code = sum(one.code_lines for one in files.values())
    search = _Search(files)
    for path, one in files.items():
        if one.windows:
            search.look(path, one.windows)
    longest = sorted(search.found, key=lambda one: (-one[0], one[1:]))[:_MOST_SHOWN]
    lines = {path: places(files[path].language, read(path) or b"")
             for path in {path for _, *spots in longest for path, _ in spots}}
    share = sum(map(len, search.covered.values())) / code if code else 0.0
    return min(1.0, share), tuple(
        Duplication(files=(first[0], then[0]), length=length, lines=(_line(lines, first), _line(lines, then)))
        for length, first, then in longest)


def _line(lines: Mapping[str, list[int]], spot: Spot) -> int:
    """Where a window begins; 0 where the file is not there any more."""
    known = lines[spot[0]]
    return known[spot[1]] if spot[1] < len(known) else 0
