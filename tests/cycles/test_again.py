"""Going on with a run: with which one, where it is now, and when its command is gone."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from windtunnel import Tunnel, config
from windtunnel.cli.main import main
from windtunnel.core.errors import UsageError
from windtunnel.engine.cycles.act import Cycles
from windtunnel.store.runs import NAME, RunStore

PRESETS = [{"SCENARIO_NAME": "slow", "CPU_LIMIT": 0.5}]
OPTIONS = {"presets": PRESETS, "improve": False, "edges": False, "calls": 1}


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "module.py").write_text("def double(n: int) -> int:\n    return 2 * n\n")
    (tmp_path / "presets.json").write_text(json.dumps(PRESETS))
    return folder


@pytest.fixture
def resume(project, tmp_path, capsys):
    """Begins a run in ``data``, and goes on with it by the command; the exit code and what it said."""
    with Tunnel(pool_size=0) as tunnel:
        tunnel.cycles.begin(project, data=str(tmp_path / "data"), **OPTIONS)

    def act(*options, presets="presets.json"):
        code = main(["run-complete", str(tmp_path / presets), *options, "--data", str(tmp_path / "data"), "--resume"])
        return code, capsys.readouterr().err

    return act


def test_a_run_goes_on_to_as_many_cycles_as_are_asked_for_in_the_folder_where_it_is_now(project, tmp_path):
    old, new = tmp_path / "old", tmp_path / "new"
    with Tunnel(pool_size=0) as tunnel:
        tunnel.cycles.run(project, data=str(old), max_iterations=1, **OPTIONS)
        shutil.copytree(old, new)
        before = {path: path.stat().st_mtime_ns for path in old.rglob("*")}
        made = tunnel.cycles.go_on(str(new / "runs" / "0001"), max_iterations=2)

    assert (made.iterations, made.data) == (2, str(new))
    assert len(json.loads((new / "roi_history.json").read_text())["cycles"]) == 2
    assert {path: path.stat().st_mtime_ns for path in old.rglob("*")} == before


@pytest.mark.parametrize(("options", "field"), [
    (["--seed", "7"], "seed"), (["--section", "double"], "sections"), (["--model", "openai"], "model"),
    (["--improve-seconds", "5"], "improve_seconds")])
def test_going_on_with_other_options_than_the_run_s_is_refused(resume, options, field):
    code, said = resume(*options)

    assert (code, f"{field}: the run in " in said) == (2, True), said


def test_going_on_with_another_project_or_other_presets_is_refused(resume, tmp_path):
    (tmp_path / "other.json").write_text('[{"CPU_LIMIT": 1}]')

    assert "is not the project of the run in" in resume(str(tmp_path))[1]
    assert "presets: the run in" in resume(presets="other.json")[1]


def is_ended(pid, seconds=20.0):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.02)
    return False


def child_of(pid, seconds=60.0):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        told = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False).stdout
        if told.split():
            return int(told.split()[0])
        time.sleep(0.02)
    raise AssertionError("no process was begun")


@pytest.fixture
def command(project, tmp_path):
    """A run that takes long."""
    argv = [sys.executable, "-m", "windtunnel", "run-complete", str(tmp_path / "presets.json"), str(project), "--data",
            str(tmp_path / "data"), "--max-iterations", "1000", "--no-improve"]
    made = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, "WINDTUNNEL_STATE_DIR": str(tmp_path / "state")})
    yield made
    made.kill()
    made.communicate()


def first_cycle(tmp_path, seconds=120.0):
    lines = tmp_path / "data" / "runs" / "0001" / "cycles.jsonl"
    until = time.monotonic() + seconds
    while not (lines.exists() and lines.stat().st_size) and time.monotonic() < until:
        time.sleep(0.02)


def test_a_run_ends_when_its_command_is_killed(command, tmp_path):
    first_cycle(tmp_path)
    worker = child_of(command.pid)

    command.kill()

    assert is_ended(worker)


def test_a_command_whose_terminal_is_closed_ends_its_run_and_says_so_once(command, tmp_path):
    first_cycle(tmp_path)
    worker = child_of(command.pid)

    command.send_signal(signal.SIGHUP)
    said = command.communicate(timeout=60)[1]

    assert (command.returncode, said.count("--resume goes on with it"), is_ended(worker)) == (130, 1, True)


def test_the_watched_process_goes_on_with_its_own_run_and_not_with_the_newest(project, tmp_path, capsys):
    with Tunnel(pool_size=0) as tunnel:
        first = tunnel.cycles.begin(project, data=str(tmp_path / "data"), max_iterations=1, **OPTIONS)
        tunnel.cycles.begin(project, data=str(tmp_path / "data"), max_iterations=1, **OPTIONS)

    assert main(["run-complete", "-", str(project), "--alone", first, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["iterations"] == 1
    assert (Path(first) / "roi_history.json").exists()
    assert not (tmp_path / "data" / "runs" / "0002" / "roi_history.json").exists()


def test_conditions_that_are_not_real_are_told_in_the_notes_and_the_journal_once(project, tmp_path):
    presets = [{"SCENARIO_NAME": "odd", "OS_TYPE": "windows", "CPU_LIMIT": 4096}]
    with Tunnel(pool_size=0) as tunnel:
        made = tunnel.cycles.run(project, data=str(tmp_path / "data"), max_iterations=2, **{**OPTIONS, "presets": presets})

    notes = [json.loads(line)["told"]["notes"]
             for line in (tmp_path / "data" / "runs" / "0001" / "cycles.jsonl").read_text().splitlines()]
    assert [note.partition(" is not real here: ")[0] for note in made.notes] == ["odd: CPU_LIMIT", "odd: OS_TYPE"]
    assert notes == [list(made.notes), []]


def test_sections_that_there_are_none_of_are_refused_and_leave_no_clone_and_no_open_run(project, tmp_path, monkeypatch):
    monkeypatch.setenv("WINDTUNNEL_STATE_DIR", str(tmp_path / "state"))
    with Tunnel(config.load()) as tunnel, pytest.raises(UsageError, match=r"^sections: none has 'zzz' in its name$"):
        tunnel.cycles.run(project, data=str(tmp_path / "data"), sections=("zzz",), **OPTIONS)
    runs = RunStore(tmp_path / "state" / NAME)
    (kept,) = runs.all()
    runs.close()

    assert (kept.outcome, (tmp_path / "data" / "runs" / "0001" / "clone").exists()) == ("failed", False)


def test_a_project_without_tests_is_told_once_why_nothing_is_looked_for(project, tmp_path):
    with Tunnel(pool_size=0) as tunnel:
        made = tunnel.cycles.run(project, data=str(tmp_path / "data"), max_iterations=3, **{**OPTIONS, "improve": True})

    assert (made.kept, [note.partition(": no test command")[0] for note in made.notes]) == (
        (), ["no fix is looked for: test", "nothing can be made faster: test"])


@pytest.mark.parametrize("seconds", [float("nan"), 0.0, -1.0, float("inf")])
def test_a_time_for_looking_that_is_none_is_refused_by_its_name(seconds):
    with pytest.raises(UsageError, match=r"^improve_seconds: .* is not a number above 0"):
        Cycles(project=".", improve_seconds=seconds)


def test_progress_says_which_cycle_it_is_and_looks_for_no_change_where_none_is_wanted(project, tmp_path):
    told = []
    with Tunnel(pool_size=0) as tunnel:
        tunnel.cycles.run(project, data=str(tmp_path / "data"), max_iterations=2, tell=lambda words, _: told.append(words),
                          **OPTIONS)

    assert {words.partition(":")[0] for words in told} == {"cycle 1 of 2", "cycle 2 of 2"}
    assert not [words for words in told if "looking for a change" in words]
