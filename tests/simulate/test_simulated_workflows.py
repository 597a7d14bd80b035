"""Workflows under scenarios: alone, combined, and what is owed to each."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from windtunnel import Tunnel
from windtunnel.engine.cycles.records import OBJECTIVE
from windtunnel.engine.simulate.workflows import WorkflowsAsked
from windtunnel.scenarios.preset import read_presets

STEPS = """
import os

def first():
    return sum(range(1000))

def second():
    return os.environ["HOME"]

def kill():
    os.kill(-1, 9)
"""


@pytest.fixture(scope="module")
def under(tmp_path_factory):
    folder = tmp_path_factory.mktemp("workflows")
    (folder / "steps.py").write_text(STEPS)
    database = folder / "workflows.db"
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE workflows (id INTEGER PRIMARY KEY, workflow TEXT, title TEXT, task_sequence TEXT)")
        connection.executemany("INSERT INTO workflows (workflow, title, task_sequence) VALUES (?, ?, '')",
                               [("steps:first", "sums"), ("steps:first,steps:second", "looks at home")])
    scenarios = read_presets([{"SCENARIO_NAME": "bare", "FAILURE_MODES": "missing_environment"},
                              {"SCENARIO_NAME": "usual", "CPU_LIMIT": 1}], source="test")
    with Tunnel(pool_size=0) as tunnel:
        return tunnel.simulate_workflows(WorkflowsAsked(
            project=Path(folder), database=database, scenarios=scenarios, objective=OBJECTIVE))


def test_each_workflow_runs_alone_and_all_of_them_combined(under):
    assert [(one.scenario, sorted(one.alone), len(one.steps["all_workflows"])) for one in under] == [
        (name, ["workflow_1", "workflow_2"], 3) for name in ("bare", "usual")]


def test_a_step_breaks_under_the_condition_it_depends_on_alone_and_combined(under):
    bare, usual = under

    assert [one.alone["workflow_2"]["error_rate"] for one in (bare, usual)] == [0.5, 0.0]
    assert [one.combined["error_rate"] for one in (bare, usual)] == [pytest.approx(1 / 3), 0.0]


def test_synergy_is_combined_minus_the_average_of_alone(under):
    assert under[0].synergy["synergy_error_rate"] == pytest.approx(1 / 3 - (0.0 + 0.5) / 2)


def test_the_shares_of_the_workflows_add_up_to_the_value_of_all_combined(under):
    for one in under:
        assert sum(one.shares.values()) == pytest.approx(one.combined["roi"])


def test_a_step_that_kills_everything_is_an_error(tmp_path):
    (tmp_path / "steps.py").write_text(STEPS)
    with sqlite3.connect(tmp_path / "workflows.db") as connection:
        connection.execute("CREATE TABLE workflows (id INTEGER PRIMARY KEY, workflow TEXT)")
        connection.execute("INSERT INTO workflows (workflow) VALUES ('steps:first,steps:kill,steps:first')")
    with Tunnel(pool_size=0) as tunnel:
        one, = tunnel.simulate_workflows(WorkflowsAsked(
            project=tmp_path, database=tmp_path / "workflows.db", objective=OBJECTIVE,
            scenarios=read_presets([{"CPU_LIMIT": 1}], source="test")))

    assert [str(step.ended) for step in one.steps["all_workflows"]] == ["returned", "died", "not run"]
    assert one.combined["error_rate"] == 0.5
