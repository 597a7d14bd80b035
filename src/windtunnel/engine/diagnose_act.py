"""A diagnosis as an act: asked of the policy as ``diagnose``, and written down."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from windtunnel.core.policy import Request
from windtunnel.core.ports import Rig
from windtunnel.core.problem import Diagnosis
from windtunnel.core.result import Level
from windtunnel.engine import particulars
from windtunnel.engine.acts import Acts, within
from windtunnel.engine.diagnose import Diagnose
from windtunnel.engine.diagnose import diagnose as look
from windtunnel.engine.given import Project, check_options, check_project_name

_TOLD = ("build", "lint", "test", "pattern", "jobs")


def diagnose(
    acts: Acts, rig: Callable[[], Rig], project: Project, *, options: Mapping[str, Any], level: Level | None,
) -> Diagnosis:
    """The problems of a project; the options are the fields of ``Diagnose``."""
    check_options(options, Diagnose.__dataclass_fields__.keys() - {"project"}, what="a diagnosis", see="Diagnose")
    check_project_name(project)
    asked = Diagnose(project=project, **options)
    with acts.act("diagnose", lambda: _asked(asked), project=str(project), exact=lambda: replace(asked, tell=None),
                  request=lambda: _request(asked, level=level)) as act:
        result = look(within(rig(), act), asked)
        act.end("problems" if result.clusters else "clean", subject="", **_found(result))
    unrecorded = (f"not written down: {act.unrecorded}",) if act.unrecorded else ()
    return replace(result, notes=(*result.notes, *unrecorded))


def _request(asked: Diagnose, *, level: Level | None) -> Request:
    commands = tuple(str(given) for given in (asked.build, asked.lint, asked.test) if given)
    return Request(verb="diagnose", level=level, limits=asked.limits, commands=commands)


def _asked(asked: Diagnose) -> dict[str, object]:
    return {"options": {name: particulars.as_json(getattr(asked, name)) for name in _TOLD},
            "variables": particulars.some(sorted(asked.env)), "limits": particulars.as_json(asked.limits)}


def _found(result: Diagnosis) -> dict[str, object]:
    """Kinds, places and fingerprints; no messages, which can hold anything that a program printed."""
    return {
        "problems": particulars.some([f"{one.kind} {one.place.file if one.place else ''} {one.fingerprint}"
                                      for one in result.problems]),
        "commands": particulars.some(result.commands), "seconds": result.execution_time,
        "notes": particulars.some(result.notes)}
