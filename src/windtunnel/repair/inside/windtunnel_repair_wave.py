"""Proposals judged, several at once: which way each goes, and what the tests said of it in the end.

In memory where that is safe, else loaded by a copy that has not collected yet, else by one that has loaded nothing;
tests that start processes or read the source see a proposal on disk, alone. A proposal that wrote files of the project
is followed by putting them back, and whoever was under way meanwhile is judged again.
"""

from __future__ import annotations

import os
import time
from collections import deque
from typing import Any, Callable, Deque, Dict, List, Set

from windtunnel_repair_code import applied  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_repair_copies import BARE, READY, SHOP, Copies, Copy  # type: ignore[import-not-found]  # the same
from windtunnel_repair_tree import Tree  # type: ignore[import-not-found]  # the same

WAYS = {"switch": SHOP, "load": READY, "fresh": BARE, "disk": BARE}
AFTER = {"load": "load", "fresh": "fresh"}
MOST_TRIES = 3
MOST_WRITES = 3
"""Proposals that wrote files of the project, after which they are judged one at a time."""
MOST_MORE = 2000
"""Characters of the names of tests that nobody asked for by name."""


class Trial:
    """One proposal on its way."""

    def __init__(self, number: int, splices: List[Any], tests: List[int]) -> None:
        """``tests`` are numbers of those that were asked for."""
        self.number, self.splices, self.tests = number, splices, tests
        self.way, self.tries, self.begun, self.seconds = "switch", 0, 0.0, 0.0
        self.disturbed = False
        self.passed: Set[int] = set()
        self.failed: Set[int] = set()
        self.more: Dict[str, List[str]] = {"passed": [], "failed": []}
        self.error = ""

    @property
    def good(self) -> bool:
        """So far."""
        return bool(self.passed) and not self.failed and not self.more["failed"] and not self.error

    def report(self) -> Dict[str, Any]:
        """As a record holds it."""
        return {"number": self.number, "passed": _bits(self.passed), "failed": _bits(self.failed),
                "more_passed": _short(self.more["passed"]), "more_failed": _short(self.more["failed"]),
                "error": self.error[:500], "seconds": self.seconds, "way": self.way}


