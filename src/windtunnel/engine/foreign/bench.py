"""One test command made ready to judge many mutants, each in a sandbox of its own.

What holds: a mutant finds the project's files as they are, whatever the mutants before it wrote; what compilers kept
of the first run lies below its copy of the project, and what they keep of a mutant is gone with its sandbox. A limit
of time is one of the processor's, from runs without a mutant; only what waits is ended by the clock.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from windtunnel.checks import prepare
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Rig
from windtunnel.core.result import Reason
from windtunnel.core.tool import Ask
from windtunnel.core.trial import Check, CheckReport, Kind, Status
from windtunnel.engine.checking import Overlay, Step, run_invocation, run_step
from windtunnel.engine.foreign.families import Family
from windtunnel.engine.ground import Ground

CPU_TIMES, CPU_SECONDS = 3, 4.0
"""Beyond what a run without a mutant takes of the processor."""
WALL_TIMES, WALL_SECONDS = 10, 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Where mutants of one family are judged."""

    rig: Rig
    ground: Ground
    family: Family
    check: Check
    limits: Limits
    """Of one run among as many as there are at once."""
    whole: Limits
    """Of the first one, which runs alone and builds all."""
    overlay: Overlay = field(default_factory=dict)
    """The change that is judged, below every mutant."""
    env: Mapping[str, str] = field(default_factory=dict)

    def clean(self) -> CheckReport:
        """All tests to their end, without a mutant; of a family that builds, with what it left in ``products``."""
        kind = Kind.BUILD if self.family.products else Kind.TEST
        whole = replace(self, limits=replace(self.whole, wall_seconds=self.limits.wall_seconds))
        return whole._run(replace(self.check, kind=kind), self.overlay, Ask())  # noqa: SLF001 -- another of our own

    def again(self) -> CheckReport:
        """The same once more, from what was built before."""
        return self._run(self.check, self.overlay, Ask())

    def judge(self, over: Overlay, *, check: Check | None = None, trusted: frozenset[str] = frozenset(),
              hasty: bool = False) -> CheckReport:
        """The tests with something laid over the project; the first trusted test that fails may end the run.

        ``hasty`` has the tool itself stop there, which is right only where no test fails without a mutant.
        """
        noticed = threading.Event()

        def hear(record: Mapping[str, Any]) -> bool:
            if _fails(record) and record.get("id") in trusted:
                noticed.set()
            return noticed.is_set()

        return self._run(check or self.check, {**self.overlay, **over}, Ask(fail_fast=hasty), on_test=hear)

    def traced(self, check: Check, env: Mapping[str, str]) -> Mapping[str, bytes]:
        """What a run without a mutant leaves in the report's folder, by relative path; nothing where it was stopped."""
        ask = Ask(key=secrets.token_hex(16))
        step = Step(check=check, overlay=self.overlay, limits=self.limits, env={**self.env, **self.family.env, **env})
        output, result = run_invocation(self.rig, self.ground, step, prepare(check, ask), key=ask.key)
        return output.files if result.reason is Reason.EXITED else {}

    def limited(self, cpu_seconds: float, wall_seconds: float) -> Bench:
        """With limits that follow from what a run without a mutant took."""
        cpu = CPU_SECONDS + CPU_TIMES * cpu_seconds
        most = self.limits.cpu_seconds
        return replace(self, limits=replace(
            self.limits, cpu_seconds=cpu if most is None else min(cpu, most),
            wall_seconds=min(self.limits.wall_seconds, WALL_SECONDS + WALL_TIMES * wall_seconds)))

    def within(self, seconds: float) -> Bench:
        """With no more than so much of the clock."""
        return replace(self, limits=replace(self.limits, wall_seconds=max(0.1, min(self.limits.wall_seconds, seconds))))

    def _run(self, check: Check, overlay: Overlay, ask: Ask,
             on_test: Callable[[Mapping[str, Any]], bool] | None = None) -> CheckReport:
        report, _ = run_step(self.rig, self.ground, Step(
            check=check, overlay=overlay, limits=self.limits, ask=ask, env={**self.env, **self.family.env},
            on_test=on_test))
        return report


def _fails(record: Mapping[str, Any]) -> bool:
    return (record.get("kind") == "test" and record.get("status") in (Status.FAILED, Status.ERROR)
            and record.get("category") not in ("timeout", "crash"))
