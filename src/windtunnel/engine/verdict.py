"""From what was seen to what to do: one rule a line, each with its reason in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from windtunnel.core.effects import Effects
from windtunnel.core.result import Reason
from windtunnel.core.trial import CheckReport, Delta, Kind, LintResult, TamperFinding, Verdict

_NAMED = 3


def judge(
    reports: Sequence[CheckReport], delta: Delta, *, findings: Sequence[LintResult], tamper: Sequence[TamperFinding],
    effects: Effects, lint_counts: bool,
) -> tuple[Verdict, tuple[str, ...]]:
    """Not good for any of these reasons; good otherwise, with what it improved."""
    against = [
        *_failed_builds(reports), *_tests(reports, delta), *_stopped(reports),
        *(_counted(findings, "new finding", lambda found: f"{found.path}:{found.line} {found.rule}")
          if lint_counts else ()),
        *(f"{finding.rule}: {finding.message}" for finding in tamper if finding.severity == "block"),
        *_counted([file for file in effects.files if file.runs_later and not file.litter],
                  "file that would run later", lambda file: f"{file.path} ({file.runs_later})"),
    ]
    if against:
        return Verdict.NOT_GOOD, tuple(dict.fromkeys(against))
    return Verdict.GOOD, tuple(_improved(delta))


def _stopped(reports: Iterable[CheckReport]) -> Iterable[str]:
    for report in reports:
        if report.reason not in (Reason.EXITED, Reason.CANCELLED):
            yield f"{' '.join(report.check.argv)}: stopped, {report.reason.replace('_', ' ')}"


def _failed_builds(reports: Iterable[CheckReport]) -> Iterable[str]:
    for report in reports:
        if report.check.kind is Kind.BUILD and report.reason is Reason.EXITED and report.exit_code != 0:
            yield f"the build failed: {' '.join(report.check.argv)} (exit code {report.exit_code})"


def _tests(reports: Sequence[CheckReport], delta: Delta) -> Iterable[str]:
    asked = [report for report in reports if report.check.kind is Kind.TEST]
    ran = [test for report in asked for test in report.tests if test.status.good or test.status.bad]
    if asked and not ran:
        yield "no test was executed"
    for names, words in ((delta.broken, "broken"), (delta.new_failing, "new and failing"),
                         (delta.vanished, "no longer reported"), (delta.silenced, "no longer run")):
        yield from _counted(names, f"test {words}", str, plural=f"tests {words}")


def _improved(delta: Delta) -> Iterable[str]:
    yield from _counted(delta.fixed, "test fixed", str, plural="tests fixed")


def _counted(items: Sequence[object], one: str, name: object, *, plural: str | None = None) -> Iterable[str]:
    if items:
        assert callable(name)
        shown = ", ".join(str(name(item)) for item in items[:_NAMED]) + (" …" if len(items) > _NAMED else "")
        yield f"{len(items)} {one if len(items) == 1 else plural or one + 's'}: {shown}"
