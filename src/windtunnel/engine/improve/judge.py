"""One edit before the judge: its trial, its answers, its time. All three have to be good."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from windtunnel.core.trial import SandboxResult
from windtunnel.engine.improve.answers import Asking
from windtunnel.engine.improve.candidates import Option
from windtunnel.engine.improve.improvement import Step
from windtunnel.engine.improve.pacer import WorkloadFailed
from windtunnel.engine.improve.timing import Timed, compare
from windtunnel.speedups.compare import Answer, Terms


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """What is the same for all edits."""

    asking: Asking
    terms: Terms
    going_on: Callable[[], bool]

    def judged(
        self, step: Step, option: Option, trial: SandboxResult, *, before: Mapping[str, str], seed: int,
    ) -> Step | None:
        """The step with its outcome; None where the time was over first."""
        if not trial.success:
            return replace(step, why=f"its trial is not good: {'; '.join(trial.reasons)[:300]}")
        edit = option.edit
        after = {**before, edit.path: edit.text}
        alike = self.asking.alike(before, after, functions=[(edit.path, edit.function)])
        step = replace(step, compared=alike.compared)
        if alike.difference:
            return replace(step, why=f"it answers otherwise: {alike.difference}")
        if not alike.compared:
            return replace(step, why="no call of it could be recorded, so nothing shows that it answers alike")
        try:
            timed = compare(self.asking.workload, before, after, seed=seed, terms=self.terms, going_on=self.going_on)
        except WorkloadFailed as failure:
            return replace(step, why=str(failure))
        return with_time(step, timed)


def with_time(step: Step, timed: Timed) -> Step | None:
    """The step with what was measured; None where that came to no end."""
    found = timed.standing
    if found.answer is Answer.MORE:
        return None
    kept = found.answer is Answer.KEEP
    said = f"{found.gain:+.1%} of the processor time ({found.low:+.1%} to {found.high:+.1%}, {found.pairs} pairs)"
    why = f"gains {said}" if kept else f"gains too little: {said}"
    return replace(step, kept=kept, why=why, gain=found.gain, low=found.low, high=found.high, pairs=found.pairs,
                   before_seconds=timed.before_seconds, after_seconds=timed.after_seconds)
