"""Making do with fewer rows: one is taken away, and its pairs are put into others, until that no longer succeeds.

A tabu search: a pair that nothing covers is put into the row where that loses least, and what was just changed stays
for a few steps, so that the search does not run in circles. The number of steps is fixed, not the time, so that a slow
machine gets the same rows.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from windtunnel.scenarios.grid import Grid, Row, bits_of

_STEPS = 1000
_KEPT_STEPS = 5
_FEW = 5


def shortened(grid: Grid, head: Sequence[Row], tail: Sequence[Row], *, chance: random.Random) -> list[Row]:
    """As few rows as are found that cover, together with the head, all that it and the tail cover.

    What no pair needs is the usual value then.
    """
    board = _Board(grid, head, tail)
    best = board.rows_now()
    for step in range(_STEPS):
        while not board.uncovered():
            best = board.rows_now()
            if not board.rows:
                return best
            board.drop_row()
        board.mend(step, chance)
    calm = _Board(grid, head, best)
    calm.calm_down()
    return calm.rows_now()


class _Board:
    """Rows under change, and how often each pair is in them: which are covered once, and which not at all."""

    def __init__(self, grid: Grid, head: Sequence[Row], tail: Sequence[Row]) -> None:
        self.grid = grid
        self.rows = [list(row) for row in tail]
        self.bits = [bits_of(row) for row in tail]
        self.kept = [[-1] * len(grid.counts) for _ in tail]
        """Until which step each place of each row stays as it is."""
        size = len(grid.partners)
        self.times = [[0] * size for _ in range(size)]
        self.left = list(grid.partners)
        self.once = [0] * size
        for row in (*head, *tail):
            self._count_row(row, 1)

    def rows_now(self) -> list[Row]:
        return [tuple(row) for row in self.rows]

    def uncovered(self) -> list[int]:
        """Values that have pairs which no row has."""
        return [number for number, bits in enumerate(self.left) if bits]

    def drop_row(self) -> None:
        """Take away the row that has fewest pairs to itself."""
        own = [sum((self.once[number] & bits).bit_count() for number in row)
               for row, bits in zip(self.rows, self.bits, strict=True)]
        at = own.index(min(own))
        self._count_row(self.rows.pop(at), -1)
        del self.bits[at], self.kept[at]

    def mend(self, step: int, chance: random.Random) -> None:
        """Put one uncovered pair where it loses least."""
        open_ = self.uncovered()
        one = open_[int(chance.random() * len(open_))]
        partners = [number for number in open_ if self.left[one] >> number & 1]
        pair = (one, partners[int(chance.random() * len(partners))])
        factors = (self.grid.factor(pair[0]), self.grid.factor(pair[1]))
        offers = [(worth + chance.random(), at) for at in range(len(self.rows))
                  if (worth := self._worth(at, pair, factors, step)) is not None]
        if offers:
            at = max(offers)[1]
            for factor, number in zip(factors, pair, strict=True):
                if self.rows[at][factor] != number:
                    self._put(at, factor, number)
                    self.kept[at][factor] = step + _KEPT_STEPS + int(chance.random() * _FEW)

    def calm_down(self) -> None:
        """Put the usual value wherever the one that is there adds nothing, the last rows first."""
        for at in reversed(range(len(self.rows))):
            for factor, usual in enumerate(self.grid.starts):
                number = self.rows[at][factor]
                rest = self.bits[at] & ~(1 << number)
                idle = not self.once[number] & rest
                if number != usual and idle and not rest & ~self.grid.partners[usual]:
                    self._put(at, factor, usual)

    def _worth(self, at: int, pair: tuple[int, int], factors: tuple[int, int], step: int) -> int | None:
        """Pairs won less pairs lost by having the pair in the row; none where it must not be there now."""
        row, bits = self.rows[at], self.bits[at]
        old = (row[factors[0]], row[factors[1]])
        rest = bits & ~(1 << old[0] | 1 << old[1])
        if any(rest & ~self.grid.partners[number] for number in pair):
            return None
        worth = 0
        for factor, was, number in zip(factors, old, pair, strict=True):
            if was != number:
                if self.kept[at][factor] >= step:
                    return None
                worth += (self.left[number] & rest).bit_count() - (self.once[was] & bits).bit_count()
        return worth

    def _put(self, at: int, factor: int, number: int) -> None:
        row = self.rows[at]
        was = row[factor]
        for place, other in enumerate(row):
            if place != factor:
                self._count(was, other, -1)
                self._count(number, other, 1)
        row[factor] = number
        self.bits[at] = bits_of(row)

    def _count_row(self, row: Sequence[int], change: int) -> None:
        for place, number in enumerate(row):
            for other in row[:place]:
                self._count(number, other, change)

    def _count(self, one: int, other: int, change: int) -> None:
        times = self.times[one][other] + change
        self.times[one][other] = self.times[other][one] = times
        for number, bit in ((one, 1 << other), (other, 1 << one)):
            self.left[number] = self.left[number] & ~bit | (0 if times else bit & self.grid.partners[number])
            self.once[number] = self.once[number] & ~bit | (bit if times == 1 else 0)
