"""Proposals judged by the tests of a project, each in its own copy of a process that has collected them once.

What holds: the project on disk is never touched; each proposal finds the project's files as they were; one that loops,
eats memory, forks, kills, exits or writes harms no other, and is never good by that; names that tests no longer have,
and tests that are skipped, do not pass. What does not hold: a proposal runs in one process with the tests, so it can be
made to have them pass; a good one is proven by a trial before it is offered. Text that a test reads as data, or another
process loads, is the one on disk, except for tests that were observed to do so: they see each proposal on disk, alone.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from windtunnel.checks.discover import discover
from windtunnel.checks.project import Folder
from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.core.limits import GIB, Limits
from windtunnel.core.ports import Rig
from windtunnel.core.repair import Judgement, Proposal
from windtunnel.core.result import Artifact
from windtunnel.core.trial import Check, Kind
from windtunnel.engine.fix.judge_session import Ended, Session, Setting
from windtunnel.engine.fix.judge_texts import Bodies, splices
from windtunnel.engine.fix.observe import Ask, Observation, observe
from windtunnel.engine.ground import make_ground
from windtunnel.engine.premises import check_project, trial_limits
from windtunnel.languages.search import which

_RUNNERS = ("pytest", "unittest")
_MOST_MEMORY = GIB // 2
_LEAST_SECONDS, _TIMES = 0.25, 10
"""Of the processor, for one test with a proposal in it; so many times what the test takes without is added."""
_LOAD_SECONDS = 1.0
"""The same for loading a proposal with the tests."""
_UNKNOWN_SECONDS, _UNKNOWN_LOAD_SECONDS = 2.0, 9.0
"""For a test whose time nobody knows, and for loading what nobody has loaded yet."""
_MOST_TESTS = 10_000
_MOST_PROPOSALS = 5000
"""In one wave."""
_MOST_BEGINNINGS, _MOST_LOOKS = 50, 3
"""Sandboxes that are begun, one after the other, because tests or proposals end them."""
_GRACE_SECONDS = 60.0
_WAVE_SECONDS = 600.0


class Judge:
    """A project made ready; close it, or use it in ``with``, so that its sandbox ends."""

    def __init__(
        self, rig: Rig, project: str | os.PathLike[str], *, test: str | Sequence[str] | None = None,
        overlay: Mapping[str, Artifact | None] | None = None, env: Mapping[str, str] | None = None,
        limits: Limits | None = None, jobs: int | None = None, collect_seconds: float = 30.0,
    ) -> None:
        """``test`` is the project's command, found where none is given; ``overlay`` lies over the project's files.

        ``collect_seconds`` of the processor are for collecting all tests; where that is not enough, or the project ends
        the process that does it, each proposal loads the tests that are asked for by itself.
        """
        place = check_project(project, private=rig.private)
        folder = Folder(place, search=which)
        checks = discover(folder, build="", lint="", test=test)
        check = _chosen(checks.of(Kind.TEST))
        most = trial_limits(limits, caps=replace(rig.caps, wall_seconds=rig.trial_seconds))
        if limits is None:
            most = replace(most, wall_seconds=rig.trial_seconds)
        self.jobs = jobs or max(1, int(most.cores))
        self.folder, self.overlay, self.check = folder, dict(overlay or {}), check
        self._setting = Setting(
            rig=rig, ground=make_ground(rig, place, checks), check=check, limits=most, overlay=self.overlay,
            env=dict(env or {}), memory_bytes=min(_MOST_MEMORY, most.memory_bytes // (self.jobs + 3)),
            collect_seconds=collect_seconds)
        self._session: Session | None = None
        self._observation: Observation | None = None
        self._sources: dict[str, bytes | None] = {}
        self._bodies = Bodies(self.read)
        self.beginnings = 0
        """How often a sandbox was begun."""

    def __enter__(self) -> Self:
        """Nothing is begun before it is needed."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None,
    ) -> None:
        """The sandbox ends."""
        self.close()

    def close(self) -> None:
        """End the sandbox; another one is begun when it is needed."""
        session, self._session = self._session, None
        if session is not None:
            session.close()

    @property
    def session(self) -> Session:
        """The sandbox that waits, begun now if there is none."""
        if self._session is None:
            self.beginnings += 1
            self._session = Session(self._setting)
        return self._session

    def warm_up(self) -> None:
        """Begin, so that what comes first does not wait for it."""
        _ = self.session

    def read(self, path: str) -> bytes | None:
        """A file of the project with the overlay over it."""
        if path in self.overlay:
            laid = self.overlay[path]
            return laid.data if laid is not None else None
        if path not in self._sources:
            self._sources[path] = self.folder.read(path)
        return self._sources[path]

    def observe(
        self, *, failing: Sequence[str] = (), seconds: float = 120.0, test_seconds: float = 1.0,
    ) -> Observation:
        """Which tests fail, and what they run; ``failing`` where that is known, else all tests are run first."""
        ask = Ask(failing=tuple(failing), seconds=seconds, test_seconds=test_seconds)
        while True:  # ends by what is seen, or because a sandbox may only be begun so often
            try:
                self._observation = observe(self.session, self.read, ask)
            except Ended as end:
                self._begin_anew(end, most=_MOST_LOOKS)
            else:
                return self._observation

    def judge(
        self, proposals: Sequence[Proposal], *, tests: Sequence[str], stop_at_first_failure: bool = True,
        stop_after_good: int | None = None, seconds: float | None = None,
    ) -> Iterator[Judgement]:
        """What the tests say of each, in the order of the proposals, as they come.

        ``tests`` are names as the project's own run has them, or a file or module that did not load, which passes when
        it does and stands for all of its tests; those are told by their own names. ``stop_after_good``: after so many
        good ones no other is begun. Those that had no turn are not told of; what is told of are always the first ones.
        """
        if not tests or len(tests) > _MOST_TESTS:
            raise UsageError(f"tests: from 1 to {_MOST_TESTS} names, not {len(tests)}", field="tests")
        until = time.monotonic() + (_WAVE_SECONDS if seconds is None else seconds)
        asked, good = list(dict.fromkeys(tests)), 0
        for start in range(0, len(proposals), _MOST_PROPOSALS):
            for found in self._wave(
                    proposals[start:start + _MOST_PROPOSALS], asked, stop=stop_at_first_failure, until=until,
                    good=None if stop_after_good is None else stop_after_good - good):
                good += found.good
                yield found
            if stop_after_good is not None and good >= stop_after_good:
                return

    def _wave(
        self, proposals: Sequence[Proposal], tests: list[str], *, stop: bool, until: float, good: int | None,
    ) -> Iterator[Judgement]:
        """One wave; where a proposal ends the sandbox, those that may have been under way go one by one in others."""
        found: dict[int, Judgement] = {}
        pending, suspects, given = list(range(len(proposals))), set[int](), 0
        while pending and (seconds := until - time.monotonic()) > 0:
            batch = pending[:1] if pending[0] in suspects else pending
            left = None if good is None else good - sum(one.good for one in found.values())
            if left is not None and left <= 0:
                return
            order = self._order([proposals[number] for number in batch], tests, stop=stop, seconds=seconds, good=left)
            try:
                with closing(self.session.wave(order, seconds=seconds + _GRACE_SECONDS)) as records:
                    for record in records:
                        number = batch[_number(record.get("number"), len(batch))]
                        found[number] = _judgement(proposals[number], record, tests)
                        while given in found:
                            yield found[given]
                            given += 1
                ended = ""
            except Ended as end:
                ended = self._begin_anew(end)
            if ended and len(batch) == 1:
                found[batch[0]] = Judgement(key=proposals[batch[0]].key, error=f"it ended the sandbox ({ended})"[:500])
            pending = [number for number in pending if number not in found]
            if not ended and pending and (len(batch) > 1 or batch[0] in pending):
                return  # time is up, or enough are good
            suspects |= set(pending[:self.jobs + 1]) if ended else set()
            while given in found:
                yield found[given]
                given += 1

    def _begin_anew(self, end: Ended, *, most: int = _MOST_BEGINNINGS) -> str:
        session = self.session
        self.close()
        if not session.begun or self.beginnings >= most:
            raise SandboxFailure(f"the tests could not be started ({end})")
        return str(end)

    def _order(
        self, proposals: Sequence[Proposal], tests: list[str], *, stop: bool, seconds: float, good: int | None,
    ) -> dict[str, object]:
        seen = self._observation
        times = seen.seconds if seen is not None else {}
        usual = max((times[name] for name in seen.passing if name in times), default=0.0) if seen is not None else None
        passing = set(seen.passing) if seen is not None else set()
        limits = [_limit(name, times, 0.0 if name in passing else usual) for name in tests]
        spawning = set(seen.spawning) if seen is not None else set()
        made = [splices(proposal, self.read) for proposal in proposals]
        longest = max((seen.wall_seconds.get(name, 0.0) for name in tests), default=0.0) if seen is not None else 0.0
        return {
            "tests": tests, "limits": limits, "stop": stop, "good": good, "seconds": seconds, "workers": self.jobs,
            "spawning": [number for number, name in enumerate(tests) if name in spawning],
            "load_seconds": _LOAD_SECONDS + (_TIMES * seen.load_seconds if seen is not None else _UNKNOWN_LOAD_SECONDS),
            "slack": 3 * longest, "proposals": [list(map(list, one)) for one in made],
            "ways": ["switch" if all(map(self._bodies.hold, one)) else "load" for one in made]}


