"""The one check that every plan passes, whoever wrote it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from windtunnel.core.errors import UsageError
from windtunnel.core.plan import Task, TaskPlan, plain_plan
from windtunnel.engine.plan.check import MOST_TASKS, check_plan, in_order


def plan(*tasks, **more):
    return {"request": "x", "root": "/project", "tasks": [
        {"id": f"t{at}", "description": "d", "command": "true", **task} for at, task in enumerate(tasks)], **more}


def test_a_plan_comes_back_from_its_json_as_it_was():
    made = check_plan(plan({"hosts": ["packages.example"], "retry": {"failed": 1}}, {"depends_on": ["t0"]}, tree="abc"))

    assert check_plan(json.dumps(plain_plan(made))) == made
    assert check_plan(json.dumps(plain_plan(made))).digest == made.digest


@pytest.mark.parametrize("wrong", [
    plan(), plan(*[{}] * (MOST_TASKS + 1)), plan({"id": "a"}, {"id": "a"}), plan({"depends_on": ["nowhere"]}),
    plan({"depends_on": ["t0"]}), plan({"depends_on": ["t1"]}, {"depends_on": ["t0"]}), plan({"command": ""}),
    plan({"command": "x" * 9000}), plan({"command": "a\0b"}), plan({"folder": "../up"}), plan({"folder": "/etc"}),
    plan({"folder": "a//b"}), plan({"folder": "a\\..\\b"}), plan({"id": "../x"}), plan({"id": "a b"}),
    plan({"timeout_seconds": float("nan")}), plan({"timeout_seconds": 0}), plan({"timeout_seconds": 1e9}),
    plan({"timeout_seconds": True}), plan({"timeout_seconds": "60"}), plan({"risk": "none"}),
    plan({"purpose": "conquer"}), plan({"hosts": ["not a host!"]}), plan({"hosts": "example.com"}),
    plan({"env": {"LD_PRELOAD": "x"}}), plan({"env": {"a b": "x"}}), plan({"search": ["$(id)"]}),
    plan({"search": ["../bin"]}), plan({"retry": {"failed": 1000}}), plan({"retry": {"forever": 1}}),
    plan({"description": "a\x1b[2Jb"}), plan({"board": {}}), plan({"status": "COMPLETED"}), plan({}, digest="x"),
    plan({"command": "rm -rf /"}), {"tasks": 7}, [], 7, "{", "[" * 100_000, b"\xff", plan({}, root="a\0b"),
    plan({}, notes=["x"] * 500), plan({"id": "\ud800"}), plan({}, request="\ud800"),
])
def test_what_is_no_plan_is_refused(wrong):
    with pytest.raises(UsageError):
        check_plan(wrong)


def test_a_mark_cannot_be_left_out_or_talked_down():
    made = check_plan(plan({"command": "git push", "risk": "low", "approval": ""}))

    assert (made.tasks[0].risk, made.tasks[0].needs_approval) == ("high", True)
    assert [task.id for task in made.approvals] == ["t0"]


def test_a_mark_of_its_own_stays():
    made = check_plan(plan({"approval": "it takes an hour", "risk": "high"}))

    assert (made.tasks[0].risk, made.tasks[0].approval) == ("high", "it takes an hour")


def test_a_network_and_a_command_of_somebodys_own_are_medium():
    network, own, built = check_plan(plan({"purpose": "build", "hosts": ["a.example"]}, {"purpose": "run"},
                                          {"purpose": "build"})).tasks

    assert (network.risk, own.risk, built.risk) == ("medium", "medium", "low")


def test_everything_that_is_executed_is_in_the_digest_and_words_are_not():
    made = check_plan(plan({}))
    others = [
        replace(made, root="/other"), replace(made, tree="other"), replace(made, workspace="other"),
        *(replace(made, tasks=(replace(made.tasks[0], **change),)) for change in (
            {"command": "false"}, {"folder": "a"}, {"hosts": ("a.example",)}, {"env": {"A": "1"}}, {"search": ("bin",)},
            {"timeout_seconds": 1.0}, {"ends": False}, {"depends_on": ("x",)}, {"approval": "x"}))]

    assert len({made.digest, *(other.digest for other in others)}) == len(others) + 1
    assert replace(made, notes=("told",), request="y").digest == made.digest


def test_programs_that_are_not_there_are_told():
    made = check_plan(plan({"command": "frobnicate --all && cd x && make"}), which=lambda name: name == "make" or None)

    assert made.notes == ("frobnicate is not found on this machine, and t0 needs it",)


def test_tasks_come_after_what_they_need_and_else_as_they_stand():
    tasks = tuple(Task(id=name, description="", command="true", depends_on=before) for name, before in (
        ("c", ("b",)), ("a", ()), ("b", ("a",)), ("d", ())))

    assert [task.id for task in in_order(tasks)] == ["a", "d", "b", "c"]


def test_how_a_task_stands_is_seen_on_the_plan_that_was_given():
    given = TaskPlan(request="", root="/p", tasks=(Task(id="a", description="", command="sudo x"),))

    checked = check_plan(given)

    assert checked.tasks[0].board is given.tasks[0].board
