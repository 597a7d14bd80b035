"""Workflows of a database under scenarios: each alone, all combined, and what they do together beyond that."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from windtunnel.core.policy import Request
from windtunnel.core.ports import Rig
from windtunnel.core.result import Level, Reason
from windtunnel.core.scenario import Scenario
from windtunnel.core.series import Objective
from windtunnel.engine import particulars
from windtunnel.engine.acts import Acts, within
from windtunnel.engine.simulate.calling import run_program
from windtunnel.engine.simulate.surroundings import surroundings
from windtunnel.metrics.synergy import Shares, shapley, synergies
from windtunnel.metrics.table import measure_all
from windtunnel.metrics.workflow_runs import StepRun, observed, read_report
from windtunnel.metrics.workflows import ALL, REPORT, Workflow, program, read_workflows

_PROGRAM = "windtunnel_workflows.py"
_FEW_ORDERS = 8
"""Where there are too many workflows for all coalitions; each order asks as many runs as there are workflows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowsUnder:
    """What became of the workflows under one scenario."""

    scenario: str
    alone: Mapping[str, Mapping[str, float]]
    """Metrics by workflow."""
    combined: Mapping[str, float]
    """Of all of them, one after the other in one program: the module ``all_workflows``."""
    synergy: Mapping[str, float]
    """By ``synergy_<metric>``: combined minus the average of alone; ``synergy_roi`` is that of their value."""
    shares: Mapping[str, float]
    """Of the value of all combined, what is owed to each: its Shapley value."""
    steps: Mapping[str, tuple[StepRun, ...]]
    """By workflow, and of all combined: how each step ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowsAsked:
    """What to run."""

    project: Path
    database: Path
    scenarios: tuple[Scenario, ...]
    objective: Objective
    seed: int = 0
    step_seconds: float = 10.0
    wall_seconds: float = 600.0
    tell: Callable[[str, float | None], None] = field(default=lambda _words, _share: None)


def simulate_workflows(
    acts: Acts, rig: Callable[[], Rig], asked: WorkflowsAsked, *, level: Level | None,
) -> tuple[WorkflowsUnder, ...]:
    """The same as an act: asked of the policy as ``simulate``, paid for, and written down."""
    told = {"workflows": str(asked.database), "scenarios": particulars.some([one.name for one in asked.scenarios]),
            "seed": asked.seed}
    with acts.act("simulate", lambda: told, project=str(asked.project),
                  request=lambda: Request(verb="simulate", level=level)) as act:
        made = run_workflows(within(rig(), act), asked)
        act.end("done", workflows=len(made[0].alone) if made else 0)
    return made


def run_workflows(rig: Rig, asked: WorkflowsAsked) -> tuple[WorkflowsUnder, ...]:
    """Under each scenario, in their order."""
    workflows = read_workflows(asked.database)
    found = []
    for at, scenario in enumerate(asked.scenarios):
        found.append(_under(rig, asked, scenario, workflows))
        asked.tell(f"workflows under {scenario.name}", (at + 1) / len(asked.scenarios))
    return tuple(found)


def _under(rig: Rig, asked: WorkflowsAsked, scenario: Scenario, workflows: Sequence[Workflow]) -> WorkflowsUnder:
    steps: dict[str, tuple[StepRun, ...]] = {}
    worth: dict[frozenset[str], dict[str, float]] = {}
    by_name = {one.module: one for one in workflows}

    def measured(names: frozenset[str]) -> dict[str, float]:
        if names not in worth:
            some = [one for one in workflows if one.module in names]
            told = _steps(rig, asked, scenario, some)
            steps[ALL if len(names) > 1 or len(by_name) == 1 else next(iter(names))] = told
            worth[names] = _metrics(told, asked.objective)
        return worth[names]

    alone = {name: measured(frozenset({name})) for name in by_name}
    combined = measured(frozenset(by_name)) if by_name else {}
    whole = dict(steps)
    shares = _shares(list(by_name), lambda names: measured(names)["roi"] if names else 0.0, seed=asked.seed)
    return WorkflowsUnder(scenario=scenario.name, alone=alone, combined=combined,
                          synergy=synergies(combined, list(alone.values())), shares=shares.shares, steps=whole)


def _shares(names: list[str], worth: Callable[[frozenset[str]], float], *, seed: int) -> Shares:
    return shapley(names, worth, seed=seed, orders=_FEW_ORDERS)


def _steps(rig: Rig, asked: WorkflowsAsked, scenario: Scenario, workflows: Sequence[Workflow]) -> tuple[StepRun, ...]:
    at = surroundings(scenario, project=str(asked.project), seconds=asked.step_seconds,
                      wall_seconds=asked.wall_seconds, seed=asked.seed, caps=rig.caps)
    source = program(workflows, faults=at.faults, step_seconds=at.seconds, total_seconds=asked.wall_seconds)
    _, result = run_program(rig, at.place, program=_PROGRAM, order=b"", files={_PROGRAM: source}, collect=REPORT)
    kept = result.artifacts.get(REPORT) or next(iter(result.artifacts.values()), None)
    return read_report(kept.data if kept is not None else None, workflows, late=result.reason is Reason.TIMEOUT)


def _metrics(steps: Sequence[StepRun], objective: Objective) -> dict[str, float]:
    known = {name: one.value for name, one in measure_all(observed(steps)).items() if one.value is not None}
    return {**known, "roi": objective.value(known)}
