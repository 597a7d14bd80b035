"""Where proposals are judged: the warm judge for Python's runners, trials for everything else.

A bench looks at a state of the project and judges proposals made for it; proposals are whole, that is, made for the
project on disk.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from windtunnel.core.errors import WindtunnelError
from windtunnel.core.problem import Problem
from windtunnel.core.repair import Judgement, Proposal, Suspicion
from windtunnel.core.tool import PLACE
from windtunnel.core.trial import CheckReport, Kind
from windtunnel.diagnosis import Sources
from windtunnel.diagnosis.clusters import clusters
from windtunnel.engine.budget import Budget
from windtunnel.engine.course import Course, Order, crew
from windtunnel.engine.diagnose import problems_of
from windtunnel.engine.fix.base import Base, changes_of
from windtunnel.engine.fix.groups import grouped
from windtunnel.engine.fix.outcomes import judgement_of, outcomes_of
from windtunnel.engine.premises import overlay_of
from windtunnel.engine.suspects import suspects
from windtunnel.engine.trial import Prepared


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A state of the project."""

    failing: tuple[str, ...] = ()
    passing: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    """Most worth looking at first."""
    groups: tuple[frozenset[str], ...] = ()
    """Failing tests that may have one cause: they ran the same code, or where that is not known failed alike."""
    suspicions: tuple[Suspicion, ...] = ()
    types: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    packages: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    """Checks that failed."""
    flaky: tuple[str, ...] = ()
    """Tests that failed and then passed with nothing changed; they are left out of those that fail."""


class Bench(Protocol):
    """Looks and judges; one for each state of the project."""

    after_good: int
    """How many more are judged after the first good one, since a better one may be among them."""
    again: int
    """How often a fix is asked again before it is claimed, to tell it from chance."""

    def judge(
        self, proposals: Sequence[Proposal], *, tests: Sequence[str], stop_at_first_failure: bool,
        stop_after_good: int | None, seconds: float | None,
    ) -> Iterator[Judgement]:
        """In the order of the proposals; fewer than there are where the time is up or enough are good."""
        ...


def look(ready: Prepared, base: Base, *, lint: bool) -> Seen:
    """What the checks say of a base; of the project as it is, what its baseline says."""
    reports = ready.before if not base.texts else _reports(ready, base)
    sources = Sources(read=base.data, find=lambda tail: base.folder.glob(f"**/{tail}"),
                      roots=(PLACE, str(ready.project)))
    return seen(reports, sources, lint=lint)


def seen(reports: Sequence[CheckReport], sources: Sources, *, lint: bool) -> Seen:
    """Reports as what a search begins with."""
    counted = [report for report in reports if lint or report.check.kind is not Kind.LINT]
    found = outcomes_of(reports, lint=lint)
    groups = [group for group in clusters([problem for report in counted for problem in problems_of(report, sources)])
              if group.first.severity == "error"]
    return Seen(
        failing=tuple(sorted(found.failed)), passing=tuple(sorted(found.passed)),
        problems=tuple(group.first for group in groups),
        groups=grouped(found.failed, reports, groups),
        suspicions=_suspicions(counted, sources),
        tools=tuple(report.check.tool for report in counted if not report.success))


def _suspicions(reports: Sequence[CheckReport], sources: Sources) -> tuple[Suspicion, ...]:
    """At the level of functions, which is what baselines keep."""
    return tuple(
        Suspicion(path=each.place.file, line=each.place.line, score=each.score, failing=each.failing,
                  passing=each.passing)
        for each in suspects(reports, sources) if each.place.line is not None)


def _reports(ready: Prepared, base: Base) -> tuple[CheckReport, ...]:
    ready.course.budget.renew()
    return ready.course.run(overlay_of(base.changes()), kinds=tuple(Kind), order=Order(trace=True, side="so far"))


class TrialBench:
    """Judges by running the checks for each proposal, several at once; what a build or a collection fails by, too."""

    after_good = 5

    def __init__(self, ready: Prepared, base: Base, *, lint: bool, jobs: int | None, again: int = 0) -> None:
        """Nothing runs yet."""
        self.again = again
        self._ready, self._base, self._lint = ready, base, lint
        self._jobs = max(1, jobs or ready.course.budget.lanes)

    def judge(
        self, proposals: Sequence[Proposal], *, tests: Sequence[str], stop_at_first_failure: bool,
        stop_after_good: int | None, seconds: float | None,
    ) -> Iterator[Judgement]:
        """All names that were asked are reported, also after the first failure."""
        del stop_at_first_failure  # one run of a runner tells all
        until, good = time.monotonic() + seconds if seconds is not None else None, 0
        for start in range(0, len(proposals), self._jobs):
            if until is not None and time.monotonic() >= until:
                return
            with crew(self._jobs) as threads:
                answers = list(threads.map(lambda one: self._one(one, tests), proposals[start:start + self._jobs]))
            for answer in answers:
                yield answer
                good += answer.good
                if stop_after_good is not None and good >= stop_after_good:
                    return

    def _one(self, proposal: Proposal, tests: Sequence[str]) -> Judgement:
        begun = time.monotonic()
        kinds = tuple(Kind) if self._lint else (Kind.BUILD, Kind.TEST)
        try:
            changes = changes_of(self._base.folder, [(edit.path, edit.text) for edit in proposal.edits])
            reports = self._alone().run(overlay_of(changes), kinds=kinds, order=self._order(tests))
        except WindtunnelError as failure:
            return Judgement(key=proposal.key, error=str(failure)[:200], seconds=time.monotonic() - begun)
        return judgement_of(proposal.key, reports, tests=tests, lint=self._lint, seconds=time.monotonic() - begun)

    def _order(self, tests: Sequence[str]) -> Order:
        """A runner that can choose is given the tests; names that are files or commands are none."""
        real = tuple(name for name in tests if "::" in name)
        return Order(only=real if real and len(real) == len(tests) else None, side="proposed")

    def _alone(self) -> Course:
        course = self._ready.course
        limits = course.budget.lane_limits
        return Course(
            course.rig, course.ground, course.checks, budget=Budget(replace(limits, cores=min(1.0, limits.cores))),
            env=course.env, network=course.network, build_network=course.build_network, mask=course.mask,
            test_seconds=course.test_seconds)
