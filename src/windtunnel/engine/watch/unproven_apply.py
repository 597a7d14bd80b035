"""A change that was applied without a good trial, with findings of the tamper gate, or that is not the one tried."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from windtunnel.core.alert import Evidence, Severity
from windtunnel.core.audit import AuditEntry, AuditRecord
from windtunnel.engine.watch import details
from windtunnel.engine.watch.memory import touched, word
from windtunnel.engine.watch.rule import Acts, Example, Finding, Rule, Scene, Seen

_MOST_TRIALS = 2000
_DONE = frozenset({"done", "lost"})
"""Of an act whose process was killed nobody knows; it may have been applied."""


def look(seen: Seen, scene: Scene) -> Iterator[Finding]:
    """Remember trials; hold every apply against its own."""
    trials: dict[str, list[Any]] = scene.memory.setdefault("trials", {})
    if seen.entry.kind == "trial" and seen.entry.subject:
        trials.pop(word(seen.entry.subject), None)
        touched(trials, word(seen.entry.subject), _told(seen.record), most=_MOST_TRIALS)
    elif seen.entry.kind == "apply" and seen.entry.outcome in _DONE:
        name = _trial_of(seen.entry)
        trial = trials.get(word(name)) if name else None
        if trial is None and name:
            earlier = scene.earlier(name, seen.record.seq)
            trial = None if earlier is None else _told(earlier)
        yield from _held_against(seen, name, trial)


def _held_against(seen: Seen, name: str, trial: list[Any] | None) -> Iterator[Finding]:
    if trial is None:
        yield _finding(seen, None, f"{seen.actor} applied a change of which no trial is on record", named=name)
        return
    outcome, change, blocks, shows, _, _ = trial
    asked = details.text(details.table(seen.entry.details.get("inputs")).get("change"))
    if outcome != "good":
        yield _finding(seen, trial, f"{seen.actor} applied a change whose trial was {outcome}", outcome=outcome)
    elif change and asked and change != asked:
        yield _finding(seen, trial, f"{seen.actor} applied another change than the one that was tried", change=asked,
                       tried=change)
    elif blocks or shows:
        yield _finding(
            seen, trial, f"{seen.actor} applied a change in which the tamper gate found {blocks + shows} things",
            severity=Severity.HIGH if blocks else Severity.MEDIUM, blocking=blocks, shown=shows)


def _finding(
    seen: Seen, trial: list[Any] | None, message: str, *, severity: Severity | None = None, **figures: float | str,
) -> Finding:
    tried = () if trial is None else (Evidence(seq=trial[4], id=trial[5]),)
    return Finding(subject=seen.actor, severity=severity, message=message, figures=figures,
                   records=(*tried, seen.evidence))


def _trial_of(entry: AuditEntry) -> str:
    inputs = details.table(entry.details.get("inputs"))
    return details.text(entry.details.get("trial")) or details.text(inputs.get("trial")) or entry.parent


def _told(record: AuditRecord) -> list[Any]:
    """What is remembered of a trial: its outcome, its change, what the gate found, and where it stands."""
    entry = record.entry
    found = details.rows(entry.details.get("tamper"))
    blocks = sum(one.get("severity") == "block" for one in found)
    change = details.text(details.table(entry.details.get("inputs")).get("change"))
    return [word(entry.outcome), word(change), blocks, len(found) - blocks, record.seq, word(entry.id)]


_SHOWN = {"tamper": [{"rule": "test-edited", "severity": "show"}]}
RULE = Rule(
    id="unproven-apply", about="applied without a good trial of that change, or with findings of the tamper gate",
    severity=Severity.HIGH, look=look, again=0.0,
    examples=(
        Example(about="no trial at all", trail=(Acts(kind="apply", details={"trial": "t1"}),), fires=1),
        Example(about="a trial that was not good", fires=1, trail=(
            Acts(kind="trial", outcome="not good", subject="t1"), Acts(kind="apply", details={"trial": "t1"}))),
        Example(about="findings to look at", fires=1, trail=(
            Acts(kind="trial", outcome="good", subject="t1", details=_SHOWN),
            Acts(kind="apply", details={"trial": "t1"}))),
        Example(about="another change than was tried", fires=1, trail=(
            Acts(kind="trial", outcome="good", subject="t1", details={"inputs": {"change": "aa"}}),
            Acts(kind="apply", details={"trial": "t1", "inputs": {"change": "bb"}}))),
        Example(about="a good trial", fires=0, trail=(
            Acts(kind="trial", outcome="good", subject="t1"), Acts(kind="apply", details={"trial": "t1"}))),
        Example(about="an apply that was denied", trail=(Acts(kind="apply", outcome="denied"),), fires=0),
    ))
