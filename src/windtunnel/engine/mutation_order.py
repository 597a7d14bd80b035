"""Which mutants come first, and what a part of them says of all.

Two orders are dealt like cards, one from each in turn: a random draw, from which the score of all can be told, and the
likeliest survivors first, because they are what a person wants to see. How likely is simple: the share of mutants of
the same operator that survived before, and the share of those in the same function, each with one survivor and one kill
added so that little evidence counts little; the mean of the two.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence

from windtunnel.core.mutation import Estimate, Experience, Fate, Judged, Mutant

_Z = 1.96
"""For 95 of 100."""


def draw(mutants: Sequence[Mutant]) -> list[int]:
    """All of them in a random order, always the same for the same mutants."""
    order = list(range(len(mutants)))
    random.Random("".join(mutant.id for mutant in mutants)).shuffle(order)  # noqa: S311 -- chance, no secret
    return order


def dealt(mutants: Sequence[Mutant], experience: Experience) -> list[int]:
    """The order to judge in."""
    likely = sorted(range(len(mutants)), key=lambda number: -survival(mutants[number], experience))
    return list(dict.fromkeys(_in_turn(draw(mutants), likely)))


def _in_turn(one: Sequence[int], other: Sequence[int]) -> Iterator[int]:
    for pair in zip(one, other, strict=True):
        yield from pair


def survival(mutant: Mutant, experience: Experience) -> float:
    """How likely nobody notices it."""
    shares = [(survived + 1) / (judged + 2) for survived, judged in (
        experience.operators.get(mutant.operator, (0, 0)),
        experience.functions.get((mutant.path, mutant.function), (0, 0)))]
    return sum(shares) / len(shares)


def estimate(judged: Sequence[Judged]) -> Estimate | None:
    """From the draw as far as it was judged without a gap; None where all were judged, or nothing says anything."""
    if all(one.fate is not Fate.NOT_JUDGED for one in judged):
        return None
    told = []
    for number in draw([one.mutant for one in judged]):
        if judged[number].fate is Fate.NOT_JUDGED:
            break
        if judged[number].fate.counts:
            told.append(judged[number].fate is Fate.KILLED)
    if not told:
        return None
    low, high = wilson(sum(told), len(told))
    return Estimate(share=sum(told) / len(told), low=low, high=high, drawn=len(told))


def wilson(hits: int, tries: int) -> tuple[float, float]:
    """The interval that holds the true share in 95 of 100 draws (Wilson's score interval)."""
    share, square = hits / tries, _Z * _Z
    middle = (share + square / (2 * tries)) / (1 + square / tries)
    reach = _Z * math.sqrt(share * (1 - share) / tries + square / (4 * tries * tries)) / (1 + square / tries)
    return max(0.0, middle - reach), min(1.0, middle + reach)
