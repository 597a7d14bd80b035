"""A fix beside the others that pass everything too, on inputs that no test gives.

Where they answer alike, it does not matter which is taken. Where they do not, one of them is wrong and the tests do not
say which: an input that shows it becomes the question for a person, and the fix is doubted unless it is worth four
times as much as the other. So is one that shows another sign of knowing the tests alone. What decides by a value of
the tests, or was refused by a trial, is no rival. See ``engine.disagreement``, which does the comparing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from windtunnel.core.gate import Doubt, Witness
from windtunnel.core.ports import Rig
from windtunnel.core.repair import FixResult, FixState
from windtunnel.core.trial import Kind
from windtunnel.engine.fix.asked import Fix
from windtunnel.engine.fix.base import Base
from windtunnel.engine.fix.choose import Weighed
from windtunnel.engine.premises import overlay_of, trial_limits
from windtunnel.engine.trial import Prepared

_MOST_RIVALS = 5
_NEAR = 0.25
"""Of the worth of the fix: what is worth less does not make it doubtful."""
_MOST_SHOWN = 120
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)


def compared(rig: Rig, asked: Fix, ready: Prepared, *, result: FixResult, weighed: Sequence[Weighed]) -> FixResult:
    """The same, with what the comparison says; only of a sure fix that has rivals, and where pytest runs the tests."""
    near, far = _rivals(weighed, result)
    rivals = near or far
    pytest = any(check.tool == "pytest" for check in ready.checks.of(Kind.TEST))
    if result.state is not FixState.FIXED or result.changes is None or not rivals or not pytest:
        return result
    doubt = _doubt(rig, asked, ready, result=result, rivals=rivals)
    if doubt.state == "not judged":
        return result
    told = replace(result, question=_question(doubt.witness))
    why = f"it may mend only what the tests look at: {doubt.reason}" if doubt.state == "hollow" else (
        _contested(doubt) if near else "")
    return told if not why else replace(told, state=FixState.DOUBTED, confidence=round(result.confidence / 2, 3),
                                        warnings=(*result.warnings, why))


def _rivals(weighed: Sequence[Weighed], result: FixResult) -> tuple[list[Base], list[Base]]:
    """Those that come after the fix, by whether they are worth nearly as much.

    What came before it was refused by a trial, or doubted.
    """
    place = next((at for at, one in enumerate(weighed) if one.diff == result.diff), -1)
    least = _NEAR * weighed[place].worth if place >= 0 else 0.0
    others = [one for one in weighed[place + 1:] if not one.special][:_MOST_RIVALS]
    return ([one.plausible.result for one in others if one.worth >= least],
            [one.plausible.result for one in others if one.worth < least])


def _contested(doubt: Doubt) -> str:
    if not doubt.against:
        return ""
    others = "another edit passes" if doubt.against == 1 else f"{doubt.against} other edits pass"
    return f"{others} the same tests and would answer other inputs otherwise: the tests do not tell which is right"


def _doubt(rig: Rig, asked: Fix, ready: Prepared, *, result: FixResult, rivals: Sequence[Base]) -> Doubt:
    from windtunnel.engine.disagreement import Rivalry, disagreement  # noqa: PLC0415 -- few fixes come to it

    assert result.changes is not None
    files = {one.relative_path: (_bytes(rivals[0].original(one.relative_path)), one.data) for one in result.changes
             if one.relative_path.endswith(".py") and one.operation == "modify"}
    try:
        return disagreement(rig, Rivalry(
            project=str(ready.project), files=files, overlay=overlay_of(result.changes), test=asked.test, env=asked.env,
            jobs=asked.jobs, limits=trial_limits(asked.limits, caps=replace(rig.caps, wall_seconds=rig.trial_seconds)),
            given=[{path: _bytes(one.read(path)) for path in files} for one in rivals if set(one.texts) <= set(files)]))
    except _UNREADABLE as error:
        return Doubt(state="not judged", reason=f"the code before the fix cannot be read: {str(error)[:200]}")


def _question(witness: Witness | None) -> str:
    """None where all answer alike."""
    if witness is None or not witness.other or witness.other == witness.change:
        return ""
    call = f"{witness.function}({_short(witness.arguments)})"
    now, other, before = (_short(each) for each in (witness.change, witness.other, witness.before))
    return (f"{call} gives {now} with this fix, {other} with another that passes the same tests, and gave {before} "
            "before; which is right?")


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _MOST_SHOWN else f"{words[:_MOST_SHOWN - 1]}…"


def _bytes(text: str | None) -> bytes:
    return (text or "").encode("utf-8", "surrogateescape")