def _chosen(checks: Sequence[Check]) -> Check:
    check = next((check for check in checks if check.tool in _RUNNERS), None)
    if check is None:
        other = ", ".join(check.tool for check in checks) or "no test command"
        raise UsageError(f"test: proposals are judged by pytest or unittest; this project has {other}", field="test")
    return check


def _limit(name: str, times: Mapping[str, float], usual: float | None) -> float:
    """Of a failing test it is not known how long it takes when it passes; as long as any other may it."""
    if usual is None:
        return _UNKNOWN_SECONDS
    return _LEAST_SECONDS + _TIMES * max(times.get(name, 0.0), usual)


def _number(value: object, count: int) -> int:
    if not isinstance(value, int) or not 0 <= value < count:
        raise Ended("the judge told of a proposal that nobody asked about")
    return value


def _judgement(proposal: Proposal, record: Mapping[str, Any], tests: Sequence[str]) -> Judgement:
    passed, failed = _named(record.get("passed"), tests), _named(record.get("failed"), tests)
    more_passed, more_failed = _texts(record.get("more_passed")), _texts(record.get("more_failed"))
    return Judgement(
        key=proposal.key, passed=(passed | more_passed) - failed, failed=failed | more_failed,
        error=str(record.get("error", ""))[:500], seconds=float(record.get("seconds", 0.0)))


def _named(bits: object, tests: Sequence[str]) -> frozenset[str]:
    try:
        number = int(str(bits), 16)
    except ValueError:
        return frozenset()
    return frozenset(name for at, name in enumerate(tests) if number >> at & 1)


def _texts(value: object) -> frozenset[str]:
    return frozenset(part for part in value if isinstance(part, str)) if isinstance(value, list) else frozenset()
