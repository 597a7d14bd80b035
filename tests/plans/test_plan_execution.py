"""Executions for real: killed and gone on with, stopped, tried again, asked about, written down."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from windtunnel.config import Settings
from windtunnel.core.errors import ApprovalNeeded, NotFound, Refused, UsageError
from windtunnel.core.plan import FailureKind, TaskStatus
from windtunnel.languages.search import which
from windtunnel.tunnel import Tunnel

ASK = """
version: 1
default: allow
rules:
  - id: no-curl
    effect: deny
    tool: [task]
    when: request.commands.exists(c, c.contains("curl"))
  - id: ask-high
    effect: ask
    tool: [execute]
    when: request.risk == "high"
"""


def given(root, *tasks, **more):
    return {"request": "x", "root": str(root), "tasks": [
        {"id": name, "description": name, "command": command, "depends_on": list(before)}
        for name, command, *before in tasks], **more}


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "cart.py").write_text("def total(prices):\n    return max(prices)\n")
    (folder / "test_cart.py").write_text(
        "import unittest\nfrom cart import total\n\n\nclass T(unittest.TestCase):\n    def test_total(self):\n"
        "        self.assertEqual(total([1, 2]), 3)\n")
    return folder


def wait_until(true, seconds=30.0):
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_an_execution_that_was_killed_goes_on_and_repeats_nothing(cli, new_tunnel, project):
    tunnel = new_tunnel()
    slow = "echo begun >> half; test -e go || sleep 100; echo b >> log"
    plan = tunnel.plans.add(given(project, ("a", "echo a >> log"), ("b", slow, "a"), ("c", "cat log half", "b")))
    process = cli.start("execute", plan.id, stderr=subprocess.DEVNULL)
    wait_until(lambda: tunnel.plans.get(plan.id).task("b").status is TaskStatus.IN_PROGRESS)
    with pytest.raises(UsageError, match="being executed already"):
        tunnel.execute(plan.id)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    run = tunnel.plans.store.latest(plan.id, owner=tunnel.workspaces.owner)
    tunnel.workspaces.write(run.workspace, "go", b"")

    report = tunnel.execute(plan)

    assert report.success
    assert report.run == run.id
    assert report.states["c"].output == "a\nb\nbegun"
    assert [report.states[name].attempts for name in "abc"] == [1, 2, 1]
    assert report.notes == ("goes on from before: 1 of 3 tasks were done",)
    assert [task.status for task in plan.tasks] == [TaskStatus.COMPLETED] * 3


def test_an_execution_is_stopped_from_another_process_and_goes_on(cli, new_tunnel, project):
    tunnel = new_tunnel()
    plan = tunnel.plans.add(given(project, ("a", "test -e go || sleep 100"), ("b", "true", "a")))
    process = cli.start("execute", plan.id, stderr=subprocess.DEVNULL, stdout=subprocess.PIPE)
    wait_until(lambda: tunnel.plans.get(plan.id).task("a").status is TaskStatus.IN_PROGRESS)

    run = tunnel.plans.cancel(plan.id)

    told, _ = process.communicate(timeout=20)
    assert process.returncode == 1
    assert b"cancelled" in told
    tunnel.workspaces.write(run.workspace, "go", b"")
    assert tunnel.execute(plan).success
    with pytest.raises(UsageError, match="not being executed"):
        tunnel.plans.cancel(plan.id)


def test_a_failed_task_says_why_and_a_retry_with_more_context_changes_something(new_tunnel, project):
    tunnel = new_tunnel()
    workspace = tunnel.workspaces.create(project)
    plan = tunnel.plan("run the tests, then run `echo shipped`", workspace.id)
    report = tunnel.execute(plan)
    task = plan.task("test")

    assert (report.tasks_completed, report.tasks_failed, report.tasks_skipped) == (0, 1, 1)
    assert "AssertionError: 2 != 3 (test_cart.py:7)" in task.error_info.message
    again = tunnel.plans.retry(task, enhanced_context=True)
    assert again.changed == ("timeout 900 s -> 1800 s", "memory 4g -> 8g", "output kept up to 32m")
    assert again.error_info.deterministic
    with pytest.raises(UsageError, match="failed twice in the same way"):
        tunnel.plans.retry(task)
    tunnel.workspaces.write(workspace.id, "cart.py", b"def total(prices):\n    return sum(prices)\n")
    assert tunnel.plans.retry(task, changed=True).success
    assert task.status is TaskStatus.COMPLETED
    rest = tunnel.execute(plan)
    assert (rest.outcome, rest.run) == ("completed", report.run)
    assert (project / "cart.py").read_text().endswith("max(prices)\n")


def test_a_task_that_fails_leaves_no_file_behind(new_tunnel, project):
    tunnel = new_tunnel()
    plan = tunnel.plans.add(given(project, ("a", "echo half > half; exit 3"), ("b", "ls")))

    report = tunnel.execute(plan, max_concurrent_tasks=1)

    assert report.states["a"].exit_code == 3
    assert "half" not in report.states["b"].output


@pytest.mark.skipif(which("cargo") is None, reason="not run: cargo is not installed")
def test_a_tool_is_found_wherever_a_line_names_it(new_tunnel, project):
    tunnel = new_tunnel()
    plan = tunnel.plans.add(given(project, ("a", "A=1 && cd . && cargo --version")))

    assert tunnel.execute(plan).states["a"].output.startswith("cargo ")


def test_a_plan_with_a_marked_task_waits_for_a_person_and_for_this_plan_alone(new_tunnel, project):
    tunnel = new_tunnel()
    plan = tunnel.plans.add(given(project, ("a", "git push || true")))
    with pytest.raises(ApprovalNeeded) as asked:
        tunnel.execute(plan)
    assert tunnel.plans.store.latest(plan.id, owner=tunnel.workspaces.owner) is None
    tunnel.decide(asked.value.approval, approve=True)
    other = tunnel.plans.add(given(project, ("a", "git push --force || true")))

    with pytest.raises(ApprovalNeeded):
        tunnel.execute(other)
    assert tunnel.execute(plan).success
    with pytest.raises(ApprovalNeeded):
        tunnel.execute(plan, fresh=True)


def test_what_a_person_agreed_to_is_not_done_to_other_files(new_tunnel, project):
    tunnel = new_tunnel()
    marked, plain = (tunnel.plan(f"run `{command}`", project) for command in ("docker ps || true", "ls"))
    with pytest.raises(ApprovalNeeded) as asked:
        tunnel.execute(marked)
    tunnel.decide(asked.value.approval, approve=True)
    (project / "cart.py").write_text("import os\n")

    with pytest.raises(UsageError, match="the files have changed since"):
        tunnel.execute(marked)
    assert tunnel.execute(plain).notes == ("the project has changed since it was planned",)


def test_a_person_who_says_no_is_heard(new_tunnel, project):
    tunnel = new_tunnel()
    plan = tunnel.plans.add(given(project, ("a", "sudo true")))
    with pytest.raises(ApprovalNeeded) as asked:
        tunnel.execute(plan)
    tunnel.decide(asked.value.approval, approve=False)

    with pytest.raises((Refused, ApprovalNeeded)):
        tunnel.execute(plan)


def test_the_policy_sees_commands_and_risk(new_tunnel, project, tmp_path):
    policy = tmp_path / "policy.yaml"
    policy.write_text(ASK)
    tunnel = new_tunnel(policy=policy)
    denied = tunnel.execute(tunnel.plans.add(given(project, ("a", "curl --version"), ("b", "true"))))
    marked = tunnel.plans.add(given(project, ("a", "docker ps")))

    assert denied.states["a"].error_info.kind is FailureKind.REFUSED
    assert "no-curl" in denied.states["a"].error_info.message
    assert denied.states["b"].success
    with pytest.raises(ApprovalNeeded) as asked:
        tunnel.execute(marked)
    with pytest.raises(UsageError, match="somebody else has to decide"):
        tunnel.decide(asked.value.approval, approve=True)


def test_a_person_whom_the_policy_asks_is_not_asked_twice(new_tunnel, project, tmp_path):
    policy = tmp_path / "policy.yaml"
    policy.write_text(ASK)
    ann, bob = (new_tunnel(policy=policy, actor=name) for name in ("ann", "bob"))
    plan = ann.plans.add(given(project, ("a", "docker ps || true")))
    with pytest.raises(ApprovalNeeded) as asked:
        ann.execute(plan)
    bob.decide(asked.value.approval, approve=True)

    assert ann.execute(plan).success
    assert len(ann.approvals.all()) == 1


def test_plans_executions_and_tasks_are_written_down(new_tunnel, project):
    tunnel = new_tunnel()
    plan = tunnel.plan("run the tests", project)
    tunnel.execute(plan)

    tunnel.audit.settle()
    entries = [tunnel.audit.get(seq).entry for seq in range(tunnel.audit.size)]
    records = {entry.kind: entry for entry in entries}

    assert records["plan"].subject == plan.id
    assert records["plan"].details["digest"] == plan.digest
    assert (records["execute"].outcome, records["execute"].details["tasks"]) == ("failed", {"test": "ERROR"})
    assert (records["task"].parent, records["task"].outcome) == (records["execute"].id, "failed")
    assert records["task"].details["inputs"]["command"] == "python3 -m unittest discover"


def test_anothers_plans_are_not_there(new_tunnel, project):
    mine, other = new_tunnel(actor="ann"), new_tunnel(actor="bob")
    plan = mine.plans.add(given(project, ("a", "true")))

    assert other.plans.list() == ()
    for act in (other.plans.get, other.execute, other.plans.cancel):
        with pytest.raises(NotFound, match="there is no plan that begins"):
            act(plan.id)


def test_a_stored_plan_that_somebody_changed_is_refused(new_tunnel, project):
    tunnel = new_tunnel()
    plan = tunnel.plans.add(given(project, ("a", "true")))
    tunnel.plans.store.database.do(lambda connection: connection.execute(
        "UPDATE plans SET told = replace(told, '\"true\"', '\"false\"')"))

    with pytest.raises(Exception, match="not what was planned"):
        tunnel.execute(plan.id)


def test_a_workspace_is_known_by_its_files_also_behind_a_link(project, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    with Tunnel(Settings(state_dir=tmp_path / "link" / "state", cache_dir=tmp_path / "cache"), pool_size=0) as tunnel:
        workspace = tunnel.workspaces.create(project, name="mine")

        plans = [tunnel.plan("run `ls`", where) for where in ("mine", Path(workspace.path).resolve())]

        assert {plan.workspace for plan in plans} == {workspace.id}
        assert tunnel.execute(plans[0]).success


def test_a_plan_from_elsewhere_runs_where_the_caller_says(new_tunnel, project):
    tunnel = new_tunnel()
    workspace = tunnel.workspaces.create(project)

    plan = tunnel.plans.add(given("/etc", ("a", "ls")), root=workspace.path, workspace=workspace.id)

    assert tunnel.execute(plan).states["a"].output == "cart.py\ntest_cart.py"
    assert Path(plan.root).parent.name == "trees"
