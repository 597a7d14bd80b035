"""The tests without any mutant: which pass however they are run, what each of them reaches, takes and does besides."""



from __future__ import annotations

import os
from typing import Any, Callable, Dict, Iterator, List, Optional, Set, Tuple

from windtunnel_mutant_copies import Copies, Copy  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_mutant_footprint import Footprints  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_needs import Needs  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_tree import Tree  # type: ignore[import-not-found]  # the same

LOADING_SECONDS, LOADING_TIMES = 1.0, 4
"""Of the processor, for loading and collecting anew: these, and so many times what it took the first time."""
Place = Tuple[str, int, int]
"""A file, and the first and last line of something in it."""
Run = Dict[str, Any]
EMPTY: Run = {"tests": [], "seen": [], "places": [], "ran": []}
NO_TESTS, NO_TEST_PASSES, BROKEN = "no tests", "no test passes", "the tests did not come to their end"


class Trust:
    """What three clean runs show, the last from the last test to the first; of tests that do not matter, one."""

    def __init__(self, copies: Copies, send: Callable[..., None], files: Dict[str, bytes], named: List[str]) -> None:
        """``files`` that are watched, by absolute path; ``named`` are others that tests may load."""
        self.copies, self.send, self.files, self.named = copies, send, files, named
        self.tree: Any = None
        self.few = False
        self.wavering: Set[str] = set()
        """Tests that failed and passed with the same kind of assertions."""
        self._forget()

    def _forget(self) -> None:
        """As before anything was found."""
        self.reach: Dict[Tuple[str, int], List[str]] = {}
        self.files_of: Dict[str, Set[str]] = {}
        """By file, the tests that run something in it."""
        self.footprint: Dict[str, str] = {}
        self.cost: Dict[str, float] = {}
        self.loaded: Set[Tuple[str, int]] = set()
        self.codes: Set[Tuple[str, str, int]] = set()
        """Code that ran while tests were collected: its file, name and first line."""
        self.held: Dict[str, Any] = {"modules": [], "files": []}
        """What the process had loaded that collected the tests; later, what they loaded and compiled."""
        self.unsaid = True
        self.spawning: List[str] = []
        self.writing: List[str] = []
        self.alone: Set[str] = set()
        """Tests that others would disturb, or that disturb others."""
        self.good: List[str] = []
        self.failing: List[str] = []
        self.flaky: List[str] = []
        self.dependent: List[str] = []
        self.broken: List[str] = []
        self.rest: List[str] = []
        """Tests that were not asked yet."""
        self.notes: List[str] = []
        self.collected: Optional[int] = None
        self.passing: Optional[int] = None
        self.loading = LOADING_SECONDS

    def gain(
        self, seconds: Callable[[], float], places: Optional[List[Place]] = None, *, named: bool = False,
    ) -> str:
        """What keeps us from judging, if anything does; with ``places``, only tests matter that may reach one.

        ``named``: only those that name what is mutated are asked, if there are any; the others are then the rest.
        """
        self.few = places is not None
        told = self._gain(seconds, places, named=named)
        if self.copies.plain and (told == BROKEN or self.broken or self.failing):
            # Assertions as the interpreter has them came to something else than passing: in doubt, as pytest has them.
            self.copies.rewrite()
            told = self._gain(seconds, places, named=named)
        self._say()
        return told

    def more(self, seconds: Callable[[], float], places: List[Place]) -> str:
        """The same of the rest."""
        ids, self.rest, failing = self.rest, [], len(self.failing)
        runs = self._few_runs(ids, seconds, places)
        if self.copies.plain and (runs is None or len(self.failing) > failing):
            self.copies.rewrite()
            return self.gain(seconds, places)
        if runs is not None:
            self._sort(*runs)
        self._say()
        return BROKEN if runs is None else "" if self.good else NO_TEST_PASSES

    def _gain(self, seconds: Callable[[], float], places: Optional[List[Place]], *, named: bool) -> str:
        self._forget()
        answer = self.copies.ask({"do": "collected"}, seconds=seconds())
        collected = answer.word
        if answer.fate != "told":
            self.notes.append("the process that collects the tests ended before it had collected them")
            return BROKEN
        self.broken, self.collected = collected["broken"], len(collected["ids"])
        if self.broken and self.copies.plain:
            return BROKEN
        if not collected["ids"]:
            return NO_TESTS
        if collected["threads"]:
            self.notes.append("the project starts threads when it is loaded, which no copy of the process has")
        ids, self.loaded = collected["ids"], {tuple(line) for line in collected["loaded"]}
        self.codes = {tuple(code) for code in collected["codes"]}
        self.held = {name: collected[name] for name in ("modules", "files", "quiet")}
        self.loading = LOADING_SECONDS + LOADING_TIMES * float(collected["seconds"])
        self.tree = self.tree or Tree(os.getcwd())
        beside = {os.path.join(os.getcwd(), path) for path in [*self.named, *(name.split("::", 1)[0] for name in ids)]}
        self.needs = Needs(os.getcwd(), {*self.files, *beside})
        if named and any(collected["named"]):
            self.rest = [name for name, asked in zip(ids, collected["named"]) if not asked]
            ids = [name for name, asked in zip(ids, collected["named"]) if asked]
        runs = self._runs(ids, seconds) if places is None else self._few_runs(ids, seconds, places)
        if runs is None:
            return BROKEN
        self._sort(*runs)
        return "" if self.good else NO_TEST_PASSES

    def _runs(self, ids: List[str], seconds: Callable[[], float]) -> Optional[Tuple[List[str], List[Run]]]:
        """All of them three times."""
        first = self._run(ids, watch="lines", backwards=False, seconds=seconds())
        if not first or self._in_doubt(ids, first, seconds):
            return None
        self.held.update(first["warm"])
        runs = [first]
        for ways in [[False, True]] if self._side_by_side(first) else [[False], [True]]:
            runs += self._run_all(ids, ways, watch="", seconds=seconds())
        return (ids, runs) if all(runs) else None

    def _side_by_side(self, run: Run) -> bool:
        """Whether two runs of the tests may be under way at once: none of them does what another would meet."""
        meeting = any(one["spawned"] or one["forked"] or one["locked"] or one["written"] for one in run["seen"])
        return int(self.copies.options["workers"]) > 1 and not meeting

    def _in_doubt(self, ids: List[str], run: Run, seconds: Callable[[], float]) -> bool:
        """Whether tests fail that may pass with assertions as pytest has them; those that fail but once waver."""
        failing = [name for name, test in zip(ids, run["tests"]) if test[0] == "failed"] if self.copies.plain else []
        self.failing += failing
        again = self._run(failing, watch="", backwards=False, seconds=seconds()) if failing else EMPTY
        ends = again.get("tests", ())
        self.wavering.update(name for name, test in zip(failing, ends) if test[0] == "passed")
        return bool(failing)

    def _few_runs(
        self, ids: List[str], seconds: Callable[[], float], places: List[Place],
    ) -> Optional[Tuple[List[str], List[Run]]]:
        """All of them once; those that may reach one of the places twice more."""
        first = self._run(ids, watch="functions", backwards=False, seconds=seconds())
        if not first or self._in_doubt(ids, first, seconds):
            return None
        self.held.update(first["warm"])
        ends = ["wavers" if name in self.wavering else test[0] for name, test in zip(ids, first["tests"])]
        self.flaky += [name for name, end in zip(ids, ends) if end == "wavers"]
        others = {name for name, end in zip(ids, ends) if end != "passed"}
        reaching = self._reaching(ids, first, places)
        used = [name for name, reaches in zip(ids, reaching) if reaches and name not in others]
        self.good += [name for name, end in zip(ids, ends) if end == "passed" and name not in set(used)]
        self.failing += [name for name, end in zip(ids, ends) if end == "failed"]
        runs = [self._run(used, watch=watch, backwards=backwards, seconds=seconds())
                for watch, backwards in (("lines", False), ("", True))] if used else [EMPTY, EMPTY]
        if not all(runs):
            return None
        at = [number for number, name in enumerate(ids) if name in set(used)]
        again = {**first, **{what: [first[what][number] for number in at] for what in ("tests", "seen")}}
        return used, [runs[0], again, runs[1]]

    def _reaching(self, ids: List[str], run: Run, places: List[Place]) -> Iterator[bool]:
        """Which tests ran code that holds one of the places, or may have; or load a file where one runs on loading."""
        hit = {number for number, (path, first, last) in enumerate(run["places"]) if any(
            path == file and first <= end and begin <= last for file, begin, end in places)}
        loading = {file for file, begin, end in places if any(
            (file, line) in self.loaded for line in range(begin, end + 1))}
        loads = [loading & self.needs.of(os.path.join(os.getcwd(), name.split("::", 1)[0])) for name in ids]
        # A file whose name stands in no other was loaded all the same, and nobody knows for whom.
        unknown = not loading <= {path for each in loads for path in each}
        for ran, seen, each in zip(run["ran"], run["seen"], loads):
            unseen = seen["spawned"] or seen["forked"] or seen["unsure"]
            yield bool(unseen or unknown or each or not hit.isdisjoint(ran))

    def _run(self, ids: List[str], *, watch: str, backwards: bool, seconds: float) -> Run:
        return self._run_all(ids, [backwards], watch=watch, seconds=seconds)[0]

    def _run_all(self, ids: List[str], ways: List[bool], *, watch: str, seconds: float) -> List[Run]:
        """Once for each of the ways, all at the same time."""
        orders = [{"do": "clean", "watch": watch, "backwards": backwards, "tests": ids, "warm": self._news()}
                  for backwards in ways]
        ended = self.copies.ask_all(orders, seconds=seconds)
        self.tree.restore()
        return [self._told(one, ids, backwards=backwards) for one, backwards in zip(ended, ways)]

    def _news(self) -> Optional[Dict[str, Any]]:
        """What the collected process is to have ready from now on; nothing where it was told before."""
        news = "patterns" in self.held and self.unsaid
        self.unsaid = self.unsaid and not news
        return self.held if news else None

    def _told(self, ended: Copy, ids: List[str], *, backwards: bool) -> Run:
        if ended.fate == "told":
            found: Run = ended.word
            return found if not backwards else {name: found[name][::-1] for name in ("tests", "seen")}
        told = ids[::-1] if backwards else ids
        at = ended.at
        if at is not None and at < len(told):
            self.notes.append("the tests ended in the midst of " + told[at][:500])
        return {}

    def _sort(self, ids: List[str], runs: List[Run]) -> None:
        """The first of the runs says which lines each test ran; the second, or the last of few, what it costs."""
        ends = [("wavers", *(test[0] for test in tests)) if name in self.wavering else tuple(test[0] for test in tests)
                for name, tests in zip(ids, zip(*(run["tests"] for run in runs)))]
        used = [name for name, each in zip(ids, ends) if set(each) == {"passed"}]
        self.good, good = [*self.good, *used], set(used)
        self.failing += [name for name, each in zip(ids, ends) if set(each) == {"failed"}]
        self.dependent += [name for name, each in zip(ids, ends) if each[0] == each[1] != each[2]
                           or (self.few and each[0] == each[2] != each[1])]
        self.flaky += [name for name, each in zip(ids, ends) if len(set(each)) > 1 and name not in set(self.dependent)]
        self.cost.update((name, min(float(run["tests"][at][2]) for run in runs[1:])) for at, name in enumerate(ids))
        self._habits(ids, good, runs[0]["seen"], runs[1]["seen"])
        footprints, spawning = Footprints(self.files, self.loaded, self.needs), set(self.spawning)
        places = [tuple(place) for place in runs[0]["places"]]
        for name, numbers in zip(ids, runs[0]["ran"]):
            if name not in good:
                continue
            lines = [places[number] for number in numbers]
            self.footprint[name] = footprints.of_test(name, lines, whole=name in spawning)
            for path, line in lines:
                self.reach.setdefault((path, line), []).append(name)
                self.files_of.setdefault(path, set()).add(name)
            for path in self.needs.of(os.path.join(os.getcwd(), name.split("::", 1)[0])):
                if path in self.files:
                    self.files_of.setdefault(path, set()).add(name)
        self.passing = (self.passing or 0) + len(good)

    def _say(self) -> None:
        """What was found in the run that counts."""
        for note in self.notes:
            self.send("note", what=note)
        if self.collected is not None:
            self.send("collected", count=self.collected, many=("broken", self.broken))
        for what in ("failing", "flaky", "dependent", "spawning", "writing"):
            self.send("clean", many=(what, getattr(self, what)))
        if self.passing is not None:
            self.send("clean", passing=self.passing, seconds=sum(self.cost.values()))

    def _habits(self, ids: List[str], good: Set[str], first: List[Any], second: List[Any]) -> None:
        """Who starts processes, and who would meet others: the same file, lock or port each time."""
        root = os.getcwd() + os.sep
        for name, one, other in zip(ids, first, second):
            same = set(one["written"]) & set(other["written"])
            if name in good and one["spawned"]:
                self.spawning.append(name)
            if one["locked"] or same:
                self.alone.add(name)
            if any(path.startswith(root) for path in one["written"]):
                self.alone.add(name)
                self.writing.append(name)
