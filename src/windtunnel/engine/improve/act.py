"""Improving as an act: asked of the policy as ``improve``, and written down."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from windtunnel.core.deed import Deed
from windtunnel.core.policy import Request
from windtunnel.core.ports import Rig
from windtunnel.core.result import Level
from windtunnel.core.trial import SandboxResult
from windtunnel.engine import particulars
from windtunnel.engine.acts import Acts, within
from windtunnel.engine.given import Project, check_options, check_project_name
from windtunnel.engine.improve.asked import Improve
from windtunnel.engine.improve.improvement import Improvement
from windtunnel.engine.improve.verb import improve as look

STATE = "improve"
_TOLD = ("workload", "test", "cycles", "seconds", "worthwhile", "seed", "apply", "resume")


def improve(
    acts: Acts, rig: Callable[[], Rig], project: Project, *, options: Mapping[str, Any], level: Level | None,
    apply: Callable[[Project, SandboxResult], str], remember: Callable[[Deed], None],
) -> Improvement:
    """Make a project faster; the options are the fields of ``Improve``. ``apply`` writes into it what was proven."""
    check_options(options, Improve.__dataclass_fields__.keys() - {"project"}, what="an improvement", see="Improve")
    check_project_name(project)
    asked = Improve(project=project, **options)
    with acts.act("improve", lambda: _asked(asked), project=str(project), exact=lambda: replace(asked, tell=None),
                  request=lambda: _request(asked, level=level)) as act:
        result = look(within(rig(), act), asked, state=acts.settings.state_dir / STATE)
        act.end(str(result.state), subject=result.id, **_found(result))
        if result.trial is not None:
            acts.note_trial(act, result.trial, project=str(project), remember=remember)
    result = replace(result, notes=(*result.notes, *act.remarks))
    if asked.apply and result.success and result.trial is not None:
        apply(project, result.trial)
        return replace(result, applied=True)
    return result


def _request(asked: Improve, *, level: Level | None) -> Request:
    commands = tuple(str(given) for given in (asked.workload, asked.test) if given)
    return Request(verb="improve", level=level, limits=asked.limits, commands=commands)


def _asked(asked: Improve) -> dict[str, object]:
    return {"options": {name: particulars.as_json(getattr(asked, name)) for name in _TOLD},
            "variables": particulars.some(sorted(asked.env)), "limits": particulars.as_json(asked.limits)}


def _found(result: Improvement) -> dict[str, object]:
    """What was kept and what not, with the numbers; no code but the digest of the change."""
    return {
        "state": str(result.state), "reason": result.reason[:1000], "cycles": result.cycles, "gain": result.gain,
        "change": result.changes.digest() if result.changes is not None else "",
        "files": particulars.of_changes(result.changes) if result.changes is not None else [],
        "steps": particulars.some([f"{'kept' if one.kept else 'not kept'} {one.rule} {one.path} {one.function}: "
                                   f"{one.why}" for one in result.steps]),
        "untouched": result.untouched, "seconds": result.execution_time, "notes": particulars.some(result.notes)}
