"""A trial that also asks the gate: good only where the tests would have noticed the change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from windtunnel.core.gate import GateResult, Thresholds
from windtunnel.core.ports import Rig
from windtunnel.core.trial import Kind, SandboxResult, Verdict
from windtunnel.engine.course import Event
from windtunnel.engine.foreign.door import SUFFIXES
from windtunnel.engine.secrets import Mask
from windtunnel.engine.wishes import environments, secrets_of

if TYPE_CHECKING:
    from windtunnel.engine.trial import Trial

_NOT_ASKED = "gate: not asked, since the change is not good without it"


def gated(rig: Rig, trial: Trial, result: SandboxResult, *, files: Callable[[], Sequence[str]]) -> SandboxResult:
    """The verdict with that of the gate in it; a change that is not good anyway is not worth its time.

    ``files`` are those whose tests reach the change, as far as the unchanged project shows.
    """
    if not trial.gate:
        return result
    if not result.success:
        return replace(result, notes=(*result.notes, _NOT_ASKED))
    if trial.tell is not None:
        trial.tell(Event(kind="step", text="the gate: would the tests have noticed?", side="changed"))
    found = Mask(secrets_of(trial))(_judged(rig, trial, result, files=files()))
    told = tuple(f"gate: {reason}" for reason in found.reasons)
    if not found.success:
        return replace(result, gate=found, verdict=Verdict.NOT_GOOD, reasons=told)
    return replace(result, gate=found, reasons=(*result.reasons, *told))


def _judged(rig: Rig, trial: Trial, result: SandboxResult, *, files: Sequence[str]) -> GateResult:
    """By few files first: what they notice is noticed. What they do not find good is judged by all."""
    from windtunnel.engine.gate import Gate, gate  # noqa: PLC0415 -- it stands on trials, and few ask for it

    thresholds = trial.gate if isinstance(trial.gate, Thresholds) else None
    asked = Gate(
        project=trial.project, changes=result.changes, thresholds=thresholds, test=trial.test, jobs=trial.jobs,
        limits=trial.limits, env=environments(trial)[Kind.TEST])
    few = files if not any(path.endswith(SUFFIXES) for path in result.changes.paths) else ()
    found = gate(rig, replace(asked, files=few)) if few else None
    return found if found is not None and found.success else gate(rig, asked)
