"""A fix as an act: asked of the policy as ``fix``, and written down with the trial that proves it.

Writing the fix into the project is an act of its own, ``apply``, with its own permission.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from windtunnel.core.deed import Deed
from windtunnel.core.policy import Request
from windtunnel.core.ports import Rig
from windtunnel.core.repair import FixResult, FixState
from windtunnel.core.result import Level
from windtunnel.core.trial import SandboxResult
from windtunnel.engine import particulars
from windtunnel.engine.acts import Acts, within
from windtunnel.engine.fix.asked import Fix
from windtunnel.engine.fix.verb import fix as look
from windtunnel.engine.given import Project, check_options, check_project_name

STATE = "fix"
"""The folder below the state folder: what was learned, and journals of fixes under way."""
_TOLD = ("build", "lint", "test", "budget", "attempts", "allow", "forbid", "apply", "gate", "model", "jobs", "resume",
         "test_seconds", "rules", "remember")


def fix(
    acts: Acts, rig: Callable[[], Rig], project: Project, *, options: Mapping[str, Any], level: Level | None,
    apply: Callable[[Project, SandboxResult], str], remember: Callable[[Deed], None],
) -> FixResult:
    """Look for a fix; the options are the fields of ``Fix``. ``apply`` writes into the project what is sure."""
    check_options(options, Fix.__dataclass_fields__.keys() - {"project"}, what="a fix", see="Fix")
    check_project_name(project)
    asked = Fix(project=project, **options)
    with acts.act("fix", lambda: _asked(asked), project=str(project),
                  exact=lambda: replace(asked, tell=None, sources=()),
                  request=lambda: _request(asked, level=level)) as act:
        result = look(within(rig(), act), asked, state=acts.settings.state_dir / STATE,
                      late=_models(acts, asked))
        act.end(str(result.state), subject=result.id, **_found(result))
        if result.trial is not None:
            acts.note_trial(act, result.trial, project=str(project), remember=remember)
    result = replace(result, notes=(*result.notes, *act.remarks))
    if asked.apply and result.state is FixState.FIXED and result.trial is not None:
        apply(project, result.trial)
        return replace(result, applied=True)
    return result


def _models(acts: Acts, asked: Fix) -> tuple[Any, ...]:
    if asked.model is None:
        return ()
    from windtunnel.engine.fix.model import source_of  # noqa: PLC0415 -- few ask one

    return (source_of(asked, spend=lambda price: acts.spend(price, purpose=f"fix: a model's answer ({asked.model})",
                                                            project=str(asked.project))),)


def _request(asked: Fix, *, level: Level | None) -> Request:
    commands = tuple(str(given) for given in (asked.build, asked.lint, asked.test) if given)
    return Request(verb="fix", level=level, limits=asked.limits, commands=commands)


def _asked(asked: Fix) -> dict[str, object]:
    return {"options": {name: particulars.as_json(getattr(asked, name)) for name in _TOLD},
            "variables": particulars.some(sorted(asked.env)), "limits": particulars.as_json(asked.limits),
            "own_sources": len(asked.sources)}


def _found(result: FixResult) -> dict[str, object]:
    """What was tried and what came of it; no code but the digest of the change."""
    return {
        "state": str(result.state), "reason": result.reason[:1000], "tried": result.tried, "dropped": result.dropped,
        "change": result.changes.digest() if result.changes is not None else "",
        "files": particulars.of_changes(result.changes) if result.changes is not None else [],
        "confidence": result.confidence, "warnings": particulars.some(result.warnings),
        "problems": particulars.some([f"{one.kind} {one.place.file if one.place else ''} {one.fingerprint}"
                                      for one in result.problems]),
        "attempts": particulars.some([f"{one.number} {one.origin} {one.name} {one.place}: {one.outcome}"
                                      for one in result.attempts]),
        "seconds": result.execution_time, "notes": particulars.some(result.notes)}
