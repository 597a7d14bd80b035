"""Many candidate changes tried from one baseline, at once, and ranked.

A candidate that already lost is stopped at the first test it breaks, so its report lists less than a trial of its own
would. Candidates that leave the same files behind run once.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from windtunnel.core.change import ChangeSet
from windtunnel.core.errors import UsageError, WindtunnelError
from windtunnel.core.ports import Rig
from windtunnel.core.trial import SandboxResult
from windtunnel.engine.budget import Budget
from windtunnel.engine.course import Course, crew
from windtunnel.engine.trial import Prepared, Trial, judge_change, prepare
from windtunnel.workspace.changes import check_changes
from windtunnel.workspace.patch import write_patch


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One change in the race."""

    name: str
    changes: ChangeSet


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A candidate with its verdict and its place."""

    place: int
    name: str
    result: SandboxResult | None = None
    same_as: str | None = None
    """The candidate that leaves the same files behind and was run instead."""
    error: str | None = None
    """Why it could not be tried: its change does not apply, or no sandbox could hold it."""


def tournament(rig: Rig, trial: Trial, candidates: Sequence[Candidate]) -> tuple[Ranked, ...]:
    """All candidates, best first: good before not good, then by what they fix, leave and change."""
    if not candidates:
        raise UsageError("candidates: none given", field="candidates")
    if trial.gate:
        raise UsageError("gate: not asked about every candidate; ask it about the best one", field="gate")
    ready = prepare(rig, trial)
    checked, broken = _checked(ready, candidates)
    firsts = {changes.digest(): name for name, changes in reversed(checked.items())}
    unique = {name: checked[name] for name in firsts.values()}
    with crew(_at_once(ready, trial)) as threads:
        answers = threads.map(lambda changes: _one(ready, trial, changes), unique.values())
        tried = dict(zip(unique, answers, strict=True))
    results = {name: result for name, result in tried.items() if isinstance(result, SandboxResult)}
    failed = {name: str(result) for name, result in tried.items() if not isinstance(result, SandboxResult)}
    broken |= {name: failed[first] for name, changes in checked.items()
               if (first := firsts[changes.digest()]) in failed}
    checked = {name: changes for name, changes in checked.items() if name not in broken}
    sizes = {name: len(write_patch(checked[name], project=ready.project)) for name in results}
    order = sorted(results, key=lambda name: score(results[name], size=sizes[name]))
    ranked = [Ranked(place=place, name=name, result=results[name]) for place, name in enumerate(order, start=1)]
    places = {entry.name: entry.place for entry in ranked}
    ranked += [Ranked(place=places[first], name=name, result=results[first], same_as=first)
               for name, changes in checked.items() if (first := firsts[changes.digest()]) != name]
    last = len(order) + 1
    return (*sorted(ranked, key=lambda entry: entry.place),
            *(Ranked(place=last, name=name, error=error) for name, error in broken.items()))


def _at_once(ready: Prepared, trial: Trial) -> int:
    """Each candidate is a trial of its own; where nobody asked for limits, all of them share what one has."""
    return trial.jobs or (ready.course.budget.lanes if trial.limits is None else os.cpu_count() or 1)


def score(result: SandboxResult, *, size: int = 0) -> tuple[object, ...]:
    """Smaller is better: the verdict, then the delta, then side effects, then the size of the patch."""
    delta = result.delta
    harm = len(delta.broken) + len(delta.vanished) + len(delta.silenced) + len(delta.new_failing)
    blocked = sum(finding.severity == "block" for finding in result.tamper)
    effects = len(result.effects.unexpected) + len(result.effects.network)
    return (not result.success, blocked, harm - len(delta.fixed), len(delta.still_failing), len(result.new_findings),
            effects, size, result.changes.digest())


def _checked(ready: Prepared, candidates: Sequence[Candidate]) -> tuple[dict[str, ChangeSet], dict[str, str]]:
    checked: dict[str, ChangeSet] = {}
    broken: dict[str, str] = {}
    for candidate in candidates:
        try:
            found = check_changes(candidate.changes, project=ready.project)
            checked[candidate.name] = replace(found, notes=(*candidate.changes.notes, *found.notes))
        except UsageError as error:
            broken[candidate.name] = str(error)
    return checked, broken


def _one(ready: Prepared, trial: Trial, changes: ChangeSet) -> SandboxResult | WindtunnelError:
    """One candidate on one core, with a budget of its own; what keeps it from being tried stops no other."""
    course = ready.course
    limits = course.budget.lane_limits
    alone = Course(
        course.rig, course.ground, course.checks, budget=Budget(replace(limits, cores=min(1.0, limits.cores))),
        env=course.env, network=course.network, build_network=course.build_network, mask=course.mask,
        test_seconds=course.test_seconds)
    try:
        return judge_change(replace(ready, course=alone), replace(trial, changes=changes, fail_fast=True))
    except WindtunnelError as error:
        return error
