"""Tests under scenarios, as functions are: which hold without conditions, and what conditions do to them.

One run of a test command is one call of each of its tests. Several tests that were not heard of are run one by one, so
that one which ends its process is not held against the others. Where a runner itself does not survive a condition,
nothing is said of its tests.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from windtunnel.core.limits import Limits
from windtunnel.core.ports import Rig
from windtunnel.core.scenario import Scenario
from windtunnel.core.section import Called, Ended, Ending, Section
from windtunnel.core.simulation import Outcome, State
from windtunnel.core.trial import CheckReport, ExecutionTestResult
from windtunnel.engine.premises import trial_limits
from windtunnel.engine.simulate.calling import Place, run_program
from windtunnel.engine.simulate.comparing import outcome
from windtunnel.engine.simulate.course import Course, Plan
from windtunnel.engine.simulate.suites.control import Control, control_of
from windtunnel.engine.simulate.suites.finding import STARTER, Suite, suites_of
from windtunnel.engine.simulate.suites.meeting import Meeting, meeting, met, unmet
from windtunnel.engine.simulate.suites.running import (
    alone_name,
    built,
    by_id,
    calm_test,
    ended,
    run_tests,
    said,
    section_of,
    was_run,
)
from windtunnel.engine.simulate.surroundings import CALM, Surroundings, fault_files
from windtunnel.scenarios.parts import parts_of

_CALM_RUNS = 3
_MOST_ALONE = 20
_MOST_TESTS = 2000
_WALL_TIMES, _WALL_SECONDS = 10, 20.0
"""Of a run without conditions, and more: after that a command is ended, and what is not heard of never returned."""
_RUNNER = "the test runner itself does not survive it"
_TOGETHER = "the process of its file ended, and which of its tests did that cannot be told"


@dataclass(slots=True, kw_only=True)
class _Known:
    """One suite, with what is known of it."""

    suite: Suite
    control: Control | None = None
    seconds: float = 600.0
    """That one run may take by the clock."""
    sound: dict[str, bool] = field(default_factory=dict)
    """By conditions: whether the runner survives them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Test:
    at: int
    """Its suite."""
    id: str
    section: Section


