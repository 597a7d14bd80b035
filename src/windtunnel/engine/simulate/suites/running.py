"""One run of a test command under conditions, and what became of each test in the words of a call."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from windtunnel.core.errors import UsageError
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Rig
from windtunnel.core.result import Reason
from windtunnel.core.section import Call, Called, Ended, Ending, Section, SectionKind
from windtunnel.core.tool import Ask, Project
from windtunnel.core.trial import Check, CheckReport, ExecutionTestResult, Kind
from windtunnel.engine.checking import Overlay, Step, run_step
from windtunnel.engine.products import over
from windtunnel.engine.simulate.comparing import Calm, calm_of
from windtunnel.engine.simulate.suites.finding import Suite
from windtunnel.engine.simulate.suites.meeting import Meeting
from windtunnel.engine.simulate.surroundings import fault_files

_MOST_NAME, _MOST_MESSAGE = 300, 200
_BETWEEN = re.compile(r" > |::")
_SPECIAL = re.compile(r"[\\^$.*+?()\[\]{}|/]")
_GO_TEST = re.compile(r"(.+?)/((?:Test|Example|Fuzz)\w*(?:/.*)?)", re.DOTALL)
_SLOW = (Reason.TIMEOUT, Reason.CPU_TIME)


def built(rig: Rig, suite: Suite, limits: Limits) -> tuple[Suite, str]:
    """With what its builds leave, or why they fail; of a family that compiles, the tests are run for that."""
    checks = suite.builds or ((replace(suite.check, kind=Kind.BUILD),) if suite.family.products else ())
    for check in checks:
        report, _ = run_step(rig, suite.ground, Step(check=check, overlay=suite.overlay, limits=limits, env=suite.env))
        if check in suite.builds and not report.success:
            return suite, f"{' '.join(check.argv)} fails with exit code {report.exit_code}"
        suite = replace(suite, overlay=over(_kept(suite, report), suite.overlay))
    return suite, ""


def _kept(suite: Suite, report: CheckReport) -> Overlay:
    """Of a family that compiles, only what its compiler takes up again."""
    if not suite.family.products:
        return report.products
    return {path: one for path, one in report.products.items() if suite.family.products.intersection(path.split("/"))}


def run_tests(
    rig: Rig, suite: Suite, meeting: Meeting, *, select: Sequence[str] | None = None, laid: Overlay | None = None,
) -> CheckReport:
    """The command to its end, or until its time is over; ``select`` are ids of tests, none means all."""
    begun = bool(meeting.faults)
    if begun and not suite.starter:
        raise UsageError("project: 'python3' is not found (to install it: apt-get install python3)", field="project")
    step = Step(
        check=suite.check, overlay={**suite.overlay, **(laid or {})}, limits=meeting.limits, network=meeting.network,
        env={**meeting.env, **suite.env}, ask=_ask(suite.check, select), files=fault_files() if begun else {},
        before=(*suite.starter, json.dumps(dict(meeting.faults))) if begun else ())
    return run_step(rig, suite.ground, step)[0]


def _ask(check: Check, select: Sequence[str] | None) -> Ask:
    if select is None:
        return Ask()
    name = alone_name(check, select[0]) if len(select) == 1 else None
    exact = _SPECIAL.sub(r"\\\g<0>", name) if name is not None and check.tool == "node:test" else ""
    return Ask(select=tuple(select), pattern=f"/^{exact}$/" if exact else None)


def alone_name(check: Check, test: str) -> str | None:
    """The name by which one test is run without the others of its file; none where it cannot be."""
    name = _BETWEEN.split(test)[1:]
    if check.tool == "node:test" and (len(name) != 1 or "\N{HORIZONTAL ELLIPSIS}" in test):
        return None
    return name[-1] if name else test


def section_of(test: ExecutionTestResult, suite: Suite, *, taken: Collection[str]) -> Section:
    """A test as a section; where its file is not told, its command stands for it."""
    path, name = _place(test.id, suite.ground.folder) or (suite.check.tool, test.id)
    name = name[:_MOST_NAME]
    made = Section(path=path, name=name, kind=SectionKind.TEST, line=test.line or 1, last=test.line or 1)
    number = 2
    while made.id in taken:
        made, number = replace(made, name=f"{name} #{number}"), number + 1
    return made


def _place(test: str, folder: Project) -> tuple[str, str] | None:
    """The file and the name that an id is made of, or the folder of a Go package and the name; none where neither is.

    What leads out of the project is nobody's file.
    """
    first, *rest = _BETWEEN.split(test, maxsplit=1)
    if rest:
        return (first, rest[0]) if _is_there(first, folder) else None
    match = _GO_TEST.fullmatch(test)
    parts = match[1].split("/") if match is not None else []
    path = next((path for at in range(len(parts)) if _is_there(path := "/".join(parts[at:]), folder)), None)
    return (path, match[2]) if match is not None and path is not None else None


def _is_there(path: str, folder: Project) -> bool:
    return not path.startswith("/") and ".." not in path.split("/") and "\0" not in path and folder.exists(path)


def ended(
    section: Section, test: ExecutionTestResult | None, report: CheckReport, *, most: float | None,
) -> Ended | None:
    """How one test ended; one that was not heard of ended with its process, or never. None where it was skipped."""
    call = Call(section=section)
    if test is None:
        how = Ending.NEVER_RETURNED if report.reason in _SLOW else Ending.ENDED_PROCESS
        return Ended(call=call, how=how, error=str(report.reason))
    seconds = max(0.0, test.duration_seconds)
    if not test.status.ran:
        return None
    if test.category == "timeout" or (most is not None and seconds > most):
        return Ended(call=call, how=Ending.NEVER_RETURNED, seconds=seconds)
    if test.status.good:
        return Ended(call=call, how=Ending.RETURNED, seconds=seconds)
    message = next((line.strip() for line in test.message.splitlines() if line.strip()), "")
    return Ended(call=call, how=Ending.RAISED, error=test.category or str(test.status), message=message[:_MOST_MESSAGE],
                 seconds=seconds)


def calm_test(section: Section, test: str, reports: Sequence[CheckReport]) -> Calm | None:
    """What one test does in several runs without conditions; none where it never passes.

    Its time is that of the slowest run: a command is run too seldom for a median to say what is usual.
    """
    told = [ended(section, by_id(report).get(test), report, most=None) for report in reports]
    ends = tuple(one for one in told if one is not None)
    if not any(one.how is Ending.RETURNED for one in ends):
        return None
    calm = calm_of(Called(section=section, ends=ends))
    calm = replace(calm, seconds=dict.fromkeys(calm.seconds, max(one.seconds for one in ends)))
    return calm if len(ends) == len(told) else replace(calm, unsteady="it is skipped now and then")


def said(test: ExecutionTestResult | None) -> str:
    """The first line of what a test says, or how it ended."""
    return (test.message.strip() or str(test.status)).splitlines()[0][:150] if test is not None else ""


def was_run(test: ExecutionTestResult) -> bool:
    """Whether its runner came to the test itself: it passed, or failed by its own doing."""
    return test.status.good or (test.status.bad and test.category in ("assertion", "exception"))


def by_id(report: CheckReport) -> Mapping[str, ExecutionTestResult]:
    """The tests that ended, by their ids; one that a crash cut short did not."""
    return {test.id: test for test in report.tests if test.category != "crash"}
