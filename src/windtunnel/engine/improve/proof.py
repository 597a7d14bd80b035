"""All that was kept, proven together against the project as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from windtunnel.engine.fix.base import Base
from windtunnel.engine.improve.answers import Asking
from windtunnel.engine.improve.asked import Improve
from windtunnel.engine.improve.improvement import Improvement, Outcome, Step
from windtunnel.engine.improve.pacer import WorkloadFailed
from windtunnel.engine.improve.timing import compare
from windtunnel.engine.trial import Prepared, judge_change
from windtunnel.speedups.compare import Answer


def proven(
    found: Improvement, asked: Improve, ready: Prepared, asking: Asking, *, texts: Mapping[str, str],
) -> Improvement:
    """With the trial of the whole, its answers and its time; what fails here is not called an improvement."""
    if not texts:
        return found
    base = Base(folder=ready.course.ground.folder, texts=texts)
    trial = judge_change(ready, replace(asked.trial(), changes=base.changes()))
    whole = replace(found, diff=base.diff(), changes=base.changes(), trial=trial)
    if not trial.success:
        return _refused(whole, f"its trial is not good: {'; '.join(trial.reasons)[:300]}")
    if len(found.kept) == 1:
        return _as_the_step(whole, found.kept[0])
    functions = list(dict.fromkeys((step.path, step.function) for step in found.kept))
    alike = asking.alike({}, texts, functions=functions)
    if alike.difference or not alike.compared:
        return _refused(whole, alike.difference or "no call could be recorded")
    try:
        timed = compare(asking.workload, {}, texts, seed=asked.seed + 1, terms=asked.terms())
    except WorkloadFailed as failure:
        return _refused(whole, str(failure))
    standing = timed.standing
    whole = replace(whole, gain=standing.gain, low=standing.low, high=standing.high,
                    before_seconds=timed.before_seconds, after_seconds=timed.after_seconds)
    return whole if standing.answer is Answer.KEEP else _refused(whole, "together they gain too little")


def _as_the_step(whole: Improvement, step: Step) -> Improvement:
    """The only step is the whole, and was asked and timed already."""
    return replace(whole, gain=step.gain, low=step.low, high=step.high, before_seconds=step.before_seconds,
                   after_seconds=step.after_seconds)


def _refused(whole: Improvement, why: str) -> Improvement:
    """Nothing is offered; the steps still tell what each came to."""
    return replace(whole, state=Outcome.UNCHANGED, reason=f"what was kept does not hold together: {why}", changes=None,
                   diff="")
