"""The gate as an act: asked of the policy as ``gate``, and written down."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from windtunnel.core.change import ChangeSet
from windtunnel.core.gate import GateResult
from windtunnel.core.policy import Request
from windtunnel.core.ports import Rig
from windtunnel.core.result import Level
from windtunnel.engine import particulars
from windtunnel.engine.acts import Acts, within
from windtunnel.engine.gate import Gate
from windtunnel.engine.gate import gate as judge
from windtunnel.engine.given import Project, check_options, check_project_name
from windtunnel.engine.mutation_act import fates_of
from windtunnel.engine.requests import of_change

_TOLD = ("thresholds", "test", "seconds", "sample", "jobs")


def gate(
    acts: Acts, rig: Callable[[], Rig], project: Project, changes: ChangeSet, *, options: Mapping[str, Any],
    level: Level | None,
) -> GateResult:
    """The verdict on one change; the options are the fields of ``Gate``, and ``keep=False`` for finding it anew."""
    fields = (Gate.__dataclass_fields__.keys() - {"project", "changes", "verdicts"}) | {"keep"}
    check_options(options, fields, what="the gate", see="Gate")
    check_project_name(project)
    given = {name: value for name, value in options.items() if name != "keep"}
    asked = Gate(project=project, changes=changes, **given)
    with acts.act("gate", lambda: _asked(asked, changes), project=str(project),
                  exact=lambda: replace(asked, tell=None, memory=None),
                  request=lambda: _request(asked, changes, level=level)) as act, contextlib.closing(
                      fates_of(acts.settings.state_dir)) as fates:
        verdicts = fates if options.get("keep", True) else None
        result = judge(within(rig(), act), replace(asked, verdicts=verdicts))
        act.end(str(result.verdict), subject=result.id, **particulars.of_gate(result))
    unrecorded = (f"not written down: {act.unrecorded}",) if act.unrecorded else ()
    return replace(result, notes=(*result.notes, *unrecorded))


def _request(asked: Gate, changes: ChangeSet, *, level: Level | None) -> Request:
    commands = (str(asked.test),) if asked.test else ()
    return replace(of_change("gate", changes, project=Path(asked.project)), level=level, limits=asked.limits,
                   commands=commands)


def _asked(asked: Gate, changes: ChangeSet) -> dict[str, object]:
    return {
        "change": changes.digest(), "files": particulars.of_changes(changes),
        "options": {name: particulars.as_json(getattr(asked, name)) for name in _TOLD},
        "alternatives": len(asked.alternatives), "variables": particulars.some(sorted(asked.env)),
        "limits": particulars.as_json(asked.limits)}
