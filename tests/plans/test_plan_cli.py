"""``windtunnel plan``, ``plans`` and ``execute`` as a person uses them; those as processes are in test_plan_execution."""

from __future__ import annotations

import io
import json
from types import SimpleNamespace

import pytest

from windtunnel.cli.main import main


@pytest.fixture
def line(tmp_path, monkeypatch, capsys):
    """The command line in this process; what it answered."""
    monkeypatch.setenv("WINDTUNNEL_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("WINDTUNNEL_CACHE_DIR", str(tmp_path / "cache"))

    def run(*arguments, stdin=""):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        code = main(arguments)
        told = capsys.readouterr()
        return SimpleNamespace(returncode=code, stdout=told.out, stderr=told.err)

    return run


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "Makefile").write_text("build:\n\ttrue\n\ntest:\n\ttest -e mended\n")
    (folder / "main.c").write_text("int main(void) { return 0; }\n")
    return folder


def test_a_plan_is_made_shown_executed_mended_and_tried_again(line, project, tmp_path):
    made = line("plan", "build and test, then deploy", str(project), "--save", str(tmp_path / "plan.json"))
    plan = made.stdout.split("windtunnel execute ")[1].split()[0]

    assert made.returncode == 0, made.stderr
    assert made.stdout.splitlines()[0].split() == [
        "id", "command", "folder", "after", "risk", "network", "timeout", "what"]
    assert "open: not planned: deploy" in made.stdout
    failed = line("execute", plan)
    assert failed.returncode == 1
    assert "build: done in" in failed.stderr
    assert "failed: 1 done, 1 failed, 0 not run" in failed.stdout
    workspace = failed.stdout.split("workspace ")[-1].strip()
    assert line("workspaces", "write", workspace, "mended", "-", stdin="x").returncode == 0
    mended = line("execute", plan, "--retry", "test")
    assert (mended.returncode, "completed: 2 done" in mended.stdout) == (0, True), mended.stdout + mended.stderr
    assert "timeout 900 s -> 1800 s" in mended.stderr
    listed = json.loads(line("plans", "--json").stdout)
    assert [(one["id"], one["tasks"], one["run"]["outcome"]) for one in listed] == [(plan, 2, "completed")]
    saved = line("execute", str(tmp_path / "plan.json"), "--fresh", "--json")
    assert (saved.returncode, json.loads(saved.stdout)["tasks_failed"]) == (1, 1)
    assert "NOT_STARTED" not in line("plans", plan).stdout


def test_a_marked_plan_is_approved_by_a_person(line, project):
    plan = json.loads(line("plan", "run `docker ps || true`", str(project), "--json").stdout)

    asked = line("execute", plan["id"], "--json")

    assert asked.returncode == 2
    assert json.loads(asked.stdout)["error"]["code"] == "approval-needed"
    (waiting,) = json.loads(line("approvals", "list", "--json").stdout)
    assert plan["digest"] in line("approvals", "show", waiting["id"]).stdout
    assert line("approvals", "approve", waiting["id"]).returncode == 0
    assert line("execute", plan["id"]).returncode == 0


def test_what_a_project_tightens_holds_for_its_plans(line, project):
    (project / ".windtunnel.toml").write_text("trial_seconds = 1\n")
    line("plan", "run `sleep 30`", str(project))

    told = json.loads(line("execute", "last", "--json").stdout)

    assert told["states"]["run-sleep"]["changed"] == ["timeout 300 s -> 1 s, the cap"]
    assert told["states"]["run-sleep"]["reason"] == "timeout"


@pytest.mark.parametrize("arguments", [
    ("plan", "conquer the world"), ("plan", "test", "/nowhere"), ("plan", ""), ("execute", "feedbeef"),
    ("execute", "x", "--jobs", "0"), ("plans", "feedbeef"), ("plan", "run `rm -rf /`")])
def test_what_cannot_be_done_is_an_error_of_usage(line, project, arguments):
    more = [str(project)] if arguments[0] == "plan" and len(arguments) == 2 else []

    told = line(*arguments, *more)

    assert told.returncode == 2
    assert told.stderr.startswith("windtunnel: ")


def test_what_was_not_begun_cannot_go_on_or_be_stopped(line, project):
    plan = json.loads(line("plan", "build", str(project), "--json").stdout)["id"]

    assert line("execute", plan, "--resume").returncode == 2
    assert "not being executed" in line("execute", plan, "--cancel").stderr
