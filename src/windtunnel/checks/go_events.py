"""The events of ``go test -json``, gathered by package and test; see ``go_test`` for what they are worth."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from windtunnel.checks.outcomes import DIFFERENT, MOST_MESSAGE, MOST_NAME, MOST_TESTS, message, name, seconds, text
from windtunnel.core.trial import Status

_FRAME = re.compile(r"\s*(?:=== (?:RUN|PAUSE|CONT|NAME)\s|--- (?:PASS|FAIL|SKIP|BENCH): )")
_MARK = re.compile(r"--- (PASS|FAIL|SKIP): (\S+) \([0-9.]{1,20}s\)\n$")
_MARKS = {"PASS": Status.PASSED, "FAIL": Status.FAILED, "SKIP": Status.SKIPPED}
_ENDS = {"pass": Status.PASSED, "fail": Status.FAILED, "skip": Status.SKIPPED, "bench": Status.PASSED}


@dataclass(slots=True)
class Test:
    """One test while its events come."""

    status: Status | None = None
    seconds: float = 0.0
    said: list[str] = field(default_factory=list)
    size: int = 0

    def hear(self, words: str) -> None:
        """Keep the first and the last of what it says."""
        self.said.append(words)
        self.size += len(words)
        if self.size > MOST_MESSAGE * 8:
            self.said = [message("".join(self.said))]
            self.size = len(self.said[0])


@dataclass(slots=True)
class Package:
    """One package while its events come."""

    tests: dict[str, Test] = field(default_factory=dict)
    said: Test = field(default_factory=Test)
    marks: dict[str, set[Status]] = field(default_factory=dict)
    """For each started test: the results that closing marks gave it."""
    last_word: bool = False
    """Whether it said that all its tests passed."""
    end: str = ""
    """How ``go`` says it ended; empty while it has not."""
    failed_build: str = ""
    started: bool = False


@dataclass(slots=True)
class Events:
    """Takes the events one by one."""

    packages: dict[str, Package] = field(default_factory=dict)
    builds: dict[str, Test] = field(default_factory=dict)
    """What the compiler said of each import path, for versions of Go that tell it as events."""
    unbuilt: dict[str, None] = field(default_factory=dict)
    odd: dict[str, list[str]] = field(default_factory=dict)
    count: int = 0

    def note(self, what: str, id_: str) -> None:
        """Remember something odd about one test."""
        self.odd.setdefault(what, []).append(id_)

    def take(self, event: dict[str, object]) -> None:
        """One event."""
        action, package, test = (text(event.get(key)) for key in ("Action", "Package", "Test"))
        if action in {"build-output", "build-fail"}:
            self.builds.setdefault(name(text(event.get("ImportPath"))), Test()).hear(text(event.get("Output")))
        elif package:
            known = self.packages.setdefault(name(package), Package())
            known.started = known.started or action == "start"
            if known.end:
                self.note("events after the end of their package, not counted", name(f"{package}/{test}".rstrip("/")))
            elif test.startswith("Benchmark"):
                # No test: it closes with no mark, and one that fails fails its package.
                return
            elif test:
                self._test(known, event, id_=name(f"{package}/{test}"))
            else:
                self._package(known, event)

    def _package(self, known: Package, event: dict[str, object]) -> None:
        action = text(event.get("Action"))
        if action == "output":
            known.said.hear(text(event.get("Output")))
            known.last_word = known.last_word or event.get("Output") == "PASS\n"
        elif action in _ENDS:
            known.end = action
            known.failed_build = name(text(event.get("FailedBuild")))

    def _test(self, known: Package, event: dict[str, object], *, id_: str) -> None:
        action, test = text(event.get("Action")), name(text(event.get("Test")))
        if action == "run":
            self._run(known, test, id_=id_)
        elif test not in known.tests:
            # A mark for a test that never started; a failure is believed, since nobody gains by forging one.
            if action in _ENDS:
                self.note("ended without having started", id_)
            if action == "fail":
                known.tests[test] = Test(status=Status.FAILED)
        elif action == "output":
            _output(known, known.tests[test], text(event.get("Output")))
        elif action in _ENDS:
            self._end(known.tests[test], _ENDS[action], id_=id_)
            known.tests[test].seconds = seconds(event.get("Elapsed"))

    def _run(self, known: Package, test: str, *, id_: str) -> None:
        self.count += 1
        if test in known.tests:
            self.note("started more than once", id_)
        elif self.count <= MOST_TESTS:
            known.tests[test] = Test()

    def _end(self, test: Test, status: Status, *, id_: str) -> None:
        if test.status is not None and test.status is not status:
            self.note(DIFFERENT, id_)
        if test.status is not Status.FAILED:
            test.status = status


def _output(known: Package, test: Test, words: str) -> None:
    """Keep what a test says, and the marks among it.

    Before Go 1.20 a mark behind words without a line end is only output, often that of another test.
    """
    match = _MARK.search(words[-MOST_NAME * 2 :])
    if match is not None and name(match[2]) in known.tests:
        known.marks.setdefault(name(match[2]), set()).add(_MARKS[match[1]])
    if _FRAME.match(words) is None:
        test.hear(words)
