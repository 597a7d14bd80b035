"""The seven experts weighed by how they did: exponential weights over their scaled errors, older ones fading.

After each value, an expert's loss is ``fading · loss + |error| / scale``, where the scale is the mean absolute first
difference seen so far. Its weight is ``exp(-rate · loss - handicap)``, and the weights are made to add up to 1. The
handicap is what is held against an expert before anything was seen.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from windtunnel.core.series import finite
from windtunnel.returns.experts import EXPERTS, Expert

RATE = 0.7
FADING = 0.83
HANDICAPS: Mapping[str, float] = {
    "naive": 0.0, "smoothing": 0.5, "drift": 0.0, "theta": 1.8, "damped": 3.0, "median": 0.0, "mean": 7.0}


class Mixture:
    """Sees values one by one; keeps its own one-step errors."""

    def __init__(self) -> None:
        """Nothing seen."""
        self._experts: dict[str, Expert] = {name: make() for name, make in EXPERTS.items()}
        self._losses = dict.fromkeys(EXPERTS, 0.0)
        self._last = self._moved = 0.0
        self._count = 0
        self.errors: list[float] = []
        """Truth less forecast, from the second value on."""

    def see(self, value: float) -> None:
        """Everyone errs, then learns."""
        if self._count:
            self._judge(value)
        for expert in self._experts.values():
            expert.see(value)
        self._last = value
        self._count += 1

    def ahead(self, steps: int) -> float:
        """The weighed mean of what the experts say."""
        weights = self.weights()
        return math.fsum(weights[name] * expert.ahead(steps) for name, expert in self._experts.items())

    def weights(self) -> dict[str, float]:
        """Together 1."""
        scores = {name: -RATE * loss - HANDICAPS[name] for name, loss in self._losses.items()}
        best = max(scores.values())
        raw = {name: math.exp(score - best) for name, score in scores.items()}
        total = math.fsum(raw.values())
        return {name: weight / total for name, weight in raw.items()}

    def _judge(self, value: float) -> None:
        weights, said = self.weights(), {name: expert.ahead(1) for name, expert in self._experts.items()}
        self.errors.append(value - math.fsum(weights[name] * said[name] for name in said))
        self._moved += abs(value - self._last)
        scale = self._moved / self._count
        for name, told in said.items():
            loss = abs(value - told) / scale if scale else 0.0
            self._losses[name] = FADING * self._losses[name] + loss


def seen(values: Sequence[float]) -> Mixture:
    """A mixture that saw all of them, in order; values beyond ``LARGEST`` are refused, since their sums are none."""
    made = Mixture()
    for value in values:
        made.see(finite(value, field="series"))
    return made
