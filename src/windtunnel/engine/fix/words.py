"""What became of a proposal, in words."""

from __future__ import annotations

from collections.abc import Collection

from windtunnel.core.repair import Attempt, Judgement, Proposal


def outcome(first: Judgement, whole: Judgement | None, *, failing: Collection[str]) -> str:
    """``fixes all``, ``fixes 2 of 3``, ``breaks 1``, ``changes nothing``, or what kept it from being asked."""
    if whole is not None:
        return "fixes all" if whole.good else f"fixes these and breaks {max(1, len(whole.failed))}"
    if first.error:
        return first.error.splitlines()[0][:80]
    broken = len(first.failed - frozenset(failing))
    passed = len(first.passed & frozenset(failing))
    if passed:
        return f"fixes {passed} of {len(failing)}" + (f" and breaks {broken}" if broken else "")
    return f"breaks {broken}" if broken else "changes nothing"


def attempt(proposal: Proposal, *, number: int, outcome: str, seconds: float) -> Attempt:
    """One row for people."""
    place = proposal.place
    where = place.file if place.line is None else f"{place.file}:{place.line}"
    reason = " ".join(proposal.reason.splitlines()).removeprefix(f"{where}: ")
    return Attempt(number=number, origin=proposal.origin, name=proposal.name, reason=reason, place=where,
                   outcome=outcome, seconds=round(seconds, 4))