class Wave:
    """All proposals of one order."""

    def __init__(self, copies: Copies, tree: Tree, files: Dict[str, bytes], order: Dict[str, Any]) -> None:
        """``order`` names the tests, their limits, the proposals, and when to stop."""
        self.copies, self.tree, self.files, self.order = copies, tree, files, order
        self.spawning = set(order["spawning"])
        every = range(len(order["tests"]))
        inside = [number for number in every if number not in self.spawning]
        self.waiting: Deque[Trial] = deque()
        for number, splices in enumerate(order["proposals"]):
            made = Trial(number, splices, inside or list(every))
            served = bool(inside) and all(self._serves(one[0]) for one in splices)
            made.way = order["ways"][number] if served else "disk"
            self.waiting.append(made)
        self.trials: Dict[int, Trial] = {}
        self.writes, self.unsure, self.stopped = 0, False, False
        self.good = 0
        self.until = time.monotonic() + order["seconds"]

    def _serves(self, path: str) -> bool:
        """Whether it can be put in place of a file without writing it."""
        return path.endswith(".py") and path in self.files

    def run(self, tell: Callable[[Trial], None], listen: Callable[[], bool]) -> str:
        """Until all are judged, enough are good, time is over, or ``listen`` says to stop; why it ended."""
        while self.waiting or self.trials:
            self.stopped = self.stopped or listen()
            late = time.monotonic() > self.until
            if self.stopped or late or self._enough():
                # Those that were begun come to their end, so that what is told of are always the first ones.
                self.waiting = deque(made for made in self.waiting if made.begun and not (self.stopped or late))
            if (self.stopped or late) and self.trials:
                self._give_up()
            self._begin_some()
            for ended in self.copies.wait() if self.copies.under_way else ():
                made = self.trials.pop(ended.number)
                if self._over(made, ended):
                    self.good += made.good
                    tell(made)
            if self.unsure and not self.trials:
                self.tree.restore()
                self.unsure = False
        return "stopped" if self.stopped else "time" if time.monotonic() > self.until else "done"

    def _enough(self) -> bool:
        most = self.order["good"]
        return most is not None and self.good >= most

    def _give_up(self) -> None:
        for made in self.copies.under_way.values():
            made.late = made.over = True
        self.copies.wait(0.0)
        self.trials.clear()
        self.unsure = True

    def _begin_some(self) -> None:
        while self.waiting and not self.unsure and len(self.trials) < self._workers():
            if self._alone(self.waiting[0]) and self.trials:
                return
            made = self.waiting.popleft()
            self._begin(made)
            if self._alone(made):
                return

    def _workers(self) -> int:
        if any(self._alone(made) for made in self.trials.values()):
            return 1
        return 1 if self.writes >= MOST_WRITES else int(self.order["workers"])

    def _alone(self, made: Trial) -> bool:
        return made.way == "disk" or made.tries > 1

    def _begin(self, made: Trial) -> None:
        made.begun, made.disturbed = time.monotonic(), False
        while WAYS[made.way] in self.copies.hopeless:
            made.way = {"switch": "load"}.get(made.way, "fresh")
        if made.way == "disk":
            self._write(made)
            self.unsure = True
        order = self.order
        given = {"do": "switch" if made.way == "switch" else "load", "disk": made.way == "disk", "stop": order["stop"],
                 "splices": made.splices, "tests": [order["tests"][number] for number in made.tests],
                 "limits": [order["limits"][number] for number in made.tests], "load_seconds": order["load_seconds"]}
        started = self.copies.start(WAYS[made.way], given, slack=order["slack"])
        self.trials[started.number] = made

    def _write(self, made: Trial) -> None:
        splices = [(path, start, end, new.encode("latin-1")) for path, start, end, new in made.splices]
        for path, data in applied(self.files, splices).items():
            try:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as file:
                    file.write(data)
            except OSError as error:
                made.error = ("it cannot be written: " + str(error))[:300]

    # --- ends ---

    def _over(self, made: Trial, ended: Copy) -> bool:
        """Whether that was its end; else it waits again."""
        made.seconds += time.monotonic() - made.begun
        words = ended.words
        last = words.pop() if ended.whole else {}
        self._look_at_files(ended, last)
        needs = AFTER.get(str(last.get("needs")))
        if needs is not None and made.way != "disk":
            made.way = needs
            self.waiting.appendleft(made)
            return False
        if (made.disturbed or ended.end == "lost") and not ended.whole and made.tries < MOST_TRIES:
            made.tries += 1
            self.waiting.appendleft(made)
            return False
        self._take(made, words, last=last, ended=ended)
        rest = [number for number in sorted(self.spawning) if number not in made.tests]
        if made.good and rest:
            made.tests, made.way = rest, "disk"
            self.waiting.appendleft(made)
            return False
        return True

    def _look_at_files(self, ended: Copy, last: Dict[str, Any]) -> None:
        doubtful = not ended.whole or last.get("wrote") or last.get("spawned")
        if self.unsure or not (self.tree.small or doubtful) or not self.tree.changed():
            return
        self.unsure = True
        self.writes += 1
        for other in self.trials.values():
            other.disturbed = True

    def _take(self, made: Trial, words: List[Any], *, last: Dict[str, Any], ended: Copy) -> None:
        for word in words:
            if isinstance(word, list) and word[1:] in (["passed"], ["failed"]):
                self._note(made, word[0], word[1])
        if not ended.whole:
            made.error = made.error or self._reason(made, ended)
        elif last.get("error"):
            made.error = str(last["error"])
        said = made.passed | made.failed
        complete = said.issuperset(made.tests) or ((made.failed or made.more["failed"]) and self.order["stop"])
        if not made.error and not complete:
            made.error = "it was not asked about all tests"

    def _note(self, made: Trial, key: Any, status: str) -> None:
        if isinstance(key, str):
            made.more[status].append(key[:300])
        elif isinstance(key, int) and 0 <= key < len(made.tests):
            (made.passed if status == "passed" else made.failed).add(made.tests[key])
            made.passed -= made.failed

    def _reason(self, made: Trial, ended: Copy) -> str:
        at = next((number for number in made.tests if number not in made.passed | made.failed), None)
        begun = bool(made.passed | made.failed) or made.way == "switch"
        if at is not None and begun and ended.end != "lost":
            made.failed.add(at)
        where = " in " + str(self.order["tests"][at])[:200] if at is not None and begun else " while it was loaded"
        if ended.end == "time":
            return "it ran out of time" + where
        if ended.end == "lost":
            return "it ended the process that judges it"
        return "it crashed (" + str(ended.end) + ")" + where


def _bits(numbers: Set[int]) -> str:
    """A set of numbers as one number in hexadecimal digits."""
    return "%x" % sum(1 << number for number in numbers)


def _short(names: List[str]) -> List[str]:
    found: List[str] = []
    room = MOST_MORE // 2
    for name in names:
        room -= len(name) + 10
        if room < 0:
            break
        found.append(name)
    return found


