"""The conformance suite, for whoever writes a sandbox: the same attacks and honest programs that ours must stand.

With pytest::

    @pytest.mark.parametrize("case", conformance_cases(exceptions={"K16": "a VM's processes cannot be seen"}), ids=str)
    def test_the_backend_conforms(case, sandbox):
        case.check(sandbox)

A row that does not hold fails the test; a known exception is shown with its reason, never left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windtunnel.core.ports import Sandbox
from windtunnel.sandbox.attacks import Attack, Outcome, Verdict
from windtunnel.sandbox.attacks.honest import Honest
from windtunnel.sandbox.selfcheck import SUITE, MakeJob, Report, check_rows, python_jobs, run_case, run_selfcheck

if TYPE_CHECKING:
    from windtunnel.sandbox.selfcheck import Row

__all__ = ["Case", "NotConforming", "Report", "check", "conformance_cases", "python_maker"]


class NotConforming(AssertionError):
    """A row did not hold, or showed nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One row of the suite."""

    row: str
    subject: Attack | Honest
    exception: str | None = None
    """Why this backend is known not to hold it."""

    def __str__(self) -> str:
        """A name for test reports."""
        name = self.subject.title if isinstance(self.subject, Attack) else self.subject.name
        return f"{self.row} {name}"

    def check(self, sandbox: Sandbox, *, make_job: MakeJob | None = None) -> Verdict:
        """Run it; a verdict of held, not run, or a known exception is returned, any other is raised.

        A known exception that turns out to hold is raised too: the list must not outlive its reasons.
        """
        verdict = run_case(self.subject, sandbox=sandbox, make_job=make_job or python_maker())
        if self.exception is not None and verdict.outcome is Outcome.HELD:
            raise NotConforming(f"{self} holds after all; take it off the exceptions ({self.exception})")
        if self.exception is None and verdict.outcome in (Outcome.NOT_HELD, Outcome.UNPROVEN):
            raise NotConforming(f"{self}: {verdict.outcome}: {verdict.evidence}")
        return verdict


def conformance_cases(*, exceptions: Mapping[str, str] | None = None) -> list[Case]:
    """Every row; ``exceptions`` maps rows to the reason why the backend does not hold them."""
    known = dict(exceptions or {})
    check_rows(known)
    return [Case(row=one.row, subject=one, exception=known.get(one.row)) for one in SUITE]


def check(
    sandbox_factory: Callable[[], Sandbox],
    *,
    make_job: MakeJob | None = None,
    exceptions: Mapping[str, str] | None = None,
    progress: Callable[[Row], None] | None = None,
) -> Report:
    """Run the whole suite against one sandbox, which is closed afterwards."""
    sandbox = sandbox_factory()
    try:
        return run_selfcheck(sandbox, make_job or python_maker(), exceptions=exceptions, progress=progress)
    finally:
        sandbox.close()


def python_maker(*, warm: bool = False) -> MakeJob:
    """Jobs for this machine's Python, started anew or, when warm, in an interpreter that was waiting."""
    from windtunnel.languages import LanguageTable  # noqa: PLC0415 -- needed only without a maker of the caller's

    table = LanguageTable()
    language = table.get("python")
    return python_jobs(language, table.toolchain(language), warm=warm)
