"""The same code in two places: ten or more lines in a row that are equal but for blanks, empty lines and comments."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from windtunnel.analysis.facts import WINDOW, Facts
from windtunnel.core.analysis import Duplication

LEAST_LINES = 10
_LEAST_RUN = LEAST_LINES - WINDOW + 1
_MOST_SHOWN = 100
Spot = tuple[str, int]
"""A file, and the number of one of its windows."""


@dataclass(slots=True)
class _Search:
    """One pass over all files that share a window with another or with themselves."""

    files: Mapping[str, Facts]
    repeated: set[int]
    first: dict[int, Spot] = field(default_factory=dict)
    covered: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    found: list[Duplication] = field(default_factory=list)

    def look(self, path: str, windows: array[int]) -> None:
        begun: tuple[Spot, int] | None = None
        length = 0
        for at, window in enumerate(windows):
            before = self._before(window, (path, at))
            if begun is not None and before == (begun[0][0], begun[0][1] + length):
                length += 1
                continue
            self._end(path, begun, length)
            begun, length = ((before, at), 1) if before is not None else (None, 0)
        self._end(path, begun, length)

    def _before(self, window: int, here: Spot) -> Spot | None:
        """Where the same window stood first; none where that is here."""
        first = self.first.setdefault(window, here) if window in self.repeated else here
        return None if first == here else first

    def _end(self, path: str, begun: tuple[Spot, int] | None, length: int) -> None:
        if begun is None or length < _LEAST_RUN:
            return
        (other, start), at = begun
        lines = length + WINDOW - 1
        self.covered[path].update(range(at, at + lines))
        self.covered[other].update(range(start, start + lines))
        self.found.append(Duplication(files=(other, path), length=lines, lines=(
            self.files[other].places[start], self.files[path].places[at])))


def duplications(files: Mapping[str, Facts]) -> tuple[float, tuple[Duplication, ...]]:
    """The share of code lines that stand somewhere else too, and the longest stretches."""
    code = sum(one.code_lines for one in files.values())
    search = _Search(files, _repeated(files))
    for path, one in files.items():
        if one.windows and not search.repeated.isdisjoint(one.windows):
            search.look(path, one.windows)
    longest = sorted(search.found, key=lambda one: (-one.length, one.files, one.lines))
    share = sum(map(len, search.covered.values())) / code if code else 0.0
    return min(1.0, share), tuple(longest[:_MOST_SHOWN])


def _repeated(files: Mapping[str, Facts]) -> set[int]:
    """Windows that stand in two places at least."""
    seen: set[int] = set()
    twice: set[int] = set()
    for one in files.values():
        own = set(one.windows)
        twice |= seen & own
        if len(own) != len(one.windows):
            twice.update(window for window, times in Counter(one.windows).items() if times > 1)
        seen |= own
    return twice
