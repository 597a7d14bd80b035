"""Decides what is tried, in which order and in which way, and tells of it; never loads anything of the project."""



from __future__ import annotations

import os
import time
from collections import deque
from typing import Any, Callable, Deque, Dict, List, NamedTuple, Optional, Set, Tuple

import pytest
from windtunnel_mutant_code import Sources  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_mutant_copies import STAGE, Copies, Copy  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_reach import Reach, function_of  # type: ignore[import-not-found]  # the same
from windtunnel_mutant_trust import BROKEN, Trust  # type: ignore[import-not-found]  # the same

LEAST_SECONDS, NARROW_SECONDS = 0.5, 0.25
"""Of the processor, for one test with a mutant in it, and where somebody waits for a verdict on few of them; ten times
what the test takes without is added."""
TIMES = 10
WALL_SECONDS, WALL_TIMES = 20.0, 8
"""Of the clock: these, and so many times the seconds of the processor; only what waits comes to this end."""
JUDGING = 0.85
"""Of the time there is; the rest is for comparing."""
MOST_FORCED = 3
LEAST_STAGED, SAVED_SECONDS = 8, 0.1
"""How many are to be loaded before a process is made ready for that, and what that saves for each, in seconds of the
processor: it takes a rehearsal of all tests. Fewer are loaded by copies of this one."""
MOST_NAMED = 20
MOST_TRIES = 3
MOST_ALONE, WEIGHING = 3, 0.1
"""How many mutants a test that seems weak is asked about by itself, and how many tries all of that may add."""


class Found(NamedTuple):
    """A fate."""

    fate: str
    way: str
    tests: List[str]
    by: str


