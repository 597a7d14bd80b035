"""Look for a fix of a failing project: the verb, on one screen.

What holds: the project on disk is not touched; a fix is called one only after a trial of its own, with the project's
own tests and the tamper gate, in which nothing fails; no proposal is judged twice. What does not: a fix that passes
every test can still be wrong where the tests do not look; ``warnings``, ``alternatives`` and ``confidence`` say how
much was known.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from windtunnel.checks.project import Folder
from windtunnel.core.ports import Rig
from windtunnel.core.problem import Problem
from windtunnel.core.repair import FixResult, FixState, Proposal, Source
from windtunnel.engine.course import Event
from windtunnel.engine.fix import warm
from windtunnel.engine.fix.asked import Fix
from windtunnel.engine.fix.base import Base
from windtunnel.engine.fix.bench import look
from windtunnel.engine.fix.choose import Weighed, weigh
from windtunnel.engine.fix.finish import Ending, finish, nothing
from windtunnel.engine.fix.journal import Journal, journal_path
from windtunnel.engine.fix.judge import Judge
from windtunnel.engine.fix.loop import Found, Loop
from windtunnel.engine.fix.own import history_of, own_sources, remember
from windtunnel.engine.fix.proof import Proof, prove
from windtunnel.engine.fix.regression import regression_test
from windtunnel.engine.fix.rivals import compared
from windtunnel.engine.fix.stage import Stage
from windtunnel.engine.trial import Prepared, prepare
from windtunnel.repair.order import Order

_MOST_LEARNED = 500


def fix(rig: Rig, asked: Fix, *, state: Path | None = None, late: Sequence[Source] = ()) -> FixResult:
    """What was found; ``state`` is a folder for what is learned and for going on after a kill.

    ``late`` are sources that are asked only where the others did not help at once.
    """
    begun = time.monotonic()
    own = own_sources(asked, state=state)
    _tell(asked, "looking at the project")
    with contextlib.ExitStack() as held:
        early = warm.begun(rig, asked, Base(folder=Folder(asked.project)))
        if early is not None:
            held.enter_context(early)
        ready = prepare(rig, asked.trial())
        base = Base(folder=ready.course.ground.folder)
        result = nothing(str(ready.project))
        if look(ready, base, lint=asked.counts_lint).failing:
            result = _looked(rig, asked, ready, _Given(base=base, state=state, more=own, late=late, early=early))
    return replace(result, execution_time=time.monotonic() - begun)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given:
    """What a search begins with."""

    base: Base
    state: Path | None
    more: Sequence[Source]
    late: Sequence[Source]
    early: Judge | None


def _looked(rig: Rig, asked: Fix, ready: Prepared, given: _Given) -> FixResult:
    base, state, proven = given.base, given.state, list[Base]()

    def proof_of(one: Base) -> Proof:
        proven.append(one)
        return prove(rig, ready, asked, one, flaky=loop.root.seen.flaky)

    order = Order.load(state / "order.json" if state is not None else None)
    path = None if state is None else _path(state, asked, ready)
    with Journal(path, anew=not asked.resume) as journal, Stage(
            rig, asked, ready, order=order, more=given.more, late=given.late, judge=given.early) as stage:
        loop = Loop(stage.open, journal, seconds=asked.budget, attempts=asked.attempts, tell=asked.tell)
        found = loop.run(base)
        problem = next(iter(loop.root.seen.problems), None)
        weighed = weigh(found.plausible, score=lambda one: order.score(one, problem),
                        tests=_files(loop.root.seen.failing))
        _tell(asked, f"proving the best of {len(weighed)}" if weighed else f"{found.stopped}")
        result = finish(Ending(
            project=str(ready.project), seen=loop.root.seen, bench=loop.root.bench, found=found, weighed=weighed,
            prove=proof_of, again=loop.root.bench.again))
        result = compared(rig, asked, ready, result=result, weighed=weighed)
        result = replace(result, regression_test=regression_test(ready, result))
        notes = (f"{journal.replayed} judgements taken from before",) if journal.replayed else ()
    if result.state is FixState.FIXED:
        _learn(order, found, problem, chosen=_chosen(weighed, result))
        history = history_of(asked, state=state)
        if history is not None and problem is not None and proven:
            remember(history, problem, proven[-1])
    return replace(result, notes=(*result.notes, *notes))


def _chosen(weighed: Sequence[Weighed], result: FixResult) -> Proposal | None:
    """The proposal that the result is made of."""
    return next((one.plausible.proposal for one in weighed if one.diff == result.diff), weighed[0].plausible.proposal
                if weighed else None)


def _files(tests: Sequence[str]) -> tuple[str, ...]:
    """The files of tests, as far as their names tell."""
    return tuple(dict.fromkeys(name.partition("::")[0] for name in tests if "::" in name or "/" in name))


def _path(state: Path, asked: Fix, ready: Prepared) -> Path:
    return journal_path(
        state / "journals", ready.digest, asked.test, asked.build, asked.lint, list(asked.allow), list(asked.forbid),
        sorted(asked.env.items()), asked.limits)


def _learn(order: Order, found: Found, problem: Problem | None, *, chosen: Proposal | None) -> None:
    """From what was judged: the one that was chosen is good, those that failed are not; others say nothing."""
    if chosen is None:
        return
    order.learn(chosen, problem, good=True)
    for proposal, good in found.outcomes[:_MOST_LEARNED]:
        if not good:
            order.learn(proposal, problem, good=False)
    order.save()


def _tell(asked: Fix, text: str) -> None:
    if asked.tell is not None:
        asked.tell(Event(kind="step", text=text))
