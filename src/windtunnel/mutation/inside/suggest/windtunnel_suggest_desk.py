"""Gives out the work, and gathers what comes of it; never loads anything of the project."""

from __future__ import annotations

import os
import time
from collections import deque
from typing import Any, Callable, Deque, Dict, List, Tuple

from windtunnel_mutant_copies import Copies, Copy  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_mutant_tree import Tree  # type: ignore[import-not-found]  # the same

RECORDING, SEARCHING = 0.3, 0.9
"""Of all the time there is: until when tests are listened to, and inputs looked for."""
OF_ONE_SECONDS, LEAST_SECONDS, FRESH_SECONDS, WALL_SECONDS = 20.0, 2.0, 10.0, 60.0
MOST_ORDERS = 5


class Desk:
    """All the work of one run."""

    def __init__(self, copies: Copies, options: Dict[str, Any], *, until: float) -> None:
        """``until`` as the clock of this process tells it."""
        self.copies, self.options, self.until = copies, options, until
        self.begun = time.monotonic()
        self.tree = Tree(os.getcwd())

    def find(self) -> Dict[str, Any]:
        """Tests for each function, and why there is none for others."""
        tests = list(dict.fromkeys(name for target in self.options["targets"] for name in target["tests"]))
        most = max(LEAST_SECONDS, RECORDING * (self.until - self.begun))
        heard = self.copies.ask({"do": "record", "tests": tests, "most": most}, seconds=2 * most + WALL_SECONDS)
        self.tree.restore()
        calls = heard.word.get("calls") if heard.fate == "told" else None
        if not isinstance(calls, list) or len(calls) != len(self.options["targets"]):
            why = str(heard.word.get("message", heard.fate))[:200]
            return {"broken": "the tests did not come to their end while their calls were listened to (" + why + ")"}
        found: List[Dict[str, Any]] = [{} for _ in calls]
        waiting: Deque[int] = deque(number for number, one in enumerate(calls) if one)
        until = self.begun + SEARCHING * (self.until - self.begun)

        def begin() -> Tuple[int, int]:
            number = waiting.popleft()
            left = (until - time.monotonic()) * self.options["workers"] / (len(waiting) + 1)
            most = max(LEAST_SECONDS, min(OF_ONE_SECONDS, left))
            made = self.copies._new("warm", [], seconds=most + WALL_SECONDS)
            self.copies._warm({"do": "search", "target": number, "calls": calls[number], "most": most}, made)
            return made.number, number

        def over(ended: Copy, number: int) -> None:
            failed = str(ended.word.get("message", ended.fate))[:300]
            found[number] = ended.word if ended.fate == "told" else {"failed": failed}

        self._each(waiting, begin, over, until=until)
        return {"found": found}

    def _each(
        self, waiting: Any, begin: Callable[[], Tuple[int, Any]], over: Callable[[Copy, Any], None], *, until: float,
    ) -> None:
        """So many at once, while there is time; files that one wrote are put back when none is under way."""
        known: Dict[int, Any] = {}
        while (waiting and time.monotonic() < until) or self.copies.under_way:
            while waiting and len(self.copies.under_way) < self.options["workers"] and time.monotonic() < until:
                number, what = begin()
                known[number] = what
            for ended in self.copies.wait() if self.copies.under_way else ():
                over(ended, known[ended.number])
        self.tree.restore()

    def prove(self) -> Dict[str, Any]:
        """How each trial ended: ``survived`` where all its tests passed, ``killed`` with the one that failed first."""
        trials: List[Dict[str, Any]] = self.options["trials"]
        ends: List[List[Any]] = [["", -1] for _ in trials]
        waiting: Deque[Tuple[int, str]] = deque((number, one["way"]) for number, one in enumerate(trials))

        def begin() -> Tuple[int, Any]:
            number, way = waiting.popleft()
            one = trials[number]
            self._begin(one, way)
            return self.copies.numbers, (number, way)

        def over(ended: Copy, what: Tuple[int, str]) -> None:
            number, way = what
            if ended.fate in ("fresh", "same") and way == "warm":
                waiting.append((number, "fresh"))
                return
            by = ended.word.get("by", ended.at)
            ends[number] = [ended.fate, by if isinstance(by, int) else -1]

        self._each(waiting, begin, over, until=self.until)
        return {"ends": ends}

    def _begin(self, trial: Dict[str, Any], way: str) -> None:
        tests, mutant = trial["tests"], trial["mutant"]
        seconds = [FRESH_SECONDS] * len(tests)
        if way == "fresh":
            self.copies.fresh(mutant, tests, FRESH_SECONDS * (1 + len(tests)), wall=WALL_SECONDS * (1 + len(tests)))
        elif trial["clean"]:
            made = self.copies._new("warm", tests, seconds=WALL_SECONDS * (1 + len(tests)))
            self.copies._warm({"do": "pass", "tests": tests, "seconds": seconds}, made)
        else:
            self.copies.switched(mutant, tests, seconds, wall=WALL_SECONDS * (1 + len(tests)))
