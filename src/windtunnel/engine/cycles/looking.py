"""Where one cycle gets its candidates, and which of them it keeps.

First the fix engine, where tests of the clone fail or a function breaks with no condition at all; what it mends is the
change of the cycle. Else edits for speed of
the function with most to gain, by the rules and, in the cycles that are the model's, by the model: all in one
tournament, with the same tests, answers and timing. What holds: everything is tried in sandboxes over the clone, which
is only read, so what is dropped leaves nothing to take back.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from windtunnel.core.errors import UsageError
from windtunnel.core.ports import Rig
from windtunnel.engine.cycles.asking import prompt_of
from windtunnel.engine.cycles.brainstorm import Brainstorm
from windtunnel.engine.cycles.mending import gate_applies, mended, refused_by_model
from windtunnel.engine.cycles.mending_sections import mended_section, section_key
from windtunnel.engine.cycles.records import OBJECTIVE, failing_in, gains
from windtunnel.engine.cycles.tried import Looked, fix_found_nothing, of_step, passed_in
from windtunnel.engine.fix.asked import Fix
from windtunnel.engine.fix.model import source_of
from windtunnel.engine.improve.asked import Improve
from windtunnel.engine.improve.model import adviser
from windtunnel.engine.improve.pacer import WorkloadFailed
from windtunnel.engine.improve.verb import Advice, improve

NO_MODEL = "a model would be asked ({why}), and none is named"
_LEAST_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """How a run looks for candidates, the same in all its cycles."""

    seconds: float
    """Wall time for looking in one cycle; the proof of what was found comes after it."""
    brainstorm: Brainstorm
    model: str | None = None
    spend: Callable[[str], None] = lambda _: None
    """Takes money from the budgets before a model is asked; raises where there is none."""
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    """One cycle's looking."""

    rig: Rig
    search: Search
    folder: Path
    seed: int
    before: Sequence[Mapping[str, Any]]
    why: str
    """Why the model is asked in it; empty where it is not."""
    until: float

    @property
    def left(self) -> float:
        return max(_LEAST_SECONDS, self.until - time.monotonic())


def look(rig: Rig, search: Search, folder: Path, *, seed: int, before: Sequence[Mapping[str, Any]]) -> Looked:
    """What helps this clone, of all that anybody proposes."""
    why = search.brainstorm.why(gains(before), cost=OBJECTIVE.cost)
    notes = (NO_MODEL.format(why=why),) if why and search.model is None and not _said(before) else ()
    turn = _Turn(rig=rig, search=search, folder=folder, seed=seed, before=before, why=why if search.model else "",
                 until=time.monotonic() + search.seconds)
    found = Looked()
    for source in (_mended, _sections, _faster):
        if not found.kept:
            more = source(turn)
            found = Looked(kept=more.kept, tried=(*found.tried, *more.tried), notes=(*found.notes, *more.notes))
    return replace(found, notes=(*notes, *(one for one in found.notes if not _told(before, one))))


def _mended(turn: _Turn) -> Looked:
    """By the fix engine; not again where it had nothing for the same clone, unless a model helps it now."""
    if fix_found_nothing(turn.before) and not turn.why:
        return Looked()
    told = list[str]()
    try:
        asked = Fix(project=turn.folder, budget=turn.left, gate=gate_applies(turn.folder), resume=False,
                    tell=lambda event: told.append(event.text), model=turn.search.model if turn.why else None)
        late = (source_of(asked, spend=turn.search.spend, environ=turn.search.environ),) if asked.model else ()
        found = mended(turn.rig, asked, state=None, late=late)
    except UsageError as refusal:
        return Looked(notes=(f"no fix is looked for: {refusal}"[:300],))
    return replace(found, tried=(*found.tried, *refused_by_model(told)))


def _sections(turn: _Turn) -> Looked:
    """By the fix engine too: the first section that breaks with no condition, and was not tried as it is."""
    passed = passed_in(turn.before)
    wanted = next((one for one in failing_in(turn.before) if section_key(one) not in passed), None)
    if wanted is None:
        return Looked()
    return mended_section(turn.rig, wanted, folder=turn.folder, seconds=turn.left)


def _faster(turn: _Turn) -> Looked:
    """By the rules and the model; nothing where the project has no tests, or nothing to time."""
    asked = Improve(project=turn.folder, cycles=1, seconds=turn.left, seed=turn.seed, resume=False)
    ask = adviser(prompt_of(turn.before, folder=turn.folder, seed=turn.seed, environ=turn.search.environ),
                  spend=turn.search.spend, seconds=turn.left, environ=turn.search.environ) if turn.why else None
    last = turn.before[-1] if turn.before else {}
    advice = Advice(adviser=ask, prefer=tuple(last.get("costly", ())), passed=passed_in(turn.before))
    try:
        made = improve(turn.rig, asked, advice=advice)
    except (UsageError, WorkloadFailed) as refusal:
        return Looked(notes=(f"nothing can be made faster: {refusal}"[:300],))
    return Looked(kept=(made.diff,) if made.success and made.diff else (),
                  tried=tuple(of_step(one) for one in made.steps), notes=made.notes)


def _said(before: Sequence[Mapping[str, Any]]) -> bool:
    return any(note.startswith(NO_MODEL.partition("(")[0]) for record in before for note in record.get("notes", ()))


def _told(before: Sequence[Mapping[str, Any]], note: str) -> bool:
    return any(note in record.get("notes", ()) for record in before)
