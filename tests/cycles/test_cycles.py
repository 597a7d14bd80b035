"""Runs of cycles over a real project in real sandboxes: gains, journal, history, crashes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from windtunnel import Tunnel
from windtunnel.cli.main import main

MODULE = """
import os

def home() -> str:
    return os.environ["HOME"]

def double(n: int) -> int:
    return 2 * n
"""
PRESETS = [{"SCENARIO_NAME": "bare", "FAILURE_MODES": "missing_environment"}, {"SCENARIO_NAME": "slow", "CPU_LIMIT": 0.5}]


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "module.py").write_text(MODULE)
    (tmp_path / "presets.json").write_text(json.dumps(PRESETS))
    return folder


@pytest.fixture
def data(tmp_path):
    return tmp_path / "data"


def history(data):
    return json.loads((data / "roi_history.json").read_text())


def test_a_run_has_a_cycle_for_each_scenario_in_each_iteration(project, data):
    with Tunnel(pool_size=0) as tunnel:
        made = tunnel.cycles.run(project, presets=PRESETS, max_iterations=2, data=str(data), improve=False)

    assert [(one["scenario"], one["metrics"]["error_rate"]) for one in history(data)["cycles"]] == [
        ("bare", 0.5), ("slow", 0.0)] * 2
    assert (made.iterations, made.kept, made.metrics["error_rate"]) == (2, (), 0.25)


def test_the_project_stays_as_it_is_and_its_clone_is_beside_the_journal(project, data):
    before = {path.name: path.stat().st_mtime_ns for path in project.iterdir()}
    with Tunnel(pool_size=0) as tunnel:
        tunnel.cycles.run(project, presets=PRESETS[:1], max_iterations=1, data=str(data), improve=False)

    assert {path.name: path.stat().st_mtime_ns for path in project.iterdir()} == before
    assert (data / "runs" / "0001" / "clone" / "module.py").read_text() == MODULE


def test_a_run_that_is_killed_goes_on_by_itself_from_its_last_finished_cycle(project, data, tmp_path):
    command = [sys.executable, "-m", "windtunnel", "run-complete", str(tmp_path / "presets.json"), str(project), "--data",
               str(data), "--max-iterations", "3", "--no-improve", "--json"]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                           env={**os.environ, "WINDTUNNEL_STATE_DIR": str(tmp_path / "state")})
    lines = data / "runs" / "0001" / "cycles.jsonl"
    until = time.monotonic() + 120
    while not (lines.exists() and lines.read_text().count("\n")) and time.monotonic() < until:
        time.sleep(0.02)
    (worker,) = _children(run.pid)
    os.kill(worker, signal.SIGKILL)
    told = json.loads(run.communicate(timeout=300)[0])

    assert (run.returncode, told["iterations"]) == (0, 3)
    assert [one["scenario"] for one in history(data)["cycles"]] == ["bare", "slow"] * 3


def _children(pid):
    told = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=True).stdout
    return [int(one) for one in told.split()]


def test_what_it_measured_can_be_ranked_and_told_how_reliably_it_was_foretold(project, data, tmp_path, capsys):
    with Tunnel(pool_size=0) as tunnel:
        tunnel.cycles.run(project, presets=PRESETS, max_iterations=3, data=str(data), improve=False)

    assert main(["rank-scenarios", str(data)]) == 0
    assert {line.split(" ")[0] for line in capsys.readouterr().out.splitlines()} == {"bare", "slow"}
    assert main(["reliability", str(data / "roi_history.json"), "--metric", "error_rate"]) == 0


def test_presets_that_cannot_be_read_are_refused_before_anything_is_made(project, data, tmp_path, capsys):
    (tmp_path / "presets.json").write_text('[{"CPU_LIMIT": "many"}]')

    assert main(["run-complete", str(tmp_path / "presets.json"), str(project), "--data", str(data)]) == 2
    assert "CPU_LIMIT" in capsys.readouterr().err
    assert not data.exists()


SLOW = """
def unique(items):
    seen = []
    for item in items:
        if item not in seen:
            seen.append(item)
    return seen
"""
TESTS = """
from slow import unique

def test_each_is_there_once_in_the_order_of_the_first():
    assert unique([3, 1, 3, 2, 1]) == [3, 1, 2]
    assert unique([]) == []
"""
WORKLOAD = """
from slow import unique

print(len(unique(list(range(1500)) * 2)))
"""


def test_a_change_that_is_proven_to_help_is_kept_in_the_clone_and_as_a_diff(tmp_path, data):
    project = tmp_path / "project"
    project.mkdir()
    for name, text in (("slow.py", SLOW), ("test_slow.py", TESTS), ("workload.py", WORKLOAD)):
        (project / name).write_text(text)
    with Tunnel(pool_size=0) as tunnel:
        made = tunnel.cycles.run(project, presets=PRESETS[1:], max_iterations=2, data=str(data), improve_seconds=200)

    (diff,) = made.kept
    assert "--- a/slow.py" in diff
    assert (data / "runs" / "0001" / "clone" / "slow.py").read_text() != SLOW
    assert (project / "slow.py").read_text() == SLOW
