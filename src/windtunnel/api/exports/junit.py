"""JUnit XML: red in it is what counts against the change, so that a gate that reads it agrees with the verdict.

A test that failed before the change too, and one that is flaky, are told as skipped with the reason. The first suite
is the verdict itself, since a change can be not good with every test green.
"""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree import ElementTree as ET

from windtunnel.api.exports.text import command, place, xml_safe
from windtunnel.core.trial import CheckReport, ExecutionTestResult, Kind, SandboxResult, Status

_MOST_MESSAGE = 8000
_COUNTS = {"failure": "failures", "error": "errors", "skipped": "skipped"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """One line of the report."""

    name: str
    classname: str
    seconds: float = 0.0
    mark: str = ""
    """``failure``, ``error``, ``skipped``; empty for one that passed."""
    kind: str = ""
    message: str = ""
    path: str | None = None
    line: int | None = None


def junit_text(result: SandboxResult) -> str:
    """The whole document; valid XML whatever the names of tests are."""
    suites = [("windtunnel", _verdict_cases(result), 0.0)]
    suites += [(_suite_name(report), _cases(report, result), report.execution_time) for report in result.reports]
    known = {test.id for test in result.test_results}
    for report in result.proposed_reports:
        added = [_test_case(test, result) for test in report.tests if test.id not in known]
        if added:
            suites.append((f"{_suite_name(report)} (the change's own tests)", added, report.execution_time))
    top = ET.Element("testsuites", name="windtunnel", time=f"{result.execution_time:.3f}")
    _count(top, [case for _, cases, _ in suites for case in cases], marks=("failure", "error"))
    for name, cases, seconds in suites:
        _add_suite(top, name, cases, seconds=seconds, result=result)
    ET.indent(top)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(top, encoding="unicode")}\n'


def _suite_name(report: CheckReport) -> str:
    return f"{report.check.kind}: {command(report)}"


def _verdict_cases(result: SandboxResult) -> list[_Case]:
    mark = "" if result.success else "failure"
    cases = [_Case(name="verdict", classname="windtunnel", mark=mark, kind=str(result.verdict),
                   message="; ".join(result.reasons), seconds=result.execution_time)]
    for found in result.tamper:
        where = place(found.path, found.line)
        cases.append(_Case(
            name=f"{found.rule} {where}".strip(), classname="windtunnel.tamper", kind=found.rule, path=found.path,
            mark="failure" if found.severity == "block" else "skipped", line=found.line,
            message=f"{found.message}\n{found.evidence}".strip()))
    gone = [("vanished", "ran before the change, not reported now", result.delta.vanished),
            ("silenced", "ran before the change, now skipped or expected to fail", result.delta.silenced)]
    reported = {test.id for test in result.test_results}
    cases += [_Case(name=name, classname="windtunnel.tests", mark="failure", kind=kind, message=words)
              for kind, words, names in gone for name in names if name not in reported]
    return cases


def _cases(report: CheckReport, result: SandboxResult) -> list[_Case]:
    if report.check.kind is Kind.TEST:
        return [_test_case(test, result) for test in report.tests] or [_whole(report)]
    if report.check.kind is Kind.LINT:
        return _lint_cases(report, result) or [_whole(report, ran=True)]
    return [_whole(report)]


def _whole(report: CheckReport, *, ran: bool = False) -> _Case:
    """The check as one case: a build, a linter that found nothing new, a runner that reported no test."""
    good = report.success or (ran and report.reason == "exited")
    return _Case(name=command(report), classname=str(report.check.kind), seconds=report.execution_time,
                 mark="" if good else "failure", kind=str(report.reason),
                 message=f"{report.reason}, exit code {report.exit_code}\n{report.stderr or report.stdout}")


def _lint_cases(report: CheckReport, result: SandboxResult) -> list[_Case]:
    old = set(report.findings)
    mark = "skipped" if result.success else "failure"
    return [_Case(name=f"{place(found.path, found.line)} {found.rule}".strip(), classname=f"lint.{found.tool}",
                  mark=mark, kind=found.rule, message=found.message, path=found.path, line=found.line)
            for found in result.new_findings if found in old]


def _test_case(test: ExecutionTestResult, result: SandboxResult) -> _Case:
    mark, prefix = _mark(test, result)
    name = test.id.rpartition("::")[2] or test.id
    owner = test.id.removesuffix(name).removesuffix("::") or test.path or "tests"
    return _Case(name=name, classname=owner, seconds=test.duration_seconds, mark=mark, kind=test.category,
                 message=f"{prefix}{test.message}", path=test.path, line=test.line)


def _mark(test: ExecutionTestResult, result: SandboxResult) -> tuple[str, str]:
    delta = result.delta
    if test.id in delta.flaky:
        return "skipped", "flaky: it ended differently when nothing was changed; "
    if test.id in delta.silenced:
        return "failure", "ran before the change, now skipped or expected to fail; "
    if test.status.good:
        return "", ""
    if not test.status.bad:
        return "skipped", ""
    if test.id not in (*delta.broken, *delta.new_failing):
        return "skipped", "failed before the change too; "
    return ("error" if test.status is Status.ERROR else "failure"), ""


def _add_suite(top: ET.Element, name: str, cases: list[_Case], *, seconds: float, result: SandboxResult) -> None:
    suite = ET.SubElement(top, "testsuite", name=xml_safe(name), time=f"{seconds:.3f}")
    _count(suite, cases, marks=("failure", "error", "skipped"))
    properties = ET.SubElement(suite, "properties")
    told = {"verdict": result.verdict, "trial": result.id, "tree": result.tree, "level": result.level or ""}
    for key, value in told.items():
        ET.SubElement(properties, "property", name=f"windtunnel.{key}", value=xml_safe(str(value)))
    for case in cases:
        _add_case(suite, case)


def _count(element: ET.Element, cases: list[_Case], *, marks: tuple[str, ...]) -> None:
    """How many there are of each mark; the schema that most readers know counts skipped ones by suite alone."""
    element.set("tests", str(len(cases)))
    for mark in marks:
        element.set(_COUNTS[mark], str(sum(case.mark == mark for case in cases)))


def _add_case(suite: ET.Element, case: _Case) -> None:
    """Its place stands in its text: the schema has no attributes for it."""
    made = ET.SubElement(suite, "testcase", name=xml_safe(case.name), classname=xml_safe(case.classname),
                         time=f"{case.seconds:.3f}")
    if case.mark:
        said = xml_safe(case.message)[:_MOST_MESSAGE]
        inner = ET.SubElement(made, case.mark, message=said.partition("\n")[0])
        if case.kind:
            inner.set("type", xml_safe(case.kind))
        inner.text = xml_safe("\n".join(filter(None, (place(case.path, case.line), said))))
