"""Learns the order in which repairs of syntax are tried, and writes ``weights.txt`` beside the repair.

``python -m benchmarks.repair_syntax_weights`` seeds faults into some packages, asks the repair for everything that it
would try, and fits one weight for each feature: a softmax over the candidates of a fault that parse, the sum of the
right ones made likely, weights held small. Nothing of ``tests/corpus`` is read. It takes some minutes on one core.
"""

from __future__ import annotations

import argparse
import ast
import functools
import heapq
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.repair_syntax import Broken
from benchmarks.repair_syntax_seeds import LEARNED, Edit, faults
from windtunnel.repair.syntax import ranking
from windtunnel.repair.syntax.edits import Window
from windtunnel.repair.syntax.fault import compile_fault
from windtunnel.repair.syntax.features import Habits, features
from windtunnel.repair.syntax.model import model
from windtunnel.repair.syntax.region import Region, region_of
from windtunnel.repair.syntax.search import NATURAL, candidates
from windtunnel.repair.syntax.trees import tree_features, tree_of

_FEWEST = 4
"""Faults in which a feature must tell candidates apart to be kept."""
_PULL = 1.0
"""How strongly weights are held at zero."""
_ROUNDS, _PACE = 400, 0.05
_LEAST = 0.05


@dataclass(frozen=True, slots=True)
class Choice:
    """What was to choose from for one fault: the features of each candidate that parses, and whether it is right."""

    kind: str
    rows: list[dict[str, float]]
    right: list[bool]
    missed: str = ""
    """Why no candidate is right, where none is."""


def choice_of(one: Broken, edit: Edit) -> Choice:
    """The candidates of a fault."""
    fault = compile_fault(one.broken)
    if fault is None:
        return Choice(one.kind, [], [], "compiles")
    region = region_of(one.broken, fault)
    window = Window(region, model(), whole=one.broken)
    habits = Habits(window)
    wanted = _wanted(one, edit, region)
    natural = heapq.nlargest(NATURAL, candidates(window), key=lambda candidate: candidate.score)
    told: set[str] = set()
    rows, right = [], []
    for candidate in natural:
        part = candidate.apply(region.text)
        tree = tree_of(region, part) if part not in told else None
        told.add(part)
        if tree is not None:
            rows.append(dict(features(habits, candidate)) | dict(tree_features(tree)))
            right.append(ast.dump(tree) == wanted)
    if any(right):
        return Choice(one.kind, rows, right)
    return Choice(one.kind, rows, right, missed="outside" if wanted is None else "never")


def _wanted(one: Broken, edit: Edit, region: Region) -> str | None:
    """The tree of the region before it was broken."""
    start, _, new = edit
    longer = len(one.good) - len(one.broken)
    if not region.start <= start <= start + len(new) <= region.end:
        return None
    tree = tree_of(region, one.good[region.start : region.end + longer])
    return None if tree is None else ast.dump(tree)


def fitted(choices: list[Choice], *, start: dict[str, float]) -> dict[str, float]:
    """Weights by feature; what a tree shows only ever speaks against it, so that the search may stop early."""
    used = [choice for choice in choices if any(choice.right) and not all(choice.right)]
    names = _names(used, start)
    table = _Table(used, names)
    weights = np.array([start.get(name, 0.0) for name in names])
    prior = weights.copy()
    most = np.array([0.0 if name.startswith("tree ") else np.inf for name in names])
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for number in range(1, _ROUNDS + 1):
        slope = table.slope(weights) + _PULL * (weights - prior)
        first = 0.9 * first + 0.1 * slope
        second = 0.999 * second + 0.001 * slope**2
        step = _PACE * min(1.0, 3.0 * (1 - number / _ROUNDS) + 0.02)
        weights -= step * (first / (1 - 0.9**number)) / (np.sqrt(second / (1 - 0.999**number)) + 1e-8)
        weights = np.minimum(weights, most)
    return {name: float(weight) for name, weight in zip(names, weights, strict=True) if abs(weight) >= _LEAST}


def _names(used: list[Choice], start: dict[str, float]) -> list[str]:
    """Features that differ between the candidates of enough faults."""
    seen: Counter[str] = Counter()
    for choice in used:
        seen.update({name for row in choice.rows for name in row})
    return sorted({name for name, count in seen.items() if count >= _FEWEST} | set(start))


class _Table:
    """All features of all candidates as one sparse table."""

    def __init__(self, used: list[Choice], names: list[str]) -> None:
        places = {name: at for at, name in enumerate(names)}
        rows = [row for choice in used for row in choice.rows]
        cells = [(number, places[name], value) for number, row in enumerate(rows)
                 for name, value in row.items() if name in places]
        self.row, self.column = np.array([cell[0] for cell in cells]), np.array([cell[1] for cell in cells])
        self.value = np.array([cell[2] for cell in cells])
        self.right = np.array([right for choice in used for right in choice.right])
        self.bounds = np.cumsum([0, *(len(choice.rows) for choice in used)])[:-1]
        self.of = np.repeat(np.arange(len(used)), [len(choice.rows) for choice in used])
        self.width = len(names)

    def slope(self, weights: np.ndarray) -> np.ndarray:
        """Of the sum over faults of minus the logarithm of how likely the right ones are together."""
        score = np.bincount(self.row, self.value * weights[self.column], minlength=len(self.of))
        every = self.share(score)
        good = self.share(np.where(self.right, score, -1e9))
        return np.bincount(self.column, self.value * (every - good)[self.row], minlength=self.width)

    def share(self, score: np.ndarray) -> np.ndarray:
        """The softmax within each fault."""
        raised = np.exp(score - np.maximum.reduceat(score, self.bounds)[self.of])
        return raised / np.add.reduceat(raised, self.bounds)[self.of]


def first_right(choices: list[Choice], weights: dict[str, float]) -> Counter[str]:
    """How often the best candidate is right, by kind."""
    found: Counter[str] = Counter()
    for choice in choices:
        scores = [sum(weights.get(name, 0.0) * value for name, value in row.items()) for row in choice.rows]
        found[choice.kind] += bool(scores) and choice.right[scores.index(max(scores))]
    return found


def written(weights: dict[str, float]) -> str:
    """The table in the form that is shipped."""
    return "".join(f"{weight:.2f} {name}\n" for name, weight in sorted(weights.items()))


def collected(count: int, seed: int) -> Iterator[Choice]:
    """Choices of so many faults."""
    for one, edit in faults(LEARNED, count=count, seed=seed):
        yield choice_of(one, edit)


def main() -> None:
    """Learn, say what was learned, and write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faults", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    choices = list(collected(asked.faults, asked.seed))
    parted = len(choices) * 9 // 10
    start = {"score": 1.0}
    tried = fitted(choices[:parted], start=start)
    weights = fitted(choices, start=start)
    _report(choices[parted:], tried)
    Path(ranking.__file__).with_name("weights.txt").write_text(written(weights), "utf-8")


def _report(unseen: list[Choice], weights: dict[str, float]) -> None:
    """What the weights of nine tenths do on the last tenth."""
    say = functools.partial(print)
    every, reached = Counter(one.kind for one in unseen), Counter(one.kind for one in unseen if any(one.right))
    right, missed = first_right(unseen, weights), Counter(f"{one.kind} {one.missed}" for one in unseen if one.missed)
    for kind in sorted(every):
        say(f"{kind:22} {right[kind]:4} right, {reached[kind]:4} reached of {every[kind]:4}")
    say(f"{'all':22} {right.total():4} right, {reached.total():4} reached of {every.total():4}; {dict(missed)}")


if __name__ == "__main__":
    main()
