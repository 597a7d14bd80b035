"""The tests without any mutant: which pass however they are run, what each of them reaches, takes and does besides."""



from __future__ import annotations

import os
from typing import Any, Callable, Dict, List, Set, Tuple

from windtunnel_mutant_copies import Copies, Copy  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_mutant_footprint import Footprints  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_needs import Needs  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_tree import Tree  # type: ignore[import-not-found]  # the same

LOADING_SECONDS, LOADING_TIMES = 1.0, 4
"""Of the processor, for loading and collecting anew: these, and so many times what it took the first time."""
NO_TESTS, NO_TEST_PASSES, BROKEN = "no tests", "no test passes", "the tests did not come to their end"


class Trust:
    """What three clean runs show; the last of them goes from the last test to the first."""

    def __init__(self, copies: Copies, send: Callable[..., None], files: Dict[str, bytes], named: List[str]) -> None:
        """``files`` that are watched, by absolute path; ``named`` are others that tests may load."""
        self.copies, self.send, self.files, self.named = copies, send, files, named
        self.reach: Dict[Tuple[str, int], List[str]] = {}
        self.files_of: Dict[str, Set[str]] = {}
        """By file, the tests that run something in it."""
        self.footprint: Dict[str, str] = {}
        self.cost: Dict[str, float] = {}
        self.loaded: Set[Tuple[str, int]] = set()
        self.spawning: List[str] = []
        self.alone: Set[str] = set()
        """Tests that others would disturb, or that disturb others."""
        self.good: List[str] = []
        self.loading = LOADING_SECONDS

    def gain(self, seconds: Callable[[], float]) -> str:
        """What keeps us from judging, if anything does."""
        answer = self.copies.ask({"do": "collected"}, seconds=seconds())
        collected = answer.word
        if answer.fate != "told":
            self.send("note", what="the process that collects the tests ended before it had collected them")
            return BROKEN
        self.send("collected", count=len(collected["ids"]), many=("broken", collected["broken"]))
        if not collected["ids"]:
            return NO_TESTS
        if collected["threads"]:
            self.send("note", what="the project starts threads when it is loaded, which no copy of the process has")
        ids, self.loaded = collected["ids"], {tuple(line) for line in collected["loaded"]}
        self.loading = LOADING_SECONDS + LOADING_TIMES * float(collected["seconds"])
        self.tree = Tree(os.getcwd())
        runs = [self._run(ids, lines=lines, backwards=backwards, seconds=seconds())
                for lines, backwards in ((True, False), (False, False), (False, True))]
        if any(not run for run in runs):
            return BROKEN
        self._sort(ids, *runs)
        return "" if self.good else NO_TEST_PASSES

    def _run(self, ids: List[str], *, lines: bool, backwards: bool, seconds: float) -> Dict[str, Any]:
        ended: Copy = self.copies.ask({"do": "clean", "lines": lines, "backwards": backwards}, seconds=seconds)
        self.tree.restore()
        if ended.fate == "told":
            found: Dict[str, Any] = ended.word
            return found if not backwards else {name: found[name][::-1] for name in ("tests", "seen")}
        order = ids[::-1] if backwards else ids
        at = ended.at
        if at is not None and at < len(order):
            self.send("note", what="the tests ended in the midst of " + order[at][:500])
        return {}

    def _sort(self, ids: List[str], traced: Dict[str, Any], clean: Dict[str, Any], backwards: Dict[str, Any]) -> None:
        ends = [tuple(test[0] for test in tests) for tests in zip(traced["tests"], clean["tests"], backwards["tests"])]
        self.good = [name for name, each in zip(ids, ends) if set(each) == {"passed"}]
        good = set(self.good)
        self._name("failing", [name for name, each in zip(ids, ends) if set(each) == {"failed"}])
        self._name("flaky", [name for name, each in zip(ids, ends) if each[0] != each[1]])
        self._name("dependent", [name for name, each in zip(ids, ends) if each[0] == each[1] != each[2]])
        self.cost = {name: float(test[2]) for name, test in zip(ids, clean["tests"])}
        self._habits(ids, good, traced["seen"], clean["seen"])
        named = {os.path.join(os.getcwd(), path) for path in [*self.named, *(name.split("::", 1)[0] for name in ids)]}
        needs = Needs(os.getcwd(), {*self.files, *named})
        footprints, spawning = Footprints(self.files, self.loaded, needs), set(self.spawning)
        for name, lines in zip(ids, traced["lines"]):
            if name not in good:
                continue
            self.footprint[name] = footprints.of_test(name, map(tuple, lines), whole=name in spawning)
            for path, line in lines:
                self.reach.setdefault((path, line), []).append(name)
                self.files_of.setdefault(path, set()).add(name)
            for path in needs.of(os.path.join(os.getcwd(), name.split("::", 1)[0])):
                if path in self.files:
                    self.files_of.setdefault(path, set()).add(name)
        self.send("clean", passing=len(good), seconds=sum(self.cost.values()))

    def _habits(self, ids: List[str], good: Set[str], first: List[Any], second: List[Any]) -> None:
        """Who starts processes, and who would meet others: the same file, lock or port each time."""
        root = os.getcwd() + os.sep
        writers = []
        for name, one, other in zip(ids, first, second):
            same = set(one["written"]) & set(other["written"])
            if name in good and one["spawned"]:
                self.spawning.append(name)
            if one["locked"] or same:
                self.alone.add(name)
            if any(path.startswith(root) for path in one["written"]):
                self.alone.add(name)
                writers.append(name)
        self._name("spawning", self.spawning)
        self._name("writing", writers)

    def _name(self, what: str, names: List[str]) -> None:
        self.send("clean", many=(what, names))
