"""Counts what a run found of the frail functions of the corpus.

- found: a frail function for which only conditions are named that break it: its own, or one that is the same weakness
  by another way (``also`` in ``expected.json``: a file that needs room meets both a small disk and a full one);
- misnamed: a frail function for which any other condition is named;
- missed: a frail function for which none is named;
- blamed: a sound function for which any condition is named.

found + misnamed + missed = 30.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

CORPUS = Path(__file__).parent.parent / "tests" / "corpus" / "frailties"
PROJECT = CORPUS / "project"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """Names of functions, sorted."""

    found: tuple[str, ...]
    misnamed: tuple[str, ...]
    missed: tuple[str, ...]
    blamed: tuple[str, ...]


def accepted() -> dict[str, frozenset[str]]:
    """By frail function (``shop.module.function``), the names of the conditions that break it."""
    frail = json.loads((CORPUS / "expected.json").read_text())["frail"]
    return {name: frozenset((said["condition"], *said["also"])) for name, said in frail.items()}


def count(named: Mapping[str, Collection[str]]) -> Counted:
    """Compare the conditions that a run names for each function, as ``Condition.name`` has them, with what is known."""
    frail = accepted()
    told = {name: set(conditions) for name, conditions in named.items() if conditions}
    return Counted(
        found=tuple(sorted(name for name in told if name in frail and told[name] <= frail[name])),
        misnamed=tuple(sorted(name for name in told if name in frail and not told[name] <= frail[name])),
        missed=tuple(sorted(frail.keys() - told.keys())),
        blamed=tuple(sorted(told.keys() - frail.keys())))
