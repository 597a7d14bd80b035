"""Wilcoxon's signed-rank test, exact for any number of pairs that is used here, ties included.

Formula: the differences are ranked by size (equal ones share the mean of their ranks, zeros are left out); ``W`` is the
sum of the ranks of the positive ones. Where each sign is a fair coin, every one of the ``2**n`` choices of signs is
equally likely, and ``p`` is the share of those whose sum is at least ``W``. All of them are counted: the product of
``1 + x**rank`` has at ``x**s`` how many choices have the sum ``s``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache


def chance(differences: Sequence[float]) -> float:
    """How likely differences are to be so far above zero, where each has a sign by chance; one-sided."""
    ranks, positive = _doubled_ranks([one for one in differences if one != 0.0])
    if not ranks:
        return 1.0
    return _tail(tuple(sorted(ranks)), positive) / (1 << len(ranks))


def centre(values: Sequence[float]) -> float:
    """Hodges and Lehmann's estimate: the median of the means of all pairs of values, each with itself among them."""
    walsh = _walsh(values)
    middle = len(walsh) // 2
    return walsh[middle] if len(walsh) % 2 else (walsh[middle - 1] + walsh[middle]) / 2


def interval(values: Sequence[float], *, outside: float) -> tuple[float, float]:
    """Where the centre may be: each end is passed with at most half of ``outside``, by the same test turned around."""
    walsh = _walsh(values)
    ranks = tuple(2 * rank for rank in range(1, len(values) + 1))
    low, high = 0, len(walsh)
    while low < high:  # the most means that may be cut off at an end
        cut = (low + high + 1) // 2
        if _tail(ranks, 2 * (len(walsh) - cut + 1)) / (1 << len(ranks)) <= outside / 2:
            low = cut
        else:
            high = cut - 1
    return (-math.inf, math.inf) if low == 0 else (walsh[low - 1], walsh[len(walsh) - low])


def _walsh(values: Sequence[float]) -> list[float]:
    return sorted((one + other) / 2 for at, one in enumerate(values) for other in values[at:])


def _doubled_ranks(differences: Sequence[float]) -> tuple[list[int], int]:
    """Twice the rank of each, whole numbers even for ties; and the sum of those of the positive ones."""
    order = sorted(range(len(differences)), key=lambda at: abs(differences[at]))
    ranks = [0] * len(differences)
    begin = 0
    while begin < len(order):
        end = begin
        while end < len(order) and abs(differences[order[end]]) == abs(differences[order[begin]]):
            end += 1
        for at in order[begin:end]:
            ranks[at] = begin + end + 1
        begin = end
    return ranks, sum(rank for rank, one in zip(ranks, differences, strict=True) if one > 0)


@lru_cache(maxsize=64)
def _counts(ranks: tuple[int, ...]) -> tuple[int, int]:
    """The product as one whole number with a field for each sum, and the bits of a field."""
    bits = len(ranks) + 1
    product = 1
    for rank in ranks:
        product += product << (rank * bits)
    return product, bits


def _tail(ranks: tuple[int, ...], least: int) -> int:
    """How many choices of signs have at least this sum."""
    product, bits = _counts(ranks)
    rest = product >> (max(0, least) * bits)
    mask, found = (1 << bits) - 1, 0
    data = rest.to_bytes((rest.bit_length() + 7) // 8 or 1, "little")
    fields = range(0, rest.bit_length(), bits)
    for at in fields:  # by slices of bytes: shifting the whole number each time would be slow
        first = at // 8
        found += (int.from_bytes(data[first:first + bits // 8 + 2], "little") >> (at % 8)) & mask
    return found
