"""Which tests a mutant concerns, in which order, and what its fate rests on."""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

from windtunnel_mutant_code import Sources, run_in  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_mutant_footprint import joined  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_trust import Trust  # type: ignore[import-not-found]  # the same


class Reach:
    """Of the mutants of one run, as the clean runs show it."""

    def __init__(self, mutants: List[Dict[str, Any]], sources: Sources, trust: Trust) -> None:
        """``trust`` is asked each time: it may come to know more tests."""
        self.mutants, self.sources, self.trust = mutants, sources, trust
        self.killers: Dict[Tuple[str, str], Dict[str, int]] = {}
        self.loading: Dict[int, bool] = {}

    def forget(self) -> None:
        """What was found with fewer tests."""
        self.loading.clear()

    def noticed(self, number: int, by: str) -> None:
        """A test that notices one mutant of a function is likely to notice others of it."""
        known = self.killers.setdefault(function_of(self.mutants[number]), {})
        known[by] = known.get(by, 0) + 1

    def tests(self, number: int) -> List[str]:
        """Those that reach it: the likeliest to notice first, then the cheapest.

        What runs when its file is loaded concerns all tests that may load it, those that run it or its file first.
        """
        mutant, found = self.mutants[number], self.running(number)
        # A file whose name stands in no other was loaded all the same, and nobody knows for whom.
        loading = self.trust.files_of.get(mutant["path"]) or self.trust.cost.keys() & set(self.trust.good)
        further = loading if self.loads(number) else ()
        known = self.killers.get(function_of(mutant), {})
        return sorted({*found, *further}, key=lambda name: (
            -known.get(name, 0), name not in found, self.trust.cost[name], name))

    def running(self, number: int) -> Dict[str, None]:
        """Tests that run its lines themselves."""
        mutant = self.mutants[number]
        places = [(mutant["path"], line) for line in range(mutant["first"], mutant["last"] + 1)]
        return dict.fromkeys(name for place in places for name in self.trust.reach.get(place, ()))

    def loads(self, number: int) -> bool:
        """Whether what it changes ran already when the project was loaded.

        A line that ran is not enough: one that makes a function runs, and what is inside the function does not.
        """
        if number not in self.loading:
            mutant, path = self.mutants[number], self.mutants[number]["path"]
            ran = any((path, line) in self.trust.loaded for line in range(mutant["first"], mutant["last"] + 1))
            pairs = self.sources.pairs(mutant) if ran else []
            self.loading[number] = pairs is None or run_in(pairs, self.trust.codes, path)
        return self.loading[number]

    def footprint(self, number: int, by: str) -> str:
        """A mutant that was noticed rests on the test that noticed it; any other on all that might have."""
        if by:
            return str(self.trust.footprint[by])
        return str(joined([self.trust.footprint[name] for name in {*self.tests(number), *self.trust.spawning}]))


def function_of(mutant: Dict[str, Any]) -> Tuple[str, str]:
    """Where it is, for those that are alike."""
    return mutant["path"], mutant["function"]
