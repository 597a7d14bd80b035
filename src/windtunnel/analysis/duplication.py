"""The same code in two places: ten or more lines in a row that are equal but for blanks, empty lines and comments.

Four lines in a row make a key, and every seventh key of a file is noted; a stretch of ten lines has seven keys, so one
of them was noted where it stood first. From there the stretch is followed in both directions.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from windtunnel.analysis.facts import Facts, places
from windtunnel.core.analysis import Duplication

LEAST_LINES = 10
WINDOW = 2
_KEY = 4
_STRIDE = LEAST_LINES - _KEY + 1
_LEAST_RUN = LEAST_LINES - WINDOW + 1
_SHIFT, _MASK = 32, 2**32 - 1
_BITS = 64
_MOST_SHOWN = 100
Spot = tuple[str, int]
"""A file, and the number of one of its windows."""


@dataclass(slots=True)
class _Search:
    """One pass over all files, in their order."""

    paths: list[str] = field(default_factory=list)
    windows: list[array[int]] = field(default_factory=list)
    noted: dict[int, int] = field(default_factory=dict)
    """By window, the number of its file and its place there, in one number."""
    covered: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    found: list[tuple[int, Spot, Spot]] = field(default_factory=list)

    def look(self, path: str, windows: array[int]) -> None:
        """Find what stood in files before this one or further up in it, then note this one."""
        number = len(self.paths)
        self.paths.append(path)
        self.windows.append(windows)
        begin = number << _SHIFT
        keys = _keys(windows)
        own = dict(zip(keys[::-_STRIDE], range(begin + len(keys) - 1, begin - 1, -_STRIDE), strict=True))
        own.pop(0, None)  # four lines of which the last two are as the first
        if not self.noted.keys().isdisjoint(keys):
            self._follow(number, keys, self.noted)
        if len(keys) - len(set(keys)) >= _STRIDE:
            self._follow(number, keys, own)
        self.noted.update(own)

    def _follow(self, number: int, keys: array[int], noted: Mapping[int, int]) -> None:
        windows, end = self.windows[number], 0
        for at in [at for at, key in enumerate(keys) if key in noted]:
            if at < end:
                continue
            source, start = noted[keys[at]] >> _SHIFT, noted[keys[at]] & _MASK
            other = self.windows[source]
            if (source == number and start >= at) or windows[at] != other[start]:
                continue
            back = 0
            while at - back > end and start - back > 0 and windows[at - back - 1] == other[start - back - 1]:
                back += 1
            most = min(len(windows) - at, (at if source == number else len(other)) - start)
            on = next((step for step in range(1, most) if windows[at + step] != other[start + step]), most)
            if back + on >= _LEAST_RUN:
                self._add((self.paths[source], start - back), (self.paths[number], at - back), back + on + WINDOW - 1)
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
    search = _Search()
    for path, one in files.items():
        if len(one.hashes) >= LEAST_LINES:
            search.look(path, _windows(one.hashes))
    longest = sorted(search.found, key=lambda one: (-one[0], one[1:]))[:_MOST_SHOWN]
    numbers = {path: places(files[path].language, read(path) or b"")
               for path in {path for _, *spots in longest for path, _ in spots}}
    share = sum(map(len, search.covered.values())) / code if code else 0.0
    return min(1.0, share), tuple(
        Duplication(files=(first[0], then[0]), length=length, lines=(_line(numbers, first), _line(numbers, then)))
        for length, first, then in longest)


def _windows(hashes: array[int]) -> array[int]:
    """The hashes of each two lines in a row as one number; by the bytes, since there can be millions."""
    raw = hashes.tobytes()
    made = array("Q", bytes(8 * (len(hashes) - 1)))
    for begin in (0, 1):
        part = memoryview(raw)[4 * begin:]
        made[begin::2] = array("Q", bytes(part[:len(part) // 8 * 8]))
    return made


def _keys(windows: array[int]) -> array[int]:
    """Each window mixed with the next but one, all at once as one long number."""
    number = int.from_bytes(windows.tobytes(), "little")
    mixed = number ^ (number >> 2 * _BITS)
    return array("Q", mixed.to_bytes(8 * len(windows), "little")[:8 * (len(windows) - WINDOW)])


def _line(numbers: Mapping[str, list[int]], spot: Spot) -> int:
    """Where a window begins; 0 where the file is not there any more."""
    known = numbers[spot[0]]
    return known[spot[1]] if spot[1] < len(known) else 0
