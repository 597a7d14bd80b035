"""What checks say of a state of the project, as names that pass or fail; a command without tests is one name itself."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from windtunnel.core.repair import Judgement
from windtunnel.core.result import Reason
from windtunnel.core.trial import CheckReport, Kind
from windtunnel.engine.delta import tests_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes:
    """Names by how they ended."""

    passed: frozenset[str] = frozenset()
    failed: frozenset[str] = frozenset()
    seconds: float = 0.0

    @property
    def known(self) -> frozenset[str]:
        """All names."""
        return self.passed | self.failed


def outcomes_of(reports: Sequence[CheckReport], *, lint: bool) -> Outcomes:
    """Every test, and every command: one that fails only where no test explains it.

    Commands of linters only where ``lint`` counts.
    """
    counted = [report for report in reports if lint or report.check.kind is not Kind.LINT]
    tests = tests_of(counted)
    passed = {name for name, test in tests.items() if test.status.good}
    failed = {name for name, test in tests.items() if test.status.bad}
    passed |= {name_of(report) for report in counted if report.success}
    failed |= {name_of(report) for report in counted
               if not report.success and not any(test.status.bad for test in report.tests)}
    return Outcomes(passed=frozenset(passed), failed=frozenset(failed),
                    seconds=sum(report.execution_time for report in reports))


def name_of(report: CheckReport) -> str:
    """A command as one name."""
    return f"{report.check.kind}: {' '.join(report.check.argv)}"


def judgement_of(
    key: str, reports: Sequence[CheckReport], *, tests: Collection[str], lint: bool, seconds: float,
) -> Judgement:
    """What the reports say of the names that were asked; others that fail count against it too."""
    found, asked = outcomes_of(reports, lint=lint), frozenset(tests)
    ran = {name_of(report) for report in reports}
    shown = frozenset(name for name in asked - found.known if name in ran or _opened(name, found.known))
    return Judgement(
        key=key, passed=(found.passed & asked) | shown, failed=found.failed | (asked - found.known - shown),
        error=_error(reports), seconds=seconds)


def _opened(name: str, known: Iterable[str]) -> bool:
    """Whether a name stood for a file that could not be loaded, and its tests are reported now."""
    return any(each.startswith((f"{name}::", f"{name}.", f"{name}/")) for each in known)


def _error(reports: Sequence[CheckReport]) -> str:
    for report in reports:
        if report.check.kind is Kind.BUILD and not report.success:
            return "does not build"
        if report.reason in (Reason.TIMEOUT, Reason.CPU_TIME):
            return "runs out of time"
        if report.reason is Reason.OUT_OF_MEMORY:
            return "runs out of memory"
    return ""
