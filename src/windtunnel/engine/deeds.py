"""What the history keeps of trials and of what came of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from windtunnel.core.deed import Deed

if TYPE_CHECKING:
    from windtunnel.core.trial import SandboxResult
    from windtunnel.engine.tournament import Ranked

_MOST_REASONS, _MOST_TEXT = 20, 500


def of_trial(result: SandboxResult, *, project: str, part_of: str = "") -> Deed:
    """A verdict, by its numbers; the result is masked already."""
    return Deed(
        verb="try", project=project, verdict=str(result.verdict), change=result.changes.digest(),
        counts=_counts(result), level="" if result.level is None else str(result.level),
        reasons=tuple(reason[:_MOST_TEXT] for reason in result.reasons[:_MOST_REASONS]),
        execution_time=result.execution_time, part_of=part_of, id=result.id)


def of_rank(ranked: Sequence[Ranked], *, project: str, seconds: float) -> Iterator[Deed]:
    """The race, then each candidate that was tried in it."""
    results = [one.result for one in ranked if one.result is not None and one.same_as is None]
    best = results[0] if results else None
    race = Deed(
        verb="rank", project=project, verdict="not good" if best is None else str(best.verdict),
        change="" if best is None else best.changes.digest(), execution_time=seconds,
        level="" if best is None or best.level is None else str(best.level),
        counts={"candidates": len(ranked), "tried": len(results), "good": sum(result.success for result in results),
                "could not be tried": sum(one.error is not None for one in ranked)})
    yield race
    for result in results:
        yield of_trial(result, project=project, part_of=race.id)


def of_apply(result: SandboxResult, *, project: str) -> Deed:
    """A change that the project now has."""
    return Deed(verb="apply", project=project, verdict="applied", change=result.changes.digest(),
                counts={"files": len(result.changes)}, part_of=result.id)


def of_undo(paths: Collection[str], *, project: str, trial: str) -> Deed:
    """A change that the project had."""
    return Deed(verb="undo", project=project, verdict="undone", counts={"files": len(paths)}, part_of=trial)


def _counts(result: SandboxResult) -> dict[str, int]:
    delta, tests = result.delta, result.test_results
    told = {
        "files": len(result.changes), "tests": len(tests), "passed": sum(test.status.good for test in tests),
        "fixed": len(delta.fixed), "broken": len(delta.broken), "still failing": len(delta.still_failing),
        "new and failing": len(delta.new_failing), "vanished": len(delta.vanished), "silenced": len(delta.silenced),
        "flaky": len(delta.flaky), "new findings": len(result.new_findings), "tamper": len(result.tamper),
        "unexpected files": len(result.effects.unexpected)}
    return {name: number for name, number in told.items() if number or name in ("files", "tests", "passed")}
