"""What is wrong with a project: its checks run in a sandbox, and all that they say as ranked problems.

What holds: the project on disk is never touched, and its checks run within the walls and limits of a trial; what they
said of the same content before is taken from the baseline that trials keep. What does not hold: a program can print a
trace that never happened, so a problem is what the output says, not a proof.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from windtunnel.checks.discover import discover
from windtunnel.checks.project import Folder
from windtunnel.core.change import ChangeSet
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Rig
from windtunnel.core.problem import Diagnosis, Problem, ProblemKind
from windtunnel.core.result import Reason
from windtunnel.core.tool import PLACE
from windtunnel.core.trial import CheckReport, ExecutionTestResult, Kind
from windtunnel.diagnosis import Sources, finished, problems_in
from windtunnel.diagnosis.clusters import clusters
from windtunnel.diagnosis.findings import of_finding, of_test
from windtunnel.engine.course import Event
from windtunnel.engine.suspects import suspects
from windtunnel.engine.trial import Trial, prepare
from windtunnel.languages.search import which

_MOST_TESTS = 200
"""Failing tests that are read one by one where their runner's output does not show them."""
_STOPPED = {Reason.TIMEOUT: ProblemKind.TIMEOUT, Reason.CPU_TIME: ProblemKind.TIMEOUT,
            Reason.OUT_OF_MEMORY: ProblemKind.MEMORY, Reason.OUT_OF_DISK: ProblemKind.IO}


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnose:
    """A project to look at, and how; the commands are those of a trial."""

    project: str | os.PathLike[str]
    build: str | None = None
    """Own command; None finds one, an empty one means none."""
    lint: str | None = None
    test: str | None = None
    limits: Limits | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    pattern: str | None = None
    """Only tests that match, in the runner's own language."""
    jobs: int | None = None
    tell: Callable[[Event], None] | None = None


def diagnose(rig: Rig, asked: Diagnose) -> Diagnosis:
    """Run the checks, or take what is kept of them, and read what they said."""
    begun = time.monotonic()
    ready = prepare(rig, _trial(asked))
    sources = sources_of(ready.project)
    found = [problem for report in ready.before for problem in problems_of(report, sources)]
    notes = (*(f"not run: {tool}" for tool in ready.checks.missing),
             *(f"{report.check.tool}: {note}" for report in ready.before for note in report.notes),
             *(("taken from what the same content said before",) if ready.cached else ()))
    return Diagnosis(
        clusters=clusters(found), commands=tuple(" ".join(report.check.argv) for report in ready.before),
        notes=tuple(dict.fromkeys(notes)), level=rig.sandbox.level, execution_time=time.monotonic() - begun,
        suspects=suspects(ready.before, sources))


def read_output(text: str, *, project: str | os.PathLike[str] | None = None) -> Diagnosis:
    """The problems of saved output; places are looked up in the project, where one is given. Nothing is run."""
    sources = Sources() if project is None else sources_of(project)
    return Diagnosis(clusters=clusters(problems_in(text, sources=sources)))


def _trial(asked: Diagnose) -> Trial:
    """A project without tests is judged by what else it has."""
    test = asked.test
    if test is None:
        folder = Folder(asked.project, search=which)
        checks = discover(folder, build=asked.build, lint=asked.lint)
        test = "" if checks.checks and not checks.of(Kind.TEST) else None
    return Trial(project=asked.project, changes=ChangeSet(changes=()), build=asked.build, lint=asked.lint, test=test,
                 limits=asked.limits, env=asked.env, pattern=asked.pattern, jobs=asked.jobs, tell=asked.tell)


def sources_of(project: str | os.PathLike[str]) -> Sources:
    """A project's files, read without following a link out of it."""
    folder = Folder(project)
    return Sources(read=folder.read, find=lambda tail: folder.glob(f"**/{tail}"), roots=(PLACE, str(folder.root)))


def problems_of(report: CheckReport, sources: Sources) -> list[Problem]:
    """All that one check said: its output, its findings and tests where that does not show them, what stopped it."""
    if report.success and not report.findings:
        return []
    findings = [finished(of_finding(finding), sources) for finding in report.findings]
    if report.check.kind is Kind.LINT and findings:
        return findings
    told = [] if report.success else list(problems_in(
        f"{report.stdout}\n{report.stderr}", sources=sources, tool=report.check.tool))
    told += [one for one in findings if not _shows(told, one)]
    told = _with_tests(told, [test for test in report.tests if test.status.bad], sources=sources)
    if report.reason is not Reason.EXITED:
        told.append(finished(_stopped(report), sources))
    if not told and not report.success:
        told = list(problems_in(f"{report.stdout}\n{report.stderr}\nexit code {report.exit_code}", sources=sources,
                                failed=True, tool=report.check.tool))
    return told


def _shows(told: Iterable[Problem], one: Problem) -> bool:
    """Whether the output already told of the same place."""
    return one.place is not None and any(
        other.place is not None and (other.place.file, other.place.line) == (one.place.file, one.place.line)
        for other in told)


def _with_tests(told: list[Problem], bad: Sequence[ExecutionTestResult], *, sources: Sources) -> list[Problem]:
    """Each problem with the whole id of its test, and the tests that the output did not show."""
    named = [replace(problem, test=_id(problem.test, bad)) if problem.test else problem for problem in told]
    real = [problem for problem in named if problem.tool != "output"]
    shown = {problem.test for problem in real}
    missing = [test for test in bad if test.id not in shown]
    if len(real) == len(bad) and not shown - {""}:
        return real
    more = [finished(problem, sources) for test in missing[:_MOST_TESTS] for problem in of_test(test, sources)]
    fresh = [problem for problem in more if problem.kind != ProblemKind.GENERIC or not _shows(real, problem)]
    return [*real, *fresh] or named


def _id(name: str, bad: Sequence[ExecutionTestResult]) -> str:
    ends = (f"::{name}", f".{name}", f"/{name}", f" > {name}")
    return next((test.id for test in bad if test.id == name or test.id.endswith(ends)), name)


def _stopped(report: CheckReport) -> Problem:
    kind = _STOPPED.get(report.reason, ProblemKind.CRASH)
    words = f"{' '.join(report.check.argv)}: stopped: {report.reason}"
    return Problem(kind=kind, message=words, name=str(report.reason), tool=report.check.tool)
