"""Mutants judged as an act: asked of the policy, written down, and with fates kept between runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from windtunnel.core.errors import UsageError
from windtunnel.core.mutation import MutationResult
from windtunnel.core.policy import Request
from windtunnel.core.ports import Rig
from windtunnel.core.result import Level
from windtunnel.engine import particulars
from windtunnel.engine.acts import Acts, within
from windtunnel.engine.mutation import Mutation
from windtunnel.engine.mutation import mutate as judge
from windtunnel.store.fates import Fates

_TOLD = ("paths", "operators", "test", "seconds", "most", "sample", "way", "jobs", "suggest")


def fates_of(state_dir: Path) -> Fates:
    """Where this user's fates are kept."""
    return Fates(state_dir / "fates.db")


def mutate(
    acts: Acts, rig: Callable[[], Rig], project: str | os.PathLike[str], *, options: Mapping[str, Any],
    level: Level | None,
) -> MutationResult:
    """The fate of every mutant; ``keep=False`` neither takes fates from before nor keeps any."""
    fields = Mutation.__dataclass_fields__.keys() - {"project", "memory", "known"}
    for name in options.keys() - fields - {"keep"}:
        raise UsageError(f"{name}: not an option of mutation (see Mutation for those there are)", field=name)
    if not isinstance(project, str | os.PathLike):
        raise UsageError(f"project: not a path: {type(project).__name__}", field="project")
    given = {name: value for name, value in options.items() if name != "keep"}
    fates = fates_of(acts.settings.state_dir) if options.get("keep", True) else None
    mutation = Mutation(project=project, memory=fates, **given)
    try:
        with acts.act("mutate", lambda: _asked(mutation), project=str(project),
                      exact=lambda: replace(mutation, tell=None, memory=None),
                      request=lambda: _request(mutation, level=level)) as act:
            bounded = within(rig(), act)
            result = judge(bounded, mutation)
            if mutation.suggest:
                from windtunnel.engine.suggestion.suggest import suggest  # noqa: PLC0415 -- few ask for it

                result = replace(result, suggestions=suggest(bounded, mutation, result))
            act.end(str(result.state), subject="", **_found(result))
    finally:
        if fates is not None:
            fates.close()
    unrecorded = (f"not written down: {act.unrecorded}",) if act.unrecorded else ()
    return replace(result, notes=(*result.notes, *unrecorded))


def _request(mutation: Mutation, *, level: Level | None) -> Request:
    commands = (str(mutation.test),) if mutation.test else ()
    return Request(verb="mutate", paths=tuple(mutation.paths), level=level, limits=mutation.limits, commands=commands)


def _asked(mutation: Mutation) -> dict[str, object]:
    return {
        "options": {name: particulars.as_json(_plain(getattr(mutation, name))) for name in _TOLD},
        "lines": None if mutation.lines is None else {
            path: len(lines) for path, lines in list(mutation.lines.items())[:200]},
        "variables": particulars.some(sorted(mutation.env)),
        "rules": particulars.some([one.name for one in mutation.rules]),
        "overlay": particulars.some(sorted(mutation.overlay)), "limits": particulars.as_json(mutation.limits)}


def _plain(value: object) -> object:
    return sorted(map(str, value)) if isinstance(value, set | frozenset) else value


def _found(result: MutationResult) -> dict[str, object]:
    return {
        "score": result.score, "counts": {str(fate): count for fate, count in result.counts.items()},
        "tests": result.tests, "tries": result.tries, "compared": result.compared, "differing": result.differing,
        "failing": particulars.some(result.failing), "flaky": particulars.some(result.flaky),
        "dependent": particulars.some(result.dependent), "seconds": result.execution_time,
        "notes": particulars.some(result.notes)}
