"""The functions of the document, by their own names."""

from __future__ import annotations

import sqlite3

import pytest

import windtunnel

MODULE = """
import os

def home() -> str:
    return os.environ["HOME"]

def double(n: int) -> int:
    return 2 * n
"""
PRESETS = [{"SCENARIO_NAME": "bare", "FAILURE_MODES": "missing_environment"}, {"SCENARIO_NAME": "slow", "CPU_LIMIT": 0.5}]


@pytest.fixture
def repository(tmp_path):
    (tmp_path / "module.py").write_text(MODULE)
    return tmp_path


def test_sections_are_grouped_by_preset_and_the_tracker_has_a_cycle_for_each(repository):
    tracker, details = windtunnel.run_repo_section_simulations(repository, env_presets=PRESETS, return_details=True)

    assert {name: {scenario: [one["state"] for one in some] for scenario, some in found.items()}
            for name, found in details.items()} == {
        "module.py:home": {"bare": ["broken"], "slow": ["ok"]}, "module.py:double": {"bare": ["ok"], "slow": ["ok"]}}
    assert tracker.metrics_history["error_rate"] == [0.5, 0.0]
    assert [name for name, _ in tracker.rankings()] == ["module.py"]


def test_given_stubs_are_inputs(repository):
    (repository / "module.py").write_text("def f(word):\n    return {'open': 1}[word]\n")

    tracker, details = windtunnel.run_repo_section_simulations(
        repository, input_stubs=[{"word": "open"}], env_presets=PRESETS[1:], return_details=True)

    assert (list(details), tracker.metrics_history["error_rate"]) == (["module.py:f"], [0.0])


def test_workflows_are_recorded_alone_and_combined(repository):
    with sqlite3.connect(repository / "workflows.db") as connection:
        connection.execute("CREATE TABLE workflows (id INTEGER PRIMARY KEY, workflow TEXT, title TEXT, task_sequence TEXT)")
        connection.execute("INSERT INTO workflows (workflow, title, task_sequence) VALUES ('module:home', 'home', '')")

    tracker = windtunnel.run_workflow_simulations(repository / "workflows.db", PRESETS, repo_path=repository)

    assert {name for name, _ in tracker.rankings()} == {"workflow_1", "all_workflows"}
    assert tracker.metrics_history["error_rate"] == [1.0, 0.0]


def test_presets_are_generated_the_same_from_the_same_seed():
    assert windtunnel.generate_presets(2, seed=3) == windtunnel.generate_presets(2, seed=3)


def test_a_snippet_is_looked_at_and_run():
    told = windtunnel.simulate_execution_environment("import subprocess\nprint(word)", {"word": "x"}, container=False)

    assert {**told, "runtime_metrics": sorted(told["runtime_metrics"])} == {
        "functions_called": ["print"], "modules_imported": ["subprocess"], "risk_flags": ["import of subprocess"],
        "exit_code": 0, "runtime_metrics": ["cpu", "disk_io", "memory", "seconds"]}
