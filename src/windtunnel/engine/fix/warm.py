"""The warm judge as a bench: for projects whose tests are run by pytest or unittest, where that is all that fails."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from windtunnel.core.errors import SandboxFailure, UsageError, WindtunnelError
from windtunnel.core.ports import Rig
from windtunnel.core.problem import Place, Problem, ProblemKind
from windtunnel.core.repair import FileEdit, Judgement, Proposal
from windtunnel.core.trial import Checks, Kind
from windtunnel.engine.fix.asked import Fix
from windtunnel.engine.fix.base import Base
from windtunnel.engine.fix.bench import Seen
from windtunnel.engine.fix.judge import Judge
from windtunnel.engine.fix.judge_session import Ended
from windtunnel.engine.premises import overlay_of, trial_limits

_RUNNERS = ("pytest", "unittest")
_MOST_LOOK_SECONDS = 60.0
_LOOK_SHARE = 0.3
_MOST_TESTS = 10_000
"""That one proposal is judged by; all of them are run when it is proven."""
_CONTROLS, _CONTROL_SECONDS = 4, 20.0
"""How often the failing tests are asked with nothing changed, to know those that fail at random."""
_SLACK_SECONDS = 180.0
"""For what comes before and after the search: looking, and making a fix small."""
_COMMANDS = tuple(f"{kind}: " for kind in Kind)


class WarmBench:
    """Judges each proposal in a copy of one process that has loaded the tests."""

    after_good = 32
    again = 10

    def __init__(self, judge: Judge) -> None:
        """The judge is the caller's to close."""
        self._judge = judge

    def judge(
        self, proposals: Sequence[Proposal], *, tests: Sequence[str], stop_at_first_failure: bool,
        stop_after_good: int | None, seconds: float | None,
    ) -> Iterator[Judgement]:
        """In the order of the proposals."""
        if proposals:
            yield from self._judge.judge(
                proposals, tests=tests, stop_at_first_failure=stop_at_first_failure, stop_after_good=stop_after_good,
                seconds=seconds)


def fits(checks: Checks, seen: Seen, *, lint: bool) -> bool:
    """Whether all that fails are tests of one runner that can be kept warm."""
    tools = {check.tool for check in checks.of(Kind.TEST)}
    return len(checks.of(Kind.TEST)) == 1 and tools <= set(_RUNNERS) and not lint and bool(seen.failing) and not any(
        name.startswith(_COMMANDS) for name in seen.failing)


def is_unexplained(seen: Seen) -> bool:
    """Whether a command fails that tells of its tests, and none of them fails each time."""
    return bool(seen.failing) and all(name.startswith(_COMMANDS) for name in seen.failing) and any(
        not name.startswith(_COMMANDS) for name in seen.passing)


def open_judge(rig: Rig, asked: Fix, base: Base) -> Judge:
    """A judge for a base; nothing runs yet."""
    usual = trial_limits(asked.limits, caps=replace(rig.caps, wall_seconds=rig.trial_seconds))
    # Budgets hold for as long as the judge may take what it may take: no longer than there is time to look.
    most = min(rig.trial_seconds, asked.budget + _SLACK_SECONDS)
    return Judge(rig, asked.project, test=asked.test, overlay=overlay_of(base.changes()), env=asked.env,
                 limits=replace(usual, wall_seconds=most), jobs=asked.jobs)


def begun(rig: Rig, asked: Fix, base: Base) -> Judge | None:
    """A judge that loads the tests while others look at the project; None where there can be none.

    What keeps it from being there is told, with better words, by those who look.
    """
    with contextlib.suppress(WindtunnelError):
        judge = open_judge(rig, asked, base)
        judge.warm_up()
        return judge
    return None


def observed(judge: Judge, seen: Seen, *, budget: float) -> Seen | None:
    """What is seen with all that was traced; None where the judge does not see the same tests fail."""
    try:
        found = judge.observe(failing=seen.failing, seconds=min(_MOST_LOOK_SECONDS, max(5.0, _LOOK_SHARE * budget)))
    except (Ended, SandboxFailure, UsageError):
        return None
    failing = tuple(name for name in seen.failing if name in set(found.failing))
    if not failing:
        return None
    failing, flaky = _steady(judge, failing, seen.problems)
    passing = tuple(name for name in seen.passing if not name.startswith(_COMMANDS))[:_MOST_TESTS - len(failing)]
    return replace(seen, failing=failing, passing=passing, flaky=flaky, suspicions=found.suspicions or seen.suspicions,
                   types=found.types, packages=found.packages)


def _steady(
    judge: Judge, failing: tuple[str, ...], problems: Sequence[Problem],
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Those that fail whenever they are asked, and those that passed once with nothing changed."""
    path = next((path for path in judge.folder.glob("**/*.py") if judge.read(path) is not None), None)
    if path is None:
        return failing, ()
    text = (judge.read(path) or b"").decode("utf-8", "surrogateescape")
    same = Proposal(edits=(FileEdit(path=path, text=text),), origin="user", name="nothing", reason="", prior=0.0,
                    place=Place(file=path))
    passed = set[str]()
    late = {problem.test for problem in problems if problem.kind == ProblemKind.TIMEOUT}
    asked = [name for name in failing if name not in late]
    with contextlib.suppress(Ended, SandboxFailure):
        if asked:
            passed |= {name for answer in judge.judge(
                [same] * _CONTROLS, tests=asked, stop_at_first_failure=False, seconds=_CONTROL_SECONDS)
                for name in answer.passed}
    return tuple(name for name in failing if name not in passed), tuple(name for name in failing if name in passed)
