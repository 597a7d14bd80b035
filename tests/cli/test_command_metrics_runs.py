"""``windtunnel metrics --runs``: which scenario runs there are."""

import json

import pytest

from windtunnel.cli.main import main
from windtunnel.store.runs import NAME, RunStore, ScenarioRun


@pytest.fixture
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("WINDTUNNEL_STATE_DIR", str(tmp_path))
    return tmp_path


def test_runs_are_listed_newest_first(state, capsys):
    store = RunStore(state / NAME)
    for name in ("r1", "r2"):
        store.begin(ScenarioRun(id=name, verb="run-complete", target="t", folder=f"/data/{name}"))
    store.end("r1", "failed")
    store.close()

    assert main(["metrics", "--runs", "--json"]) == 0
    assert [(one["id"], one["outcome"], one["folder"]) for one in json.loads(capsys.readouterr().out)] == [
        ("r2", "open", "/data/r2"), ("r1", "failed", "/data/r1")]
    assert main(["metrics", "--runs"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["run", "r2", "r1"]


def test_without_a_run_none_are_listed_and_nothing_is_made(state, capsys):
    assert main(["metrics", "--runs", "--json"]) == 0
    assert (json.loads(capsys.readouterr().out), list(state.iterdir())) == ([], [])


@pytest.mark.parametrize(("arguments", "why"), [
    (["--port", "99999"], "--port: 99999 is not from 0 to 65535"), (["--json"], "only --runs is told as JSON")])
def test_what_cannot_be_is_refused(state, capsys, arguments, why):
    assert main(["metrics", *arguments]) == 2
    assert why in capsys.readouterr().err
