"""The proof of a fix: a trial of its own, with the tamper gate, and the mutation gate where it was asked for."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from windtunnel.core.ports import Rig
from windtunnel.core.trial import Kind, SandboxResult
from windtunnel.engine.fix.asked import Fix
from windtunnel.engine.fix.base import Base
from windtunnel.engine.gated import gated
from windtunnel.engine.trial import Prepared, judge_change


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """A trial of a fix, and what it says."""

    base: Base
    result: SandboxResult
    flaky: frozenset[str] = frozenset()
    """Tests that are known to fail at random, which say nothing."""

    @property
    def good(self) -> bool:
        """Whether the change may be applied at all."""
        return self.result.success

    @property
    def whole(self) -> bool:
        """Whether nothing fails any more."""
        result = self.result
        failed = {test.id for test in result.test_results if test.status.bad} | set(result.delta.still_failing)
        return self.good and failed <= self.flaky and all(
            report.success or any(test.status.bad for test in report.tests) for report in result.reports
            if report.check.kind is not Kind.LINT)

    @property
    def helps(self) -> bool:
        """Whether it mends something, and breaks nothing."""
        return self.good and bool(self.result.delta.fixed or self.result.fixed_findings or self.whole)

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why it may be a special case of the tests, or nothing but chance."""
        read = tuple(f"{each.path}:{each.line}: {each.message}" if each.line else each.message
                     for each in self.result.to_read)
        flaky = tuple(name for name in self.result.delta.flaky if name not in self.flaky)
        return (*read, *((f"{len(flaky)} tests end differently from run to run: {', '.join(flaky[:3])}",)
                         if flaky else ()))


def prove(rig: Rig, ready: Prepared, asked: Fix, base: Base, *, flaky: Collection[str] = ()) -> Proof:
    """Try it against the project as it is."""
    trial = replace(asked.trial(), changes=base.changes(), lint_counts=asked.counts_lint)
    result = judge_change(ready, trial)
    return Proof(base=base, result=gated(rig, trial, result, files=lambda: ()), flaky=frozenset(flaky))
