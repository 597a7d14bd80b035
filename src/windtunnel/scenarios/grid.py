"""Factors and their values, numbered through, and which of them may meet in one row.

Sets of values are whole numbers with one bit each, so that counting what a value would add is one look at the bits.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Row: TypeAlias = tuple[int, ...]
"""One value of each factor, by its number among all values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """The values of all factors, and which may meet."""

    starts: tuple[int, ...]
    """The number of each factor's first value, which is the usual one."""
    counts: tuple[int, ...]
    """How many values each factor has."""
    partners: tuple[int, ...]
    """For each value, those of other factors that it may meet, as bits."""

    @property
    def pairs(self) -> int:
        """How many there are to cover."""
        return open_pairs(self.partners)

    def factor(self, number: int) -> int:
        """Whose value that is."""
        return max(at for at, start in enumerate(self.starts) if start <= number)

    def values(self, factor: int, *, allowed: int) -> list[int]:
        """Those of a factor that are among the allowed."""
        start = self.starts[factor]
        return [number for number in range(start, start + self.counts[factor]) if allowed >> number & 1]


def make_grid(counts: Sequence[int], *, may_meet: Callable[[tuple[int, int], tuple[int, int]], bool]) -> Grid:
    """Of factors with so many values each; ``may_meet`` is asked of (factor, value) and (factor, value)."""
    values = [(factor, value) for factor, count in enumerate(counts) for value in range(count)]
    partners = [sum(1 << at for at, other in enumerate(values) if other[0] != one[0] and may_meet(one, other))
                for one in values]
    starts = tuple(itertools.accumulate(counts, initial=0))[:-1]
    return Grid(starts=starts, counts=tuple(counts), partners=tuple(partners))


def bits_of(row: Sequence[int]) -> int:
    """The values of a row, as bits."""
    return sum(1 << number for number in row)


def strike(left: list[int], row: Sequence[int]) -> None:
    """Take the pairs of a row from those that are left."""
    bits = bits_of(row)
    for number in row:
        left[number] &= ~bits


def gain(left: Sequence[int], row: Sequence[int]) -> int:
    """How many of the pairs that are left the row has."""
    bits = bits_of(row)
    return sum((left[number] & bits).bit_count() for number in row) // 2


def open_pairs(left: Sequence[int]) -> int:
    """How many are left."""
    return sum(bits.bit_count() for bits in left) // 2