class SuiteCourse(Course):
    """The same course with tests for sections."""

    def __init__(self, rig: Rig, plan: Plan, *, python: bool, names: Collection[str] = ()) -> None:
        """Nothing has run yet; ``names`` are parts of ids, of which a section must have one."""
        super().__init__(rig, replace(plan, sections=(), workers=1))  # a test command has the machine to itself
        found, self.missing = suites_of(rig, plan.project, python=python)
        self.suites = [_Known(suite=suite) for suite in found]
        self.names = tuple(names)
        self.tests: dict[str, _Test] = {}
        self._turn = threading.Lock()

    @property
    def files(self) -> frozenset[str]:
        """Where its tests lie."""
        return frozenset(one.section.path for one in self.tests.values())

    # --- without conditions ---

    def calm(self) -> None:
        """Build, and run each command several times: a test that does not end the same way each time is not steady."""
        self.known.skipped |= self.missing
        for at, known in enumerate(self.suites):
            self._tell(f"running {known.suite.name} without conditions", None)
            known.suite, failed = built(self.rig, known.suite, trial_limits(None, caps=self._caps))
            if failed:
                self.known.skipped[known.suite.name] = failed
                continue
            self._calm(at, known)
        self.plan = replace(self.plan, sections=tuple(one.section for one in self.tests.values()))

    def _calm(self, at: int, known: _Known) -> None:
        around = self._meeting(known, CALM)
        reports = [run_tests(self.rig, known.suite, around) for _ in range(_CALM_RUNS)]
        known.seconds = min(known.seconds, _WALL_SECONDS + _WALL_TIMES * max(one.execution_time for one in reports))
        first = next((test for test in by_id(reports[0]).values() if test.status.good), None)
        if first is None:
            self.known.skipped[known.suite.name] = _nothing(reports[0])
        names = list(dict.fromkeys(name for report in reports for name in by_id(report)))
        for name in names[:_MOST_TESTS]:
            self._learn(at, name, reports)
        if len(names) > _MOST_TESTS:
            self.known.skipped[known.suite.name] = f"{len(names) - _MOST_TESTS} tests more were left out"
        if first is not None:
            known.control = self._control(known, first, around)

    def _learn(self, at: int, name: str, reports: Sequence[CheckReport]) -> None:
        seen = next(test for report in reports if (test := by_id(report).get(name)) is not None)
        section = section_of(seen, self.suites[at].suite, taken=self.tests)
        if self.names and not any(part in section.id for part in self.names):
            return
        self.tests[section.id] = _Test(at=at, id=name, section=section)
        calm = calm_test(section, name, reports)
        if calm is None:
            self.known.skipped[section.id] = f"it does not pass without conditions: {said(seen)}"
        elif calm.unsteady:
            self.known.unsteady[section.id] = calm.unsteady
        else:
            self.known.calms[section.id] = calm

    def _control(self, known: _Known, first: ExecutionTestResult, around: Meeting) -> Control | None:
        made = control_of(known.suite.check.tool, first, known.suite.ground.folder)
        return made if made is not None and self._passes(known, made, around) else None

    # --- under conditions ---

    def _one(self, scenario: Scenario, sections: Collection[str], *, repeats: int) -> dict[str, Outcome]:
        wanted = [name for name in sections if name in self.known.calms]
        left, met_by = unmet(scenario), met(scenario)
        if left and not parts_of(met_by):
            return {name: _not_run(name, scenario, "; ".join(f"{part}: {why}" for part, why in left.items()))
                    for name in wanted}
        found: dict[str, Outcome] = {}
        for at, known in enumerate(self.suites):
            tests = [self.tests[name] for name in wanted if self.tests[name].at == at]
            if tests:
                found |= self._under(known, tests, scenario=scenario, met_by=met_by, repeats=repeats)
        with self._lock:
            self.section_runs += len(found)
        return found

    def _under(
        self, known: _Known, tests: Sequence[_Test], *, scenario: Scenario, met_by: Scenario, repeats: int,
    ) -> dict[str, Outcome]:
        around = self._meeting(known, met_by)
        ends: dict[str, list[Ended]] = {one.section.id: [] for one in tests}
        failed: dict[str, str] = {}
        for _ in range(repeats):
            for name, told in self._run(known, tests, around, key=_key(met_by)).items():
                if isinstance(told, str):
                    failed[name] = told
                else:
                    ends[name].append(told)
        made = {}
        for one in tests:
            name = one.section.id
            called = Called(section=one.section, ends=tuple(ends[name]), failed=failed.get(name, ""))
            made[name] = outcome(self.known.calms[name], called, scenario=scenario.name)
        return made

    def _run(
        self, known: _Known, tests: Sequence[_Test], around: Meeting, *, key: str,
    ) -> dict[str, Ended | str]:
        """By section: how it ended, or why that cannot be told."""
        report = self._ran(known, tests, around)
        heard = by_id(report)
        found = {one.section.id: _told(one, heard.get(one.id), report, around) for one in tests}
        wrong = [one for one in tests if not _returned(found[one.section.id])]
        if wrong and not self._survives(known, around, key=key, heard=heard):
            return found | {one.section.id: _RUNNER for one in wrong}
        lost = [one for one in tests if one.id not in heard]
        if len(lost) > 1:
            found |= {one.section.id: self._alone(known, one, around) for one in lost[:_MOST_ALONE]}
            found |= {one.section.id: _TOGETHER for one in lost[_MOST_ALONE:]}
        return found

    def _alone(self, known: _Known, test: _Test, around: Meeting) -> Ended | str:
        """One of several tests that were not heard of."""
        if alone_name(known.suite.check, test.id) is None:
            return _TOGETHER
        report = self._ran(known, [test], around)
        return _told(test, by_id(report).get(test.id), report, around)

    def _survives(
        self, known: _Known, around: Meeting, *, key: str, heard: Mapping[str, ExecutionTestResult],
    ) -> bool:
        """Whether the runner itself does; where no control is there, whether it ran any test to an end."""
        if known.control is None and any(map(was_run, heard.values())):
            known.sound[key] = True
        with self._turn:
            if key not in known.sound:
                known.sound[key] = self._passes(known, known.control, around)
            return known.sound[key]

    def _passes(self, known: _Known, control: Control | None, around: Meeting) -> bool:
        if control is None:
            return any(map(was_run, by_id(run_tests(self.rig, known.suite, around)).values()))
        told = by_id(run_tests(self.rig, known.suite, around, select=(control.id,), laid=control.overlay))
        return control.id in told and told[control.id].status.good

    def _ran(self, known: _Known, tests: Sequence[_Test], around: Meeting) -> CheckReport:
        whole = len(tests) == sum(one.at == tests[0].at for one in self.tests.values())
        return run_tests(self.rig, known.suite, around, select=None if whole else [one.id for one in tests])

    # --- surroundings ---

    @property
    def _caps(self) -> Limits:
        return replace(self.rig.caps, wall_seconds=self.rig.trial_seconds)

    def _meeting(self, known: _Known, scenario: Scenario) -> Meeting:
        base = replace(trial_limits(None, caps=self._caps), wall_seconds=min(known.seconds, self.rig.trial_seconds))
        return meeting(scenario, base=base, caps=self.rig.caps, seed=self.plan.seed, kept=known.suite.kept,
                       built_bytes=known.suite.built_bytes, left_bytes=known.suite.left_bytes)

    def at(self, scenario: Scenario) -> Surroundings:
        """Where the conditions are measured: as around the first suite, without what was built."""
        around = self._meeting(self.suites[0], met(scenario)) if self.suites else None
        if around is None:
            return super().at(scenario)
        place = Place(project=self.plan.project, limits=around.limits, env=around.env, network=around.network)
        return Surroundings(place=place, faults=around.faults, seconds=around.seconds or self.plan.seconds)

    def measured(self, scenario: Scenario) -> dict[str, object]:
        """What the probes of faults see in such surroundings, in their module's words."""
        around = self._meeting(self.suites[0], met(scenario))
        if not around.probed:
            return {}
        order = json.dumps({"begin": dict(around.faults), "probe": dict(around.probed)}).encode()
        report, _ = run_program(self.rig, self.at(scenario).place, program=STARTER, order=order, files=fault_files())
        try:
            found = json.loads(report)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}


def _told(test: _Test, heard: ExecutionTestResult | None, report: CheckReport, around: Meeting) -> Ended | str:
    told = ended(test.section, heard, report, most=around.seconds)
    return told if told is not None else f"it is skipped there: {said(heard)}"


def _returned(told: Ended | str) -> bool:
    return isinstance(told, str) or told.how is Ending.RETURNED


def _key(scenario: Scenario) -> str:
    return repr(replace(scenario, name="", fields={}, faults=frozenset())) + str(sorted(scenario.faults))


def _nothing(report: CheckReport) -> str:
    """Why no test passed."""
    words = next((test.message.strip() for test in report.tests if test.message.strip()), "") or report.stderr.strip()
    return f"no test passes without conditions: {words.splitlines()[0][:150] if words else 'it says nothing'}"


def _not_run(section: str, scenario: Scenario, reason: str) -> Outcome:
    return Outcome(section=section, scenario=scenario.name, state=State.NOT_RUN, reason=reason[:200])
