"""Which proposal first: a prior that its source states, and what outcomes here taught about such proposals.

The score is ``1 / (1 + exp(-z))`` with ``z = logit(prior) + sum of weights`` over what is known of the proposal: its
origin, its name, its name with the kind of the problem, and its own features. All weights begin at 0, so that the order
begins as the priors say. After each outcome they move by one step of gradient descent on the logistic loss; steps get
smaller for what was seen often (AdaGrad). A bad outcome moves them less than a good one: there are hundreds of the one
to each of the other, and the order among good and bad is what counts. ``confidence`` is the score after Platt scaling,
learned from all outcomes alike, so that of proposals with confidence 0.7 about seven in ten turn out right.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from windtunnel.core.problem import Problem
from windtunnel.core.repair import Proposal

_STEP = 0.5
_BAD = 0.05
_FARTHEST = 4.0
"""No weight moves a score more than a prior of 0.98 would."""
_LOWEST, _HIGHEST = 0.0005, 0.98
_MOST_BYTES = 1_000_000
_MOST_WEIGHTS = 5000
_SLOPE, _SHIFT = "calibration slope", "calibration shift"
_CALIBRATION_STEP = 0.05


@dataclass(slots=True)
class Order:
    """Weights by feature; what was learned since they were read is kept apart, for others write the same file."""

    path: Path | None = None
    weights: dict[str, float] = field(default_factory=dict)
    seen: dict[str, float] = field(default_factory=dict)
    """Sums of squared gradients."""
    outcomes: int = 0
    _moved: dict[str, float] = field(default_factory=dict)
    _added: dict[str, float] = field(default_factory=dict)
    _counted: int = 0

    @classmethod
    def load(cls, path: str | os.PathLike[str] | None) -> Order:
        """What was learned before; nothing where there is no file, or one that is not ours."""
        if path is None:
            return cls()
        order = cls(path=Path(path))
        order.weights, order.seen, order.outcomes = _read(order.path or Path(path))
        return order

    def score(self, proposal: Proposal, problem: Problem | None = None) -> float:
        """From 0 to 1, for the order alone."""
        return _sigmoid(self._logit(proposal, problem))

    def confidence(self, proposal: Proposal, problem: Problem | None = None) -> float:
        """From 0 to 1: how often such a proposal turns out right."""
        slope, shift = 1.0 + self.weights.get(_SLOPE, 0.0), self.weights.get(_SHIFT, 0.0)
        return _sigmoid(slope * self._logit(proposal, problem) + shift)

    def learn(self, proposal: Proposal, problem: Problem | None = None, *, good: bool) -> None:
        """Take one outcome in."""
        self._calibrate(proposal, problem, good=good)
        error = float(good) - self.score(proposal, problem)
        for name, value in _features(proposal, problem).items():
            self._move(name, error * value * (1.0 if good else _BAD), step=_STEP)
        self.outcomes += 1
        self._counted += 1

    def save(self) -> None:
        """Add what was learned here to the file; what others learned meanwhile stays in it."""
        if self.path is None or not self._counted:
            return
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _alone(self.path):
            weights, seen, outcomes = _read(self.path)
            self.weights, self.seen = _sum(weights, self._moved), _sum(seen, self._added)
            self.outcomes = outcomes + self._counted
            _write(self.path, {"version": 1, "outcomes": self.outcomes, "weights": self.weights, "seen": self.seen})
        self._moved, self._added, self._counted = {}, {}, 0

    def _logit(self, proposal: Proposal, problem: Problem | None) -> float:
        prior = min(max(proposal.prior, _LOWEST), _HIGHEST)
        learned = sum(self.weights.get(name, 0.0) * value for name, value in _features(proposal, problem).items())
        return math.log(prior / (1.0 - prior)) + learned

    def _calibrate(self, proposal: Proposal, problem: Problem | None, *, good: bool) -> None:
        error = float(good) - self.confidence(proposal, problem)
        self._move(_SLOPE, error * self._logit(proposal, problem), step=_CALIBRATION_STEP)
        self._move(_SHIFT, error, step=_CALIBRATION_STEP)

    def _move(self, name: str, gradient: float, *, step: float) -> None:
        if not gradient or (name not in self.weights and len(self.weights) >= _MOST_WEIGHTS):
            return
        squares = self.seen.get(name, 0.0) + gradient * gradient
        old = self.weights.get(name, 0.0)
        new = min(max(old + step * gradient / math.sqrt(1.0 + squares), -_FARTHEST), _FARTHEST)
        self.weights[name], self.seen[name] = new, squares
        self._moved[name] = self._moved.get(name, 0.0) + new - old
        self._added[name] = self._added.get(name, 0.0) + gradient * gradient


def _features(proposal: Proposal, problem: Problem | None) -> dict[str, float]:
    kind = problem.kind if problem is not None else "none"
    named = {f"origin {proposal.origin}": 1.0, f"name {proposal.name}": 1.0, f"{proposal.name} for {kind}": 1.0}
    return named | {f"feature {name}": min(max(float(value), 0.0), 1.0) for name, value in proposal.features.items()}


def _sigmoid(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-min(max(value, -50.0), 50.0)))


def _sum(one: dict[str, float], other: dict[str, float]) -> dict[str, float]:
    return {name: one.get(name, 0.0) + other.get(name, 0.0) for name in {**one, **other}}


def _read(path: Path) -> tuple[dict[str, float], dict[str, float], int]:
    """Weights, squares and outcomes; none where the file is missing, too large or not ours."""
    with contextlib.suppress(OSError, ValueError):
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) <= _MOST_BYTES:
            told = json.loads(data)
            if isinstance(told, dict) and told.get("version") == 1 and isinstance(told.get("outcomes"), int):
                return _numbers(told.get("weights")), _numbers(told.get("seen")), told["outcomes"]
    return {}, {}, 0


def _numbers(told: object) -> dict[str, float]:
    if not isinstance(told, dict):
        return {}
    kept = list(told.items())[:_MOST_WEIGHTS]
    return {str(name): float(value) for name, value in kept
            if isinstance(value, int | float) and math.isfinite(value)}


def _write(path: Path, told: dict[str, object]) -> None:
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    fresh.write_text(json.dumps(told, sort_keys=True, indent=1) + "\n")
    fresh.replace(path)


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """While nobody else writes it."""
    descriptor = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW,
                         0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