class Bench:
    """All mutants of one run."""

    def __init__(
        self, send: Callable[..., None], options: Dict[str, Any], *, isolate: Callable[[], None],
        open_paths: Callable[[], None],
    ) -> None:
        """``options`` has the table of mutants; paths in it are relative to the project."""
        root = os.path.realpath(os.getcwd())
        self.mutants: List[Dict[str, Any]] = [
            {**mutant, "path": os.path.join(root, mutant["path"])} for mutant in options["mutants"]]
        self.send, self.options = send, options
        self.begun = time.monotonic()
        self.until = self.begun + options["seconds"]
        watched = {mutant["path"] for mutant in self.mutants} | {os.path.join(root, path) for path in options["watch"]}
        files = {path: _content(path) for path in sorted(watched) if os.path.isfile(path)}
        self.copies = Copies(
            Sources(files), {**options, "mutants": self.mutants}, isolate=isolate, open_paths=open_paths)
        self.trust = Trust(self.copies, send, files, options["named"])
        self.reach = Reach(self.mutants, self.copies.sources, self.trust)
        self.fates: Dict[int, Found] = {}
        self.tries: Dict[int, int] = {}
        self.noticed = False
        """Whether a forced failure was."""
        self.asked: Dict[int, Set[str]] = {}
        """Tests that a mutant has survived already."""
        self.due: Deque[int] = deque()
        """Those whose fate in memory is to be found again by loading as soon as there is room."""
        self.before: Dict[int, Found] = {}
        """Their fates in memory."""
        self.stage: Optional[Set[str]] = None
        """Files whose mutants the process that is about to collect cannot load; None where it cannot be used."""
        self.unstaged: Set[int] = set()
        """Mutants that it tried to load and could not, as those that end the loading process."""

    def run(self) -> int:
        """From the collection to the last fate; the exit code says whether anything was judged."""
        self.send("begin", tool="pytest", version=pytest.__version__)
        state = self.trust.gain(self._left, self._places(), named=bool(self.options["names"])) or self._found()
        if self.trust.rest and state != BROKEN and (state or not self._enough()):
            # Those that do not name what is mutated are asked about what is left.
            state = self.trust.more(self._left, self._places() or []) or self._found()
        if not state:
            self._weigh()
            self._tell_losses()
            state = "time is over" if any(number not in self.fates for number in self.options["order"]) else "done"
        self.copies.close()
        self.send("end", state=state, tries=len(self.tries))
        return 0 if state in ("done", "time is over") else 1

    def _places(self) -> Optional[List[Tuple[str, int, int]]]:
        """Where mutants are, if only tests count that reach one of them."""
        if not self.options["narrow"]:
            return None
        seeded = [mutant for mutant in self.mutants if not mutant.get("forced")]
        return [(mutant["path"], mutant["first"], mutant["last"]) for mutant in seeded]

    def _left(self) -> float:
        return max(1.0, float(self.until) - time.monotonic())

    def _found(self) -> str:
        """The fates, as far as the tests that were asked tell; or what keeps us from believing them."""
        self._rehearse()
        unnoticed = self._force()
        if unnoticed:
            return unnoticed
        wanted = [number for number in self.options["order"] if not self._settled(number) and not self._known(number)]
        end, self.until = self.until, self.begun + JUDGING * (self.until - self.begun)
        self._judge(wanted)
        self.until = end
        self._judge_on_disk(wanted)
        self._compare(wanted)
        return ""

    def _settled(self, number: int) -> bool:
        """Whether no further test could change its fate."""
        return number in self.fates and self.fates[number].fate not in ("survived", "untested")

    def _enough(self) -> bool:
        """Whether the verdict stands whatever the tests say that were not asked."""
        if all(map(self._settled, self.options["order"])):
            return True
        fates = {number: self.fates[number].fate for number in self.options["order"] if number in self.fates}
        if len(fates) < len(self.options["order"]):
            return False
        least, most = self.options["enough"]
        whole: Dict[str, int] = {}
        for number in sorted(fates):
            if self.mutants[number]["part"]:
                whole.setdefault(self.mutants[number]["path"], number)
        seeded = [fate for number, fate in fates.items() if not self.mutants[number]["part"] and fate != "same"]
        killed = seeded.count("killed")
        enough = killed >= least * len(seeded) and (most is None or len(seeded) - killed <= most)
        if not enough or not whole or any(fates[number] != "killed" for number in whole.values()):
            return False
        left = str(len(self.trust.rest))
        self.send("note", what=left + " tests that name nothing of the change were not asked: the others notice enough")
        return True

    def _rehearse(self) -> None:
        """Have a process that is about to collect, if there is enough for it and all tests pass as it runs them."""
        self.reach.forget()
        self.stage = None
        few = self.options["narrow"] or self.options["way"] == "fresh"
        count = 0 if few else self.options["sample"] + sum(map(self.reach.loads, self.options["order"]))
        cost = sum(self.trust.cost.values())
        worth = count >= LEAST_STAGED and count * SAVED_SECONDS >= cost
        if not worth and self.options["way"] != "loaded":
            return
        order = {"do": "rehearse", "tests": self.trust.good[::-1], "warm": self.trust.held}
        wall = WALL_SECONDS + WALL_TIMES * (self.trust.loading + TIMES * cost)
        word = self.copies.ask(order, seconds=min(self._left(), wall), door=STAGE).word
        self.trust.tree.restore()
        self.stage = None if word.get("bad", True) else set(word["early"])

    def _force(self) -> str:
        """Functions that fail at once must be noticed by tests that reach them."""
        if self.noticed:
            self.tries.clear()
            return ""
        every = [number for number, mutant in enumerate(self.mutants)
                 if mutant.get("forced") and self.reach.tests(number)]
        forced = [number for number in every if self.mutants[number].get("near")] or every
        forced = sorted(forced, key=lambda number: -len(self.reach.tests(number)))[:MOST_FORCED]
        self._judge(forced)
        unnoticed = [number for number in forced if number in self.fates and self.fates.pop(number).fate != "killed"]
        self.tries.clear()
        self.noticed = len(unnoticed) < len(forced)
        return "a forced failure was not noticed" if forced and not self.noticed else ""

    # --- fates ---

    def _judge(self, waiting: List[int]) -> None:
        """Each in memory where that is safe, else loaded anew; what disturbs others in the end, by itself."""
        alone = {number for number in waiting if not self.trust.alone.isdisjoint(self.reach.tests(number))}
        self._each([number for number in waiting if number not in alone], self._start, workers=self.options["workers"])
        self._each([number for number in waiting if number in alone], self._start, workers=1)

    def _start(self, number: int) -> None:
        asked = self.asked.get(number, set())
        tests = [name for name in self.reach.tests(number) if name not in asked]
        self.tries[number] = self.tries.get(number, 0) + bool(tests)
        if not tests:
            if not self.tries[number]:
                del self.tries[number]
            if number not in self.fates:
                self._end(number, "untested")
        elif self.reach.loads(number) or self.options["way"] or self.tries[number] > 1:
            self._load(number, tests)
        else:
            self._switch(number, tests)

    def _each(self, numbers: List[int], start: Callable[[int], None], *, workers: int) -> None:
        """So many at once, while there is time."""
        waiting, unsure = deque(numbers), False
        while ((waiting or self.due) and time.monotonic() < self.until) or self.copies.under_way:
            # One more than there are processors, so that none of them waits for the next to be made.
            while (waiting or self.due) and not unsure and len(self.copies.under_way) < workers + (workers > 1) \
                    and time.monotonic() < self.until:
                if self.due:
                    self._load_again(self.due.popleft())
                else:
                    start(waiting.popleft())
            for ended in self.copies.wait() if self.copies.under_way else ():
                unsure = self._over(ended, waiting) or unsure
            if unsure and not self.copies.under_way:
                self.trust.tree.restore()
                unsure = False

    def _over(self, ended: Copy, waiting: Any) -> bool:
        """Take its fate, or try again; whether all others must end before anything else begins."""
        fate = ended.fate
        # One that did not come to its last word, or that other processes took part in, is not asked but seen.
        told = ended.word.get("wrote")
        wrote = bool(told) if told is not None and ended.way != "disk" else self.trust.tree.changed()
        if wrote:
            for other in self.copies.under_way.values():
                other.disturbed = True
        if fate == "fresh":
            self._load(ended.mutant, ended.tests)
        elif fate == "failed" and ended.way == "loaded":
            self.unstaged.add(ended.mutant)
            self._load(ended.mutant, ended.tests)
        elif (fate == "lost" or ended.disturbed) and self.tries.get(ended.mutant, MOST_TRIES) < MOST_TRIES:
            self.tries[ended.mutant] += 1
            waiting.append(ended.mutant)
        else:
            self._take(ended)
        return wrote or fate == "lost"

    def _known(self, number: int) -> bool:
        """Whether its fate was found before, and nothing that it rests on is different."""
        fate, footprint, by = self.options["known"].get(self.mutants[number]["id"], ("", "", ""))
        if not fate or (by and by not in self.trust.footprint) or footprint != self.reach.footprint(number, by):
            return False
        self._end(number, fate, way="kept", tests=self.reach.tests(number), by=by)
        return True

    def _judge_on_disk(self, wanted: List[int]) -> None:
        """What no test of this process noticed, by the tests that start processes, which load the file themselves."""
        left = [number for number in wanted
                if number in self.fates and self.fates[number].fate in ("survived", "untested")]

        def start(number: int) -> None:
            self.tries[number] = self.tries.get(number, 0) + 1
            self._load(number, self.trust.spawning, disk=True)

        self._each(left if self.trust.spawning else [], start, workers=1)

    def _compare(self, wanted: List[int]) -> None:
        """A sample of those switched in memory is loaded anew; where that differs, so is all of its function."""
        switched = [number for number in wanted if number in self.fates and self.fates[number].way == "switched"
                    and self.fates[number].fate in ("killed", "survived")]
        more = self.options["sample"] - len(self.before)
        sample = switched[:: max(1, len(switched) // max(1, more))] if more > 0 else []
        before = {**self.before, **{number: self.fates[number] for number in sample}}
        self._again(sample)
        again = [number for number in before if self.fates[number].way in ("fresh", "loaded")]
        differing = [number for number in again if self.fates[number].fate != before[number].fate]
        places = {function_of(self.mutants[number]) for number in differing}
        self._again([number for number in switched
                     if number not in before and function_of(self.mutants[number]) in places])
        self.send("compared", count=len(again), differing=len(differing))

    def _load_again(self, number: int) -> None:
        found = self.fates[number]
        self._load(number, [found.by] if found.by else found.tests)

    def _again(self, numbers: List[int]) -> None:
        alone = {number for number in numbers if not self.trust.alone.isdisjoint(self.reach.tests(number))}
        together = [number for number in numbers if number not in alone]
        self._each(together, self._load_again, workers=self.options["workers"])
        self._each([number for number in numbers if number in alone], self._load_again, workers=1)

    def _weigh(self) -> None:
        """Tests that were never the first to notice anything are asked alone about a few that others noticed."""
        reached: Dict[str, List[int]] = {}
        for number, found in self.fates.items():
            for name in self.reach.running(number) if found.fate == "killed" else ():
                reached.setdefault(name, []).append(number)
        first, left = {found.by for found in self.fates.values()}, int(WEIGHING * len(self.tries)) + bool(self.tries)
        asked: Dict[str, List[int]] = {}
        for name in [name for name in self.trust.good if name in reached and name not in first]:
            asked[name] = [number for number in reached[name] if self.fates[number].way == "switched"][
                :min(MOST_ALONE, left)]
            left -= len(asked[name])
        noticing = self._noticing({name: list(numbers) for name, numbers in asked.items()})
        for name, numbers in asked.items():
            reason = "notices nothing" if numbers and name not in noticing else "never the first to notice"
            self.send("weak", test=name[:1000], reason=reason, reached=len(reached[name]))

    def _noticing(self, asked: Dict[str, List[int]]) -> Set[str]:
        """Tests that by themselves notice one of the mutants they are asked about, or for which there was no time."""
        found: Set[str] = set()
        for alone in (False, True):
            waiting = [name for name in asked if asked[name] and (name in self.trust.alone) is alone]
            workers = 1 if alone else self.options["workers"] + 1
            while waiting or self.copies.under_way:
                while waiting and len(self.copies.under_way) < workers and time.monotonic() < self.until:
                    name = waiting.pop(0)
                    self._switch(asked[name].pop(0), [name])
                if not self.copies.under_way:
                    found.update(waiting)
                    break
                for ended in self.copies.wait():
                    name = ended.tests[0]
                    if ended.fate != "survived":
                        found.add(name)
                    elif asked[name]:
                        waiting.insert(0, name)
                    if alone:
                        self.trust.tree.restore()
        self.trust.tree.restore()
        return found

    def _tell_losses(self) -> None:
        if self.trust.tree.lost:
            self.send("note", what="tests changed files that could not be put back: " + ", ".join(
                sorted(map(os.path.basename, self.trust.tree.lost))[:10])[:800])

    def _switch(self, number: int, tests: List[str]) -> None:
        least = NARROW_SECONDS if self.options["narrow"] else LEAST_SECONDS
        seconds = [least + TIMES * self.trust.cost[name] for name in tests]
        if not self.mutants[number].get("forced"):
            self.send("trying", mutant=number)
        self.copies.switched(number, tests, seconds, wall=WALL_SECONDS + WALL_TIMES * TIMES * self._cost(tests))

    def _load(self, number: int, tests: List[str], *, disk: bool = False) -> None:
        if not self.mutants[number].get("forced"):
            self.send("trying", mutant=number)
        seconds = self.trust.loading + LEAST_SECONDS + TIMES * self._cost(tests)
        wall = WALL_SECONDS + WALL_TIMES * seconds
        staged = self.stage is not None and number not in self.unstaged
        if staged and not disk and self.mutants[number]["path"] not in (self.stage or ()):
            each = [LEAST_SECONDS + TIMES * self.trust.cost[name] for name in tests]
            self.copies.staged(number, tests, each, loading=self.trust.loading, wall=wall)
        else:
            self.copies.fresh(number, tests, seconds, disk=disk, wall=wall)

    def _cost(self, tests: List[str]) -> float:
        return float(sum(self.trust.cost[name] for name in tests))

    def _take(self, ended: Copy) -> None:
        by, fate = ended.word.get("by", ended.at), ended.fate
        name = ended.tests[by] if isinstance(by, int) and 0 <= by < len(ended.tests) else ""
        if fate in ("killed", "crashed"):
            self._end(ended.mutant, "killed", way=ended.way, tests=ended.tests, by=name or ended.tests[0],
                      seconds=time.monotonic() - ended.begun)
            self._compare_soon(ended)
            return
        known = self.fates.get(ended.mutant)
        sure = ended.way != "disk" or (known is not None and fate == known.fate == "survived")
        if known is not None and (fate == "lost" or not sure):
            return  # it could not be tried another way, or nobody knows whether it ran: what was found before stands
        self._end(ended.mutant, fate if fate in ("survived", "timeout", "same") else "failed", way=ended.way,
                  tests=ended.tests, seconds=time.monotonic() - ended.begun)
        self._compare_soon(ended)

    def _compare_soon(self, ended: Copy) -> None:
        """Of few mutants the first that can be are compared, beside the others that are still to be tried."""
        number = ended.mutant
        fits = ended.way == "switched" and self.fates[number].fate in ("killed", "survived") and not self.mutants[
            number].get("forced") and self.trust.alone.isdisjoint(self.reach.tests(number))
        if fits and self.options["narrow"] and len(self.before) < self.options["sample"]:
            self.before[number] = self.fates[number]
            self.due.append(number)

    def _end(
        self, number: int, fate: str, *, way: str = "", tests: List[str] = (), by: str = "", seconds: float = 0.0,  # type: ignore[assignment]
    ) -> None:
        mutant = self.mutants[number]
        self.fates[number] = Found(fate, way, list(tests), by)
        if fate == "survived":
            self.asked.setdefault(number, set()).update(tests)
        if by:
            self.reach.noticed(number, by)
        if not mutant.get("forced"):
            asked = list(tests)[:MOST_NAMED] if fate != "killed" else []
            self.send("fate", mutant=number, fate=fate, way=way, by=by, seconds=seconds, many=("tests", asked),
                      reached=len(self.reach.tests(number)), footprint=self.reach.footprint(number, by))


def _content(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()
