"""Which run is gone on with, and whether it is the one that was meant."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from windtunnel.core.errors import NotFound, UsageError
from windtunnel.engine.recovery.journal import head_of


def newest(data: Path) -> Path:
    """The folder of the run that was begun last."""
    found = [one for one in (data / "runs").glob("[0-9]*") if one.name.isdigit()]
    if not found:
        raise NotFound(f"data: {str(data)!r} holds no run (begin one without --resume)", field="data")
    return max(found, key=lambda one: int(one.name)).resolve()


def project_of(folder: Path, *, named: str | None) -> Path:
    """The project of a run; where one is named, it must be that."""
    known = Path(str(head_of(folder).options.get("project", "")))
    if named is not None and Path(named).resolve() != known:
        raise UsageError(f"path: {named!r:.200} is not the project of the run in {folder}, which is {str(known)!r} "
                         "(leave it out, or begin a new run)", field="path")
    return known


def check_same(folder: Path, given: Mapping[str, Any]) -> None:
    """Refuse options that are others than the run's; only how far it goes may change."""
    known = head_of(folder).options
    for name, value in given.items():
        if name != "max_iterations" and json.loads(json.dumps(value)) != known.get(name):
            raise UsageError(f"{name}: the run in {folder} has another one, {json.dumps(known.get(name))[:100]} (leave "
                             "it out, or begin a new run without --resume)", field=name)
