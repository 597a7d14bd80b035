"""What speaks against a fix beside others: ``python -m benchmarks.doubt_learning tune.jsonl [held.jsonl]``.

The files are those that ``benchmarks.doubt_answers`` writes. Weights are learned on the first one by logistic
regression with no weight below zero, with the case's other fixes beside each. Each case is scored by weights learned on
all other cases, and the bias is that with which five in a hundred good fixes at most are refused so: half of what is
allowed, because forty good fixes are few to tell ten in a hundred by. Then both files are counted with the weights that
Windtunnel has: each fix alone, beside every two and every three others of its case, and beside all of them.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from windtunnel.engine.disagreement_rule import weighed
from windtunnel.engine.disagreement_signs import given, strengths
from windtunnel.engine.disagreement_weights import BIAS
from windtunnel.engine.disagreement_words import Heard, heard

_FLAGGED = 0.05
"""Of the good fixes, scored by weights of other cases: at most so many are refused."""
_STEPS, _STEP, _DECAY = 1500, 0.6, 1.0
Weights = dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A fix of which is known what it is."""

    case: str
    hollow: bool
    told: Heard

    def beside(self, many: int) -> Iterator[Known]:
        """The same with every choice of so many of the case's other fixes."""
        made = tuple(version for version in self.told.others if version.base != "given")
        for some in itertools.combinations(given(self.told), many):
            yield replace(self, told=replace(self.told, others=(*some, *made)))


def main() -> None:
    """Print the table of weights and what they are worth, and the counts of the other file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("learned", type=Path)
    parser.add_argument("counted", type=Path, nargs="?")
    chosen = parser.parse_args()
    fixes = read(chosen.learned)
    weights, scores = learned(fixes)
    print(f"WEIGHTS = {({name: round(weight, 2) for name, weight in weights.items()})}")
    print(f"each case by the others: {_told(fixes, scores)}")
    for path in filter(None, (chosen.learned, chosen.counted)):
        known = read(path)
        for name, most in (("alone", 0), ("beside two", 2), ("beside three", 3)):
            print(f"{path.stem}, {name}: {_counts([each for one in known for each in one.beside(most)])}")
        print(f"{path.stem}, beside all: {_counts(known)}")


def read(path: Path) -> list[Known]:
    """What was written of each fix."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return [Known(case=row["case"], hollow=row["hollow"], told=replace(heard(row["said"]), new=tuple(row["new"])))
            for row in rows]


def learned(fixes: Sequence[Known]) -> tuple[Weights, list[float]]:
    """Weights from all of them, with the bias for few good ones; and scores of each by weights from other cases."""
    shown = [strengths(one.told) for one in fixes]
    kinds = [float(one.hollow) for one in fixes]
    scores = [0.0] * len(fixes)
    for case in sorted({one.case for one in fixes}):
        rest = [at for at, one in enumerate(fixes) if one.case != case]
        weights = _fitted([shown[at] for at in rest], [kinds[at] for at in rest])
        for at, one in enumerate(fixes):
            if one.case == case:
                scores[at] = _sum(weights, shown[at])
    bound = _bound([score for score, one in zip(scores, fixes, strict=True) if not one.hollow])
    weights = _fitted(shown, kinds)
    return {**weights, BIAS: weights[BIAS] - bound}, [score - bound for score in scores]


def _bound(good: Sequence[float]) -> float:
    """The least score that no more good fixes exceed than may."""
    return sorted(good, reverse=True)[int(_FLAGGED * len(good))]


def _fitted(shown: Sequence[Mapping[str, float]], kinds: Sequence[float]) -> Weights:
    """By gradient descent on the logistic loss; large weights cost."""
    rows = [{**each, BIAS: 1.0} for each in shown]
    weights = dict.fromkeys(rows[0], 0.0)
    for _ in range(_STEPS):
        slope = dict.fromkeys(weights, 0.0)
        for row, kind in zip(rows, kinds, strict=True):
            error = 1 / (1 + math.exp(-_sum(weights, row))) - kind
            for name, value in row.items():
                slope[name] += error * value
        for name in weights:
            cost = _DECAY * weights[name] if name != BIAS else 0.0
            moved = weights[name] - _STEP * (slope[name] + cost) / len(rows)
            weights[name] = moved if name == BIAS else max(0.0, moved)
    return weights


def _sum(weights: Mapping[str, float], row: Mapping[str, float]) -> float:
    return sum(weight * row.get(name, 1.0) for name, weight in weights.items())


def _told(fixes: Sequence[Known], scores: Sequence[float]) -> str:
    hollow, good = ([score for score, one in zip(scores, fixes, strict=True) if one.hollow is kind]
                    for kind in (True, False))
    pairs = [(one > other) + (one == other) / 2 for one in hollow for other in good]
    return (f"{_over(hollow)} hollow and {_over(good)} good refused, area under the curve "
            f"{sum(pairs) / max(1, len(pairs)):.2f}")


def _over(scores: Sequence[float]) -> str:
    return f"{sum(score > 0 for score in scores)} of {len(scores)}"


def _counts(fixes: Sequence[Known]) -> str:
    """With the weights that Windtunnel has; what cannot be judged is not refused."""
    scores = [weighed(one.told).score for one in fixes]
    told = _told(fixes, [-math.inf if score is None else score for score in scores])
    return f"{told}; {scores.count(None)} not judged"


if __name__ == "__main__":
    main()
