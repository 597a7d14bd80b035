"""The document's own names for simulations: functions that take a path and give a tracker."""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, overload

from windtunnel.api.returns import ROITracker
from windtunnel.core.result import Level
from windtunnel.core.scenario import Scenario
from windtunnel.core.section import Stubs
from windtunnel.core.simulation import Simulation
from windtunnel.engine.cycles.observing import metrics_of, modules_of
from windtunnel.engine.cycles.reading import Reading
from windtunnel.engine.cycles.records import OBJECTIVE
from windtunnel.engine.simulate.act import Simulate, scenarios_of
from windtunnel.engine.simulate.workflows import WorkflowsAsked
from windtunnel.metrics.workflows import ALL
from windtunnel.scenarios.generate import generate_presets as _generated
from windtunnel.scenarios.preset import preset
from windtunnel.sections.stubs import read_stubs, stubs_from
from windtunnel.tunnel import Tunnel

Presets: TypeAlias = Sequence[Mapping[str, object]]
Details: TypeAlias = dict[str, dict[str, list[dict[str, object]]]]
"""By section, by scenario: what was seen."""
_DEFAULT_COUNT = 3
_RISKY = frozenset({"subprocess", "ctypes", "socket", "pickle", "marshal", "shelve", "pty"})
_RISKY_CALLS = frozenset({"eval", "exec", "compile", "__import__", "system", "popen", "fork", "kill", "rmtree"})


def generate_presets(count: int = _DEFAULT_COUNT, *, seed: int = 0) -> list[dict[str, object]]:
    """The first rows of a covering array of conditions, by the document's fields."""
    return [preset(one) for one in _generated(count, seed=seed)]


def generate_input_stubs(environ: Mapping[str, str] | None = None) -> Stubs:
    """Inputs that the environment gives: ``SANDBOX_INPUT_STUBS``, history, templates and plugins."""
    return stubs_from(os.environ if environ is None else environ)


@overload
def run_repo_section_simulations(
    repo_path: str | os.PathLike[str], input_stubs: Presets | None = ..., env_presets: Presets | None = ..., *,
    return_details: Literal[False] = ..., seed: int = ...,
) -> ROITracker: ...
@overload
def run_repo_section_simulations(
    repo_path: str | os.PathLike[str], input_stubs: Presets | None = ..., env_presets: Presets | None = ..., *,
    return_details: Literal[True], seed: int = ...,
) -> tuple[ROITracker, Details]: ...
def run_repo_section_simulations(
    repo_path: str | os.PathLike[str], input_stubs: Presets | None = None, env_presets: Presets | None = None, *,
    return_details: bool = False, seed: int = 0,
) -> ROITracker | tuple[ROITracker, Details]:
    """Every section of a repository under every preset; one cycle of the tracker for each preset, in their order.

    Without presets those of ``SANDBOX_ENV_PRESETS`` are taken, else three are generated.
    """
    with Tunnel(pool_size=0) as tunnel:
        made = tunnel.simulate(repo_path, presets=_presets(env_presets, seed), seed=seed, measure=False,
                               cover=True, scan=True, stubs=_stubs(input_stubs))
    tracker, before = ROITracker(), 0.0
    known = replace(Reading().still(Path(made.project), made.sections), findings=made.findings,
                    unscanned=made.unscanned)
    for scenario in made.scenarios:
        metrics = metrics_of(made, scenario.name, known)
        value = OBJECTIVE.value(metrics)
        outcomes = [one for one in made.outcomes if one.scenario == scenario.name]
        tracker.update(before, value, modules=modules_of(outcomes), metrics=metrics, scenario=scenario.name)
        before = value
    return (tracker, _details(made)) if return_details else tracker


def run_workflow_simulations(
    workflows_db: str | os.PathLike[str], env_presets: Presets | None = None, *,
    repo_path: str | os.PathLike[str] = ".", seed: int = 0,
) -> ROITracker:
    """Every workflow of a database alone, then all of them combined as ``all_workflows``, under every preset."""
    tracker = ROITracker()
    with Tunnel(pool_size=0) as tunnel:
        told = tunnel.simulate_workflows(WorkflowsAsked(
            project=Path(repo_path).resolve(), database=Path(workflows_db), objective=OBJECTIVE, seed=seed,
            scenarios=_scenarios(env_presets, repo_path, seed)))
    before = 0.0
    for one in told:
        metrics = {name: found for name, found in one.combined.items() if name != "roi"}
        value = one.combined.get("roi", 0.0)
        tracker.update(before, value, modules={**one.shares, ALL: value}, metrics={**metrics, **one.synergy},
                       scenario=one.scenario)
        tracker.record_scenario_synergy(one.scenario, one.synergy)
        before = value
    return tracker


def simulate_execution_environment(
    code_str: str, input_stub: Mapping[str, object] | None = None, *, container: bool | None = None,
) -> dict[str, Any]:
    """What a snippet imports and calls, what of that is risky, and what it used when it ran in a sandbox.

    ``container`` (or ``SANDBOX_DOCKER=1``) asks for the container level; otherwise the strongest that needs no daemon.
    """
    told = _looked_at(code_str)
    wanted = container if container is not None else os.environ.get("SANDBOX_DOCKER") == "1"
    lines = [f"{name} = {value!r}" for name, value in (input_stub or {}).items() if name.isidentifier()]
    with Tunnel(pool_size=0, level=Level.CONTAINER if wanted else None) as tunnel:
        result = tunnel.run("\n".join([*lines, code_str]))
    used = result.usage
    return {**told, "exit_code": result.exit_code, "runtime_metrics": {
        "cpu": used.cpu_seconds, "memory": used.memory_peak_bytes, "disk_io": used.disk_bytes,
        "seconds": result.execution_time}}


def _looked_at(code: str) -> dict[str, list[str]]:
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):
        return {"functions_called": [], "modules_imported": [], "risk_flags": ["syntax error"]}
    nodes = list(ast.walk(tree))
    modules = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    modules |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    called = {node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
              for node in nodes if isinstance(node, ast.Call)} - {""}
    risky = [f"import of {name}" for name in sorted(modules) if name.partition(".")[0] in _RISKY]
    return {"functions_called": sorted(called), "modules_imported": sorted(modules),
            "risk_flags": [*risky, *(f"call of {name}" for name in sorted(called & _RISKY_CALLS))]}


def _presets(given: Presets | None, seed: int) -> Presets | None:
    if given is not None or os.environ.get("SANDBOX_ENV_PRESETS"):
        return given
    return [{}] if os.environ.get("SANDBOX_GENERATE_PRESETS") == "0" else generate_presets(seed=seed)


def _scenarios(given: Presets | None, repo: str | os.PathLike[str], seed: int) -> tuple[Scenario, ...]:
    return scenarios_of(Simulate(project=repo, presets=_presets(given, seed), seed=seed))


def _stubs(given: Presets | None) -> Stubs | None:
    return None if given is None else read_stubs(json.dumps([dict(one) for one in given]))


def _details(made: Simulation) -> Details:
    found: Details = {}
    for one in made.outcomes:
        found.setdefault(one.section, {}).setdefault(one.scenario, []).append(
            {"state": str(one.state), "reason": one.reason, "seconds": one.seconds, "calls": one.calls})
    return found
