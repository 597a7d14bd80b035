"""Does any test fail without the change? The tests as the change has them, over the product as it was."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from windtunnel.checks.discover import discover
from windtunnel.checks.project import Folder
from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.core.mutation import Fate, MutationResult
from windtunnel.core.ports import Rig
from windtunnel.core.result import Reason
from windtunnel.core.trial import CheckReport, ExecutionTestResult, Kind
from windtunnel.engine.checking import Step, run_step
from windtunnel.engine.ground import make_ground
from windtunnel.engine.mutation import is_product
from windtunnel.engine.mutation_records import NOT_COLLECTED
from windtunnel.engine.premises import check_project, overlay_of, trial_limits
from windtunnel.languages.search import which

if TYPE_CHECKING:
    from windtunnel.engine.gate import Gate

_SAY_NOTHING = ("crash", "timeout")
"""A test that was being run when something from outside ended it."""


def without(rig: Rig, asked: Gate, changes: ChangeSet, *, told: MutationResult) -> tuple[Fate, str]:
    """Whether a test fails without the product's part of the change that passes with it, and which."""
    aside = {*told.failing, *told.flaky, *told.dependent,
             *(note.partition(NOT_COLLECTED)[0] for note in told.notes)}
    if not told.tests:
        with_it = _run(rig, asked, changes)
        if not _ended(with_it):
            return _unknown(with_it), ""
        aside |= {test.id for test in with_it.tests if test.status.bad}
    report = _run(rig, asked, (each for each in changes if not is_product(each.relative_path)))
    failing = next((test.id for test in report.tests if _fails(test) and test.id not in aside), "")
    if failing:
        return Fate.KILLED, failing
    return Fate.SURVIVED if _ended(report) else _unknown(report), ""


def _run(rig: Rig, asked: Gate, kept: Iterable[FileChange]) -> CheckReport:
    """All tests with a part of the change."""
    project = check_project(asked.project, private=rig.private)
    checks = discover(Folder(project, search=which), build="", lint="", test=asked.test)
    check = next(check for check in checks.of(Kind.TEST) if check.tool == "pytest")
    limits = trial_limits(asked.limits, caps=replace(rig.caps, wall_seconds=rig.trial_seconds))
    report, _ = run_step(rig, make_ground(rig, project, checks), Step(
        check=check, overlay=overlay_of(ChangeSet(changes=tuple(kept))), env=asked.env,
        limits=replace(limits, wall_seconds=min(limits.wall_seconds, max(1.0, asked.seconds)))))
    return report


def _fails(test: ExecutionTestResult) -> bool:
    return test.status.bad and test.category not in _SAY_NOTHING


def _ended(report: CheckReport) -> bool:
    return report.reason is Reason.EXITED and any(test.status.ran for test in report.tests)


def _unknown(report: CheckReport) -> Fate:
    return Fate.TIMEOUT if report.reason is Reason.TIMEOUT else Fate.FAILED
