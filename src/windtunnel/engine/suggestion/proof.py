"""Suggested tests, tried: only what passes on the code as it is, in every order, and fails with its mutants is kept.

Two interpreters one after the other: in the first each test runs alone in a process that loads the project; in the
second all of a file run forwards and backwards in a copy of one that has collected them. Each orders sets by a seed of
its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from windtunnel.core.mutation import Mutant
from windtunnel.core.ports import Rig
from windtunnel.engine.suggestion.run import Stage, prove
from windtunnel.mutation.suggest_place import Sheet
from windtunnel.mutation.suggest_text import Test

_PASSED, _FAILED = "survived", "killed"
_MOST_ROUNDS = 3
_WAVERS = "the test that was found does not always pass on the code as it is"
_MISSES = "the test that was found does not fail with it when it is tried"
_UNTRIED = "the test that was found could not be tried in time"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trial:
    """Some tests run together."""

    sheet: Sheet
    tests: tuple[Test, ...]
    mutant: int
    """Below zero where the code is as it is."""
    way: str

    def row(self, clean: int) -> dict[str, object]:
        """For the runner; ``clean`` is the number of the mutant that changes nothing."""
        return {"tests": [self.sheet.id_of(test) for test in self.tests], "clean": self.mutant < 0, "way": self.way,
                "mutant": clean if self.mutant < 0 else self.mutant}


def proven(
    rig: Rig, stage: Stage, sheets: Sequence[Sheet], mutants: Sequence[Mutant], none: dict[str, str],
) -> list[Sheet]:
    """Those that hold, with the mutants for which they do; why others do not goes to ``none``."""
    left = [sheet for sheet in sheets if sheet.tests]
    for way in ("fresh", "warm"):
        for _ in range(_MOST_ROUNDS):
            if not left:
                return []
            trials = list(_trials(left, way))
            rows = [trial.row(len(mutants)) for trial in trials]
            told = prove(rig, stage, rows, mutants, laid={sheet.path: sheet.content for sheet in left})
            before, left = left, _kept(left, list(zip(trials, _ends(told, len(trials)), strict=True)), mutants, none)
            if way == "fresh" or left == before:
                break  # those that passed alone were not together with any that did not
    return left


def _trials(sheets: Iterable[Sheet], way: str) -> Iterable[_Trial]:
    for sheet in sheets:
        own = "fresh" if sheet.source is None else way  # a new file may not be among those that are collected
        if way == "warm":
            yield _Trial(sheet=sheet, tests=sheet.tests, mutant=-1, way=own)
            yield _Trial(sheet=sheet, tests=sheet.tests[::-1], mutant=-1, way=own)
        for test in sheet.tests:
            if way == "fresh":
                yield _Trial(sheet=sheet, tests=(test,), mutant=-1, way=own)
            for number in test.kills:
                yield _Trial(sheet=sheet, tests=(test,), mutant=number, way=own)


def _ends(told: Mapping[str, Any], count: int) -> list[tuple[str, int]]:
    ends = told.get("ends")
    found = [(str(end[0]), end[1] if isinstance(end[1], int) else -1) for end in ends
             if isinstance(end, list) and len(end) == 2] if isinstance(ends, list) else []  # noqa: PLR2004 -- a pair
    return found if len(found) == count else [("", -1)] * count


def _kept(
    sheets: Sequence[Sheet], ended: Sequence[tuple[_Trial, tuple[str, int]]], mutants: Sequence[Mutant],
    none: dict[str, str],
) -> list[Sheet]:
    dropped: dict[tuple[str, str], str] = {}
    missed: set[tuple[str, str, int]] = set()
    for trial, (fate, by) in ended:
        names = [(trial.sheet.path, test.name) for test in trial.tests]
        if trial.mutant < 0 and fate != _PASSED:
            guilty = names[by:by + 1] if fate == _FAILED and 0 <= by < len(names) else names
            dropped |= dict.fromkeys(guilty, _WAVERS if fate == _FAILED else _UNTRIED)
        elif trial.mutant >= 0 and fate != _FAILED:
            missed.add((*names[0], trial.mutant))
            none[mutants[trial.mutant].id] = _MISSES if fate == _PASSED else _UNTRIED
    kept = []
    for sheet in sheets:
        tests = []
        for test in sheet.tests:
            kills = tuple(number for number in test.kills if (sheet.path, test.name, number) not in missed)
            why = dropped.get((sheet.path, test.name))
            none.update({mutants[number].id: why for number in test.kills} if why else {})
            if kills and why is None:
                tests.append(replace(test, kills=kills))
        kept += [replace(sheet, tests=tuple(tests))] if tests else []
    return kept
