"""Small real projects: what is planned for them, and that it runs, for real, in the sandbox."""

from __future__ import annotations

from dataclasses import replace

import pytest
from plan_projects import SAMPLES

from windtunnel.languages.search import which

EXECUTED = [pytest.param(sample, id=sample.name) for sample in SAMPLES if sample.runs]


def laid(sample, folder):
    for name, text in sample.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_there_are_enough_of_them():
    assert len(SAMPLES) >= 20
    assert len({sample.name.split("-")[0] for sample in SAMPLES} - {"mixed"}) >= 8


@pytest.mark.parametrize("sample", [pytest.param(sample, id=sample.name) for sample in SAMPLES])
def test_what_is_asked_of_a_project_is_planned(sample, new_tunnel, tmp_path):
    plan = new_tunnel(history=False).plan(sample.request, laid(sample, tmp_path / "project"))

    assert {task.id: task.command for task in plan.tasks} == sample.planned
    assert plan.questions == ()


@pytest.mark.parametrize("sample", EXECUTED)
def test_what_is_planned_for_a_project_runs(sample, tunnel, tmp_path):
    missing = [name for name in sample.runs if which(name) is None]
    if missing:
        pytest.skip(f"not run: {', '.join(missing)} is not installed")
    project = laid(sample, tmp_path / "project")
    before = sorted(path for path in project.rglob("*"))
    plan = tunnel.plan(sample.request, project)
    plan = replace(plan, tasks=tuple(task if task.ends else replace(task, timeout_seconds=2.0) for task in plan.tasks))

    report = tunnel.execute(plan)

    failed = {name: state.output for name, state in report.states.items() if not state.success}
    assert failed.keys() == sample.failing, failed
    assert sorted(path for path in project.rglob("*")) == before
    tunnel.workspaces.destroy(report.workspace)
