"""Is the change faster? Decided from interleaved runs, as soon as it can be said, with a bound on being wrong.

A pair is one run of the code before and one after, next to each other; which of them is first is a coin of its own for
each pair. What counts is ``d = log(before / after)`` of each pair. Where a change alters nothing, the two times of a
pair would have been the same two whichever was in front, so the sign of each ``d`` is a fair coin whatever the machine
did meanwhile: slow stretches, drifts and noise that resembles itself from run to run change nothing about that. The
exact signed-rank test rests on these coins and on nothing else.

The rule: at a few looks that are fixed beforehand, the change is kept where

- the test says with ``p <= false_accepts / number of looks`` that the gain is above half of the worthwhile one, and
- the estimate of the gain (Hodges and Lehmann's) is at least the worthwhile one.

So a change that gains nothing is kept with a chance of at most ``false_accepts``, all looks together. It is reverted
where the test says with ``p <= give_up`` that the gain is below the worthwhile one, and after the last look.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from enum import StrEnum

from windtunnel.core.errors import UsageError
from windtunnel.speedups.signed_rank import centre, chance, interval

_MOST_PAIRS = 200
_OUTSIDE = 0.05


class Answer(StrEnum):
    """What to do after the pairs so far."""

    KEEP = "keep"
    REVERT = "revert"
    MORE = "go on"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """When a change is kept; settled before the first run."""

    worthwhile: float = 0.02
    """The least gain that is worth an edit, as a share of the time before."""
    false_accepts: float = 0.005
    """How likely a change that gains nothing is kept, at most."""
    give_up: float = 0.05
    """How surely the gain is too small where it is reverted before the last look; at each look."""
    looks: tuple[int, ...] = (12, 20, 28, 40)
    """After how many pairs it is looked at."""

    def __post_init__(self) -> None:
        """Refuse what bounds nothing."""
        for name, most in (("worthwhile", 0.9), ("false_accepts", 0.5), ("give_up", 0.5)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= most:
                raise UsageError(f"{name}: not a number above 0 and up to {most}: {value!r:.60}", field=name)
        rising = all(one < other for one, other in zip(self.looks, self.looks[1:], strict=False))
        if not self.looks or not rising or not 1 <= self.looks[0] <= self.looks[-1] <= _MOST_PAIRS:
            raise UsageError(f"looks: not rising numbers of pairs from 1 to {_MOST_PAIRS}: {self.looks!r:.60}",
                             field="looks")


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What is known after some pairs; the gains are shares of the time before, negative where it is slower."""

    answer: Answer
    pairs: int
    gain: float
    low: float
    """The gain is between this and ``high`` with 95 % confidence; minus infinity where there are too few pairs."""
    high: float
    chance: float
    """The ``p`` of the test that the gain is above half of the worthwhile one."""


class Comparison:
    """Takes pairs of times as they come."""

    def __init__(self, terms: Terms | None = None, *, seed: int = 0) -> None:
        """The seed says which run of each pair is first."""
        self.terms = terms or Terms()
        self._coin = random.Random(seed)  # noqa: S311 -- an order, no secret
        self._logs: list[float] = []
        self.standing = Standing(answer=Answer.MORE, pairs=0, gain=0.0, low=-math.inf, high=1.0, chance=1.0)

    def before_first(self) -> bool:
        """Whether the code before the change runs first in the next pair; to be asked once for each pair."""
        return self._coin.random() < 0.5  # noqa: PLR2004 -- a fair coin

    def add(self, before_seconds: float, after_seconds: float) -> Standing:
        """One pair more; only at looks does the answer change."""
        for name, value in (("before_seconds", before_seconds), ("after_seconds", after_seconds)):
            if not (math.isfinite(value) and value > 0):
                raise UsageError(f"{name}: not a time above 0: {value!r:.60}", field=name)
        if self.standing.answer is not Answer.MORE:
            raise UsageError(f"pair: it is decided already: {self.standing.answer}", field="pair")
        self._logs.append(math.log(before_seconds / after_seconds))
        if len(self._logs) in self.terms.looks:
            self.standing = self._looked()
        return self.standing

    def _looked(self) -> Standing:
        terms, logs = self.terms, self._logs
        worth, half = -math.log1p(-terms.worthwhile), -math.log1p(-terms.worthwhile / 2)
        found, middle = chance([one - half for one in logs]), centre(logs)
        low, high = interval(logs, outside=_OUTSIDE)
        answer = Answer.MORE
        if found <= terms.false_accepts / len(terms.looks) and middle >= worth:
            answer = Answer.KEEP
        elif len(logs) == terms.looks[-1] or chance([worth - one for one in logs]) <= terms.give_up:
            answer = Answer.REVERT
        return Standing(answer=answer, pairs=len(logs), gain=-math.expm1(-middle), low=-math.expm1(-low),
                        high=-math.expm1(-high), chance=found)
