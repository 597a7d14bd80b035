"""The fix engine as a source of candidates: asked where tests of the clone fail.

A fix is kept only where its own trial is good: tests that failed pass, none that passed fails, nothing was found of the
tamper gate, the mutation gate says that the tests hold it (where it knows the test runner), and it could be told from a
special case of the tests. What it is worth, the cycle measures afterwards.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from windtunnel.checks.discover import discover
from windtunnel.checks.project import Folder
from windtunnel.core.ports import Rig
from windtunnel.core.repair import Attempt, FixResult, FixState, Source
from windtunnel.core.trial import Kind
from windtunnel.engine.cycles.tried import Looked, Tried
from windtunnel.engine.fix.asked import Fix
from windtunnel.engine.fix.model import REFUSED, UNASKED
from windtunnel.engine.fix.verb import fix
from windtunnel.engine.foreign.door import TOOLS
from windtunnel.engine.improve.improvement import Origin
from windtunnel.languages.search import which

_MOST_OTHERS = 8
_MOST_WORDS = 300
_ALL, _SOME = "fixes all", "fixes "


def gate_applies(project: Path) -> bool:
    """Whether the mutation gate knows the project's test runner; where it does not, it would refuse every fix."""
    found = discover(Folder(project, search=which), build="", lint="").of(Kind.TEST)
    return any(check.tool in ("pytest", *TOOLS) for check in found)


def mended(rig: Rig, asked: Fix, *, state: Path | None, late: Sequence[Source] = ()) -> Looked:
    """What the fix engine came to; nothing at all where no test fails."""
    result = fix(rig, asked, state=state, late=late)
    if result.state is FixState.NOTHING:
        return Looked()
    kept = is_good(result)
    rows = (_first(result, kept=kept), *_others(result))
    return Looked(kept=(result.diff,) if kept else (), tried=rows)


def is_good(result: FixResult) -> bool:
    """Whether a cycle keeps it: all that failed is mended, or a part of it and nobody doubts it."""
    trial = result.trial
    if trial is None or not result.diff or not trial.success or trial.tamper or trial.delta.broken:
        return False
    return result.state is FixState.FIXED or (
        result.state is FixState.PARTLY and bool(trial.delta.fixed) and not result.warnings)


def _first(result: FixResult, *, kept: bool) -> Tried:
    """What the engine would have people take, or why it has nothing."""
    chosen = chosen_of(result)
    why = result.reason if kept or not result.warnings else f"{result.reason}; {result.warnings[0]}"
    gate = "" if kept or result.trial is None or result.trial.success else "; ".join(result.trial.reasons)
    problem = next((one.place for one in result.problems if one.place is not None), None)
    where = f"{problem.file}:{problem.line}" if problem is not None and problem.line else ""
    name = result.explanation[0] if result.explanation else str(result.state)
    return Tried(
        origin=_origin(chosen), name=name[:_MOST_WORDS],
        place=chosen.place if chosen is not None else where, kept=kept,
        why="; ".join(part for part in (why, gate) if part)[:_MOST_WORDS], key=key_of(result))


def _others(result: FixResult) -> list[Tried]:
    """Those that helped at all and were not taken."""
    chosen = chosen_of(result)
    some = [one for one in result.attempts if one is not chosen and one.outcome.startswith(_SOME)][:_MOST_OTHERS]
    return [Tried(origin=_origin(one), name=one.reason[:_MOST_WORDS], place=one.place, kept=False, why=(
        "passes as much as the one that was chosen" if one.outcome == _ALL else one.outcome)) for one in some]


def chosen_of(result: FixResult) -> Attempt | None:
    """The attempt that the result is made of, as far as its reason tells."""
    told = {line for one in result.explanation for line in one.splitlines()}
    good = [one for one in result.attempts if one.outcome.startswith(_SOME)]
    named = [one for one in good if f"{one.place}: {one.reason}" in told]
    return next(iter((*named, *good)), None) if result.diff else None


def _origin(attempt: Attempt | None) -> Origin:
    return Origin.MODEL if attempt is not None and attempt.origin == "model" else Origin.FIX


def key_of(result: FixResult) -> str:
    """The same for the same failures."""
    words = sorted(f"{one.kind} {one.fingerprint}" for one in result.problems)
    return hashlib.sha256("\0".join(("fix", *words)).encode("utf-8", "surrogatepass")).hexdigest()


def refused_by_model(told: Sequence[str]) -> tuple[Tried, ...]:
    """Of all that a fix told while it looked: the answers of a model that could not be used."""
    return tuple(Tried(origin=Origin.MODEL, name="model", place="", kept=False, why=text[:_MOST_WORDS])
                 for text in dict.fromkeys(told) if text.startswith((REFUSED, UNASKED)))
