"""Ranges of semantic versions, as npm and Cargo write them: whether a version is in one, and whether several overlap.

A range is alternatives; each is an interval. A version with a pre-release is in a range only where a bound of that
range has a pre-release of the same three numbers, which is npm's rule and Cargo's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

_VERSION = re.compile(
    r"v?(\d{1,15})(?:\.(\d{1,15}|[xX*]))?(?:\.(\d{1,15}|[xX*]))?(?:-([0-9A-Za-z.-]{1,100}))?(?:\+[0-9A-Za-z.-]{1,100})?"
)
_PART = re.compile(r"(\^|~>|~|>=|<=|>|<|=|)\s{0,5}(v?[\dxX*][^\s,]{0,150})")
_HYPHEN = re.compile(r"^\s{0,5}(\S{1,150})\s{1,5}-\s{1,5}(\S{1,150})\s{0,5}$")
_TILDE = re.compile(r"~(\d{1,15}(?:\.\d{1,15})?)(?![.\d])")
_MOST_TEXT = 500
_MOST_INTERVALS = 256
_FULL = 3

Release = tuple[int, int, int]
Key = tuple[int, int, int, bool, tuple[tuple[int, int, str], ...]]
"""How versions sort: a pre-release comes before its release."""


@dataclass(frozen=True, slots=True)
class Version:
    """Three numbers, and a pre-release where there is one."""

    numbers: Release
    pre: str = ""

    @property
    def key(self) -> Key:
        """By what it sorts."""
        parts = tuple((0, int(one), "") if one.isdigit() and len(one) < 16 else (1, 0, one)  # noqa: PLR2004 -- no more digits than a number has
                      for one in self.pre.split(".")) if self.pre else ()
        return (*self.numbers, not self.pre, parts)


@dataclass(frozen=True, slots=True)
class Interval:
    """From one version to another; no upper one means without end."""

    low: Version = Version((0, 0, 0))
    low_in: bool = True
    high: Version | None = None
    high_in: bool = False

    def has(self, version: Version) -> bool:
        """Whether it lies between, by order alone."""
        above = version.key > self.low.key or (self.low_in and version.key == self.low.key)
        if self.high is None:
            return above
        return above and (version.key < self.high.key or (self.high_in and version.key == self.high.key))

    def meets(self, other: Interval) -> Interval | None:
        """What both have in common."""
        low, low_in = max((self.low, self.low_in), (other.low, other.low_in), key=lambda one: (one[0].key, not one[1]))
        highs = [(one.high, one.high_in) for one in (self, other) if one.high is not None]
        if not highs:
            return Interval(low, low_in)
        high, high_in = min(highs, key=lambda one: (one[0].key, one[1]))
        if low.key > high.key or (low.key == high.key and not (low_in and high_in)):
            return None
        return Interval(low, low_in, high, high_in)


Range = tuple[Interval, ...]


def version_of(text: str) -> Version | None:
    """A full version; none where it is not one."""
    match = _VERSION.fullmatch(text.strip()) if len(text) <= _MOST_TEXT else None
    if match is None or not all(part and part.isdigit() for part in (match[1], match[2], match[3])):
        return None
    return Version((int(match[1]), int(match[2]), int(match[3])), match[4] or "")


def npm_range(text: str) -> Range | None:
    """As npm reads it; none for tags, addresses, files and whatever else is no range."""
    if len(text) > _MOST_TEXT:
        return None
    made = [_alternative(one, caret=False) for one in text.removeprefix("workspace:").split("||")]
    return tuple(one for one in made if one is not None) if all(one is not None for one in made) else None


def cargo_range(text: str) -> Range | None:
    """As Cargo reads it: several comparators with commas between them, and a bare version means ``^``."""
    made = _alternative(text.replace(",", " "), caret=True) if len(text) <= _MOST_TEXT else None
    return (made,) if made is not None else None


def composer_range(text: str) -> Range | None:
    """As Composer reads it: ``~1.2`` reaches up to 2, and both ``|`` and ``||`` part alternatives."""
    if len(text) > _MOST_TEXT:
        return None
    plain = re.sub(r"@\w{1,20}", "", text).replace("||", "|").replace(",", " ")
    made = [_alternative(_TILDE.sub(r"^\1", one), caret=False) for one in plain.split("|")]
    return tuple(one for one in made if one is not None) if all(one is not None for one in made) else None


def holds(wanted: Range, version: Version) -> bool:
    """Whether the version is in the range."""
    return any(one.has(version) and (not version.pre or _names_pre(one, version)) for one in wanted)


def common(ranges: Sequence[Range]) -> Range:
    """What all of them allow; empty where no version meets them all."""
    found: Range = (Interval(),)
    for one in ranges:
        found = tuple(met for pair in product(found, one) if (met := pair[0].meets(pair[1])) is not None)[
            :_MOST_INTERVALS
        ]
    return found


def _names_pre(interval: Interval, version: Version) -> bool:
    bounds = (interval.low, interval.high)
    return any(one is not None and one.pre and one.numbers == version.numbers for one in bounds)


def _alternative(text: str, *, caret: bool) -> Interval | None:
    if not text.strip() or text.strip() in ("*", "x", "X", "latest", "^", "~"):
        return Interval()
    if match := _HYPHEN.match(text):
        low, high = _comparator(">=", match[1]), _comparator("<=", match[2])
        return low.meets(high) if low is not None and high is not None else None
    rest = _PART.sub("", text).strip()
    parts = _PART.findall(text)
    if rest or not parts:
        return None
    return _joined(_comparator(sign or ("^" if caret else ""), version) for sign, version in parts)


def _joined(parts: Iterable[Interval | None]) -> Interval | None:
    """All at once; what nothing meets is an interval with nothing in it."""
    found = Interval()
    for part in parts:
        if part is None:
            return None
        met = found.meets(part)
        if met is None:
            return Interval(low_in=False, high=Version((0, 0, 0)))
        found = met
    return found


def _comparator(sign: str, text: str) -> Interval | None:
    match = _VERSION.fullmatch(text)
    if match is None:
        return Interval() if text[:1] in "xX*" else None
    given = [int(part) for part in (match[1], match[2], match[3]) if part and part.isdigit()]
    if match[2] and not match[2].isdigit():
        given = given[:1]
    low = Version(_filled(given), match[4] or "")
    after = Version(_filled([*given[:-1], given[-1] + 1]))
    if sign in ("", "=") and len(given) == _FULL:
        return Interval(low, high=low, high_in=True)
    return {
        "": lambda: Interval(low, high=after),
        "=": lambda: Interval(low, high=after),
        ">=": lambda: Interval(low),
        "<": lambda: Interval(high=low),
        ">": lambda: Interval(low, low_in=False) if len(given) == _FULL else Interval(after),
        "<=": lambda: Interval(high=low, high_in=True) if len(given) == _FULL else Interval(high=after),
        "~": lambda: Interval(
            low, high=Version(_filled([given[0], given[1] + 1] if len(given) > 1 else [given[0] + 1]))
        ),
        "~>": lambda: Interval(
            low, high=Version(_filled([given[0], given[1] + 1] if len(given) > 1 else [given[0] + 1]))
        ),
        "^": lambda: Interval(low, high=_caret(given)),
    }[sign]()


def _caret(given: Sequence[int]) -> Version:
    """The next version that may break: the first number that is not zero, one up."""
    place = next((place for place, number in enumerate(given) if number), len(given) - 1)
    return Version(_filled([*given[:place], given[place] + 1]))


def _filled(numbers: Sequence[int]) -> Release:
    major, minor, patch = [*numbers, 0, 0, 0][:_FULL]
    return major, minor, patch
