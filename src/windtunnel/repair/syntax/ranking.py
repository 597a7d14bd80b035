"""The learned part of the order: one weight for each feature, from seeded faults in published packages.

A table of lines ``weight name``; what has no line counts nothing. ``benchmarks/repair_syntax_weights.py`` writes it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import resources

from windtunnel.repair.syntax.edits import Candidate
from windtunnel.repair.syntax.features import Habits, features


@cache
def weights() -> dict[str, float]:
    """The shipped ones, by name."""
    text = resources.files(__package__).joinpath("weights.txt").read_text("utf-8")
    rows = (line.partition(" ") for line in text.splitlines() if line)
    return {name: float(value) for value, _, name in rows}


def weighed(found: Iterable[tuple[str, float]]) -> float:
    """The sum of all features, each by its weight."""
    table = weights()
    return sum(table.get(name, 0.0) * value for name, value in found)


def rank(habits: Habits, candidate: Candidate) -> float:
    """How likely a candidate is right against others of its fault; higher is likelier."""
    return weighed(features(habits, candidate))
