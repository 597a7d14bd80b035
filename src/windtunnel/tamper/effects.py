"""What a decision changes: for its own value and for values near it, rehearsed in both versions or read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from windtunnel.tamper.answers import Reader
from windtunnel.tamper.decision import Decision
from windtunnel.tamper.disguise import given_by
from windtunnel.tamper.locality import Pair, around
from windtunnel.tamper.outcomes import without
from windtunnel.tamper.samples import Effort, Sample
from windtunnel.tamper.trees import unparsed

MOST_TRIED = 40
"""Inputs near a test's own that are rehearsed."""
LEAST_TRIED = 6
"""Rehearsed inputs from which silence says something."""
MOST_SAMPLES = 3
MOST_TOLD = 40
"""Characters of an answer that are told."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What was seen of a decision."""

    told: str = ""
    """In words; empty where nothing could be said."""
    alone: bool = False
    """Whether nothing changes but for the decision's own value."""


def effect_of(
    decision: Decision, pair: tuple[Reader, Reader] | None, *, samples: Sequence[Sample], effort: Effort
) -> Effect:
    """What a decision of a Python function changes."""
    if pair is None:
        return Effect()
    new, old = pair
    rehearsed = _rehearsed(decision, Pair(new, old, effort), samples)
    if rehearsed is not None:
        return rehearsed
    if unparsed(old.function) in without(new.source, new.function, decision.line):
        return Effect("without this branch the function is as it was", alone=True)
    return Effect()


def _rehearsed(decision: Decision, pair: Pair, samples: Sequence[Sample]) -> Effect | None:
    for given, name in list(_fitting(decision, pair, samples))[:MOST_SAMPLES]:
        both = pair.answers(given)
        if both is None or both[0] == both[1]:
            continue
        seen = [pair.differs(each) for each in list(around(given, name))[:MOST_TRIED]]
        same, other = seen.count(False), seen.count(True)
        if same + other >= LEAST_TRIED:
            rest = f"{other} of {same + other} near it too" if other else f"{same} others near it nothing changes"
            before, after = (text[:MOST_TOLD] for text in both)
            told = f"for {given[name]!r:.60} the answer changes from {before} to {after}, for {rest}"
            return Effect(told, alone=not other)
    return None


def _fitting(decision: Decision, pair: Pair, samples: Sequence[Sample]) -> Iterator[tuple[dict[str, object], str]]:
    """Calls of tests in which a parameter holds the decision's value, and that parameter."""
    for sample in samples:
        given = given_by(pair.new, sample) if sample.function == pair.new.function.name else None
        for name, held in (given or {}).items():
            if _holds(held, decision):
                yield dict(given or {}), name
                break


def _holds(held: object, decision: Decision) -> bool:
    value = decision.value
    if decision.how == "length":
        return isinstance(held, str | list | tuple) and len(held) == value
    if isinstance(value, str) and isinstance(held, str):
        return held.lower() == value.lower() or (decision.how in ("part", "pattern") and value in held)
    if isinstance(held, list | tuple) and not isinstance(value, tuple):
        return value in held
    return type(held) is type(value) and held == value
