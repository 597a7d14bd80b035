"""Candidates of a cycle: where each came from, and why it was kept or dropped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from windtunnel.engine.improve.improvement import Origin, Step

MOST_TRIED = 40
"""That one cycle tells of."""
_MOST_WORDS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One candidate; what was dropped left nothing behind."""

    origin: Origin
    name: str
    """The rule, or what the fix engine or the model did."""
    place: str
    """``path::function``, or ``path:line``."""
    kept: bool
    why: str
    """Why it was kept or dropped."""
    gain: float | None = None
    """Of the processor time of the workload, as a share; none where it never came to timing."""
    key: str = ""
    """The same for the same edit or question; what was dropped is not tried again."""
    cycle: int = 0
    """Of the run, from 1; 0 until it is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What looking for candidates came to in one cycle."""

    kept: tuple[str, ...] = ()
    """Diffs that were proven to help, in the order in which they apply."""
    tried: tuple[Tried, ...] = ()
    notes: tuple[str, ...] = ()
    """What could not be looked for, and why."""


def of_step(step: Step) -> Tried:
    """An edit for speed, as it was judged."""
    return Tried(origin=Origin(step.origin), name=step.rule, place=f"{step.path}::{step.function}", kept=step.kept,
                 why=step.why[:_MOST_WORDS], gain=step.gain, key=step.key)


def as_json(tried: Sequence[Tried]) -> list[dict[str, Any]]:
    """For the journal."""
    return [asdict(one) for one in tried[:MOST_TRIED]]


def tried_in(records: Sequence[Mapping[str, Any]]) -> tuple[Tried, ...]:
    """All candidates of finished cycles, in order; a journal of an earlier version tells of none."""
    known = {one.name for one in fields(Tried)} - {"cycle", "origin"}
    return tuple(
        Tried(cycle=number, origin=Origin(row["origin"]), **{name: row[name] for name in known})
        for number, record in enumerate(records, start=1) for row in record.get("tried", ()))


def passed_in(records: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    """Keys of what was dropped: the same edit of the same code is not tried a second time, until luck lets it pass."""
    return frozenset(one.key for one in tried_in(records) if one.key and not one.kept)


def fix_found_nothing(records: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the fix engine looked at the clone as it is now, and had nothing to keep."""
    for record in reversed(records):
        if record["kept"]:
            return False
        if any(one.origin is Origin.FIX and one.key for one in tried_in([record])):
            return True
    return False
