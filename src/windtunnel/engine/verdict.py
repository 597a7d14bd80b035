"""From what was seen to what to do: one rule a line, each with its reason in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from windtunnel.core.effects import Effects, FileEffect
from windtunnel.core.result import Reason
from windtunnel.core.tool import PLACE
from windtunnel.core.trial import CheckReport, Delta, Kind, LintResult, TamperFinding, Verdict
from windtunnel.tamper import is_runner, is_test

_NAMED = 3
_CODE = (".py", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".go", ".rs", ".java", ".kt", ".rb")


def judge(
    reports: Sequence[CheckReport], delta: Delta, *, findings: Sequence[LintResult], tamper: Sequence[TamperFinding],
    effects: Effects, lint_counts: bool, before: Sequence[CheckReport] = (),
) -> tuple[Verdict, tuple[str, ...]]:
    """Not good for any of these reasons; good otherwise, with what it improved."""
    against = [
        *_failed_builds(reports), *_tests(reports, delta), *_stopped(reports, delta),
        *(_counted(findings, "new finding", lambda found: f"{found.path}:{found.line} {found.rule}")
          if lint_counts else ()),
        *(_failed_linters(before, reports) if lint_counts else ()),
        *(f"{finding.rule}: {finding.message}" for finding in tamper if finding.severity == "block"),
        *_counted([file for file in effects.files if file.runs_later and not file.litter],
                  "file that would run later", lambda file: f"{file.path} ({file.runs_later})",
                  plural="files that would run later"),
        *_counted([file for file in effects.files if _decides(file)], "file that decides, rewritten by a check",
                  lambda file: file.path, plural="files that decide, rewritten by a check"),
    ]
    if against:
        return Verdict.NOT_GOOD, tuple(dict.fromkeys(against))
    return Verdict.GOOD, tuple(_improved(delta))


def _stopped(reports: Iterable[CheckReport], delta: Delta) -> Iterable[str]:
    """Runs that did not end by themselves; one that was ended because it had lost already says so by what it broke."""
    for report in reports:
        if report.reason is not Reason.EXITED and not (report.reason is Reason.CANCELLED and delta.broken):
            yield f"{' '.join(report.check.argv)}: stopped, {report.reason.replace('_', ' ')}"


def _failed_builds(reports: Iterable[CheckReport]) -> Iterable[str]:
    for report in reports:
        if report.check.kind is Kind.BUILD and report.reason is Reason.EXITED and report.exit_code != 0:
            yield f"the build failed: {' '.join(report.check.argv)} (exit code {report.exit_code})"


def _failed_linters(before: Sequence[CheckReport], reports: Iterable[CheckReport]) -> Iterable[str]:
    """A linter that fails and says nothing that could be read, where it did not fail before."""
    clean = {report.check for report in before if report.exit_code == 0}
    for report in reports:
        if (report.check.kind is Kind.LINT and report.reason is Reason.EXITED and report.exit_code != 0
                and not report.findings and report.check in clean):
            yield f"the linter fails: {' '.join(report.check.argv)} (exit code {report.exit_code})"


def _decides(file: FileEffect) -> bool:
    """Whether a check wrote to what the verdict rests on: code of tests that was there, settings of the runner."""
    path = file.path.removeprefix(f"{PLACE}/")
    if file.litter or file.runs_later or file.kind == "folder":
        return False
    return is_runner(path) or (file.act != "made" and is_test(path) and path.endswith(_CODE))


def _tests(reports: Sequence[CheckReport], delta: Delta) -> Iterable[str]:
    asked = [report for report in reports if report.check.kind is Kind.TEST]
    ran = [test for report in asked for test in report.tests
           if test.status.ran and test.category not in ("crash", "collection")]
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
