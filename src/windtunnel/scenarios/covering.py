"""A covering array: few rows in which each two values that may meet do meet.

The rows come greedily: each adds as many new pairs as the search finds, so the first rows are worth the most. What
follows the first ``HEAD`` of them is then shortened. Chance comes from ``random.Random.random`` alone, the one method
that Python promises to keep, and nothing is taken in the order of a set: the same seed gives the same rows everywhere.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator

from windtunnel.scenarios.grid import Grid, Row, bits_of, gain, strike
from windtunnel.scenarios.shortening import shortened

HEAD = 20
"""Rows that stay as they are found: next to nothing can be saved on them, and few presets are had at once."""
_CANDIDATES = 20
"""Rows of which the best is taken."""
_TAIL_CANDIDATES = 8
_TAILS = 4
"""What follows the head is made so often, and the shortest is taken."""
_FORESIGHT = 0.2
"""What a pair that a value could still add later counts beside one that it adds now."""


def covering_rows(grid: Grid, *, seed: int) -> Iterator[Row]:
    """Rows until every pair was met, each adding as much as is found; then another such round, for ever."""
    return itertools.chain.from_iterable(one_round(grid, seed=seed, round_=at) for at in itertools.count())


def one_round(grid: Grid, *, seed: int, round_: int = 0) -> Iterator[Row]:
    """The rows that it takes for every pair to be met once."""
    chance = random.Random(f"{seed} {round_}")  # noqa: S311 -- chance that can be repeated, no secret
    left = list(grid.partners)
    head: list[Row] = []
    for row in _greedy(grid, left, chance, candidates=_CANDIDATES):
        head.append(row)
        yield row
        if len(head) == HEAD:
            break
    tails = [list(_greedy(grid, list(left), chance, candidates=_TAIL_CANDIDATES)) for _ in range(_TAILS)]
    shortest = min((shortened(grid, head, tail, chance=chance) for tail in tails), key=len)
    yield from _in_order_of_gain(shortest, left)


def _greedy(grid: Grid, left: list[int], chance: random.Random, *, candidates: int) -> Iterator[Row]:
    """Rows until nothing is left; each is the best of so many candidates."""
    while any(left):
        rows = [_candidate(grid, left, chance) for _ in range(candidates)]
        best = max(rows, key=lambda row: gain(left, row))
        strike(left, best)
        yield best


def _in_order_of_gain(rows: list[Row], left: list[int]) -> Iterator[Row]:
    """The rows in an order in which each adds as much as any of the rest."""
    waiting = list(rows)
    while waiting:
        best = max(waiting, key=lambda row: gain(left, row))
        waiting.remove(best)
        strike(left, best)
        yield best


def _candidate(grid: Grid, left: list[int], chance: random.Random) -> Row:
    """A row grown from one open pair, factor by factor in an order of chance, each value the one that adds most."""
    row = {grid.factor(number): number for number in _open_pair(left, chance)}
    bits, allowed = bits_of(list(row.values())), -1
    for number in row.values():
        allowed &= grid.partners[number]
    for factor in _shuffled([at for at in range(len(grid.counts)) if at not in row], chance):
        number = _best_value(grid.values(factor, allowed=allowed), left, bits=bits, allowed=allowed, chance=chance)
        row[factor] = number
        bits, allowed = bits | 1 << number, allowed & grid.partners[number]
    return tuple(row[factor] for factor in sorted(row))


def _open_pair(left: list[int], chance: random.Random) -> tuple[int, int]:
    """The value with most left to meet, and of those the one that itself has most left."""
    loads = [(bits.bit_count() + chance.random(), number) for number, bits in enumerate(left)]
    one = max(loads)[1]
    return one, max(load for load in loads if left[one] >> load[1] & 1)[1]


def _best_value(values: list[int], left: list[int], *, bits: int, allowed: int, chance: random.Random) -> int:
    """The value that adds most to the row so far, with an eye on what the rest of the row could let it add."""
    gains = [((left[number] & bits).bit_count() + _FORESIGHT * (left[number] & allowed).bit_count() + chance.random(),
              number) for number in values]
    return max(gains)[1]


def _shuffled(items: list[int], chance: random.Random) -> list[int]:
    return [item for _, item in sorted((chance.random(), item) for item in items)]
