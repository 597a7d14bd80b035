"""The fix engine asked about a section that breaks with no condition at all, whether a test looks at it or not.

What shows the mistake is a call that should not raise. That says little of what is right, so a fix is kept only where a
rule knows the error, nothing else is nearly as likely, and the project's own tests, where it has any, hold as before.
"""

from __future__ import annotations

import hashlib
import shlex
from dataclasses import replace
from pathlib import Path

from windtunnel.core.errors import UsageError
from windtunnel.core.ports import Rig
from windtunnel.core.repair import FixResult, FixState
from windtunnel.core.simulation import Failing
from windtunnel.engine.cycles.mending import chosen_of
from windtunnel.engine.cycles.tried import Looked, Tried
from windtunnel.engine.fix.asked import Fix
from windtunnel.engine.fix.verb import fix
from windtunnel.engine.improve.improvement import Origin
from windtunnel.engine.trial import judge_change, prepare

_KNOWING = ("rule", "syntax", "tool")
"""Origins of proposals that are made for the error, and not found by trying."""
_MOST_WORDS = 300


def mended_section(rig: Rig, failing: Failing, *, folder: Path, seconds: float) -> Looked:
    """What the fix engine came to for one section; always one candidate, kept or not."""
    command = shlex.join(("python", "-c", failing.program))
    try:
        result = fix(rig, Fix(project=folder, test=command, budget=seconds, resume=False))
    except UsageError as refusal:
        return Looked(tried=(_row(failing, None, why=f"it could not be tried: {refusal}"),))
    why = _doubt(result) or _broken(rig, folder, result)
    kept = not why
    return Looked(kept=(result.diff,) if kept else (), tried=(
        _row(failing, result, why=why or f"mends {failing.error}", kept=kept),))


def section_key(failing: Failing) -> str:
    """The same for the same mistake of the same section."""
    words = f"section\0{failing.section}\0{failing.error}"
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()


def _doubt(result: FixResult) -> str:
    """Why the fix alone is not to be trusted; empty where nothing speaks against it."""
    chosen = chosen_of(result)
    if result.state is FixState.NOTHING:
        return "a call of its own does not show the mistake"
    if result.state is not FixState.FIXED or result.trial is None or not result.trial.success or result.trial.tamper:
        return "; ".join((result.reason, *result.warnings[:1]))
    if chosen is None or chosen.origin not in _KNOWING:
        return "what mends it was found by trying, and no test says that it is right"
    return result.question


def _broken(rig: Rig, folder: Path, result: FixResult) -> str:
    """What the project's own tests have against it; empty where they hold, or there are none."""
    if result.changes is None:
        return "it changes nothing"
    try:
        trial = Fix(project=folder).trial()
        judged = judge_change(prepare(rig, trial), replace(trial, changes=result.changes, lint_counts=False))
    except UsageError:
        return ""  # a project without tests has nothing that could hold
    return "" if judged.success and not judged.tamper else f"its trial is not good: {'; '.join(judged.reasons)}"


def _row(failing: Failing, result: FixResult | None, *, why: str, kept: bool = False) -> Tried:
    path, _, name = failing.section.rpartition(":")
    told = result.explanation[0] if result is not None and result.explanation else failing.error
    return Tried(origin=Origin.FIX, name=told[:_MOST_WORDS], place=f"{path}::{name}" if name else path, kept=kept,
                 why=why[:_MOST_WORDS], key=section_key(failing))
