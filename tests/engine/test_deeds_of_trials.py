"""Every verb that judges or changes a project leaves a line in the history."""

from __future__ import annotations

import json

import pytest
from trials import CALC, ONE_RUNNER, OTHER, SHOP, WRONG, modify, write

from windtunnel.core.errors import SandboxFailure


@pytest.fixture
def project(tmp_path):
    return write(tmp_path / "project", SHOP)


def lines(tunnel):
    return [(row["verb"], row["verdict"], row["project"]) for row in reversed(tunnel.history.trials())]


def test_a_trial_is_remembered_with_its_numbers(new_tunnel, project):
    tunnel = new_tunnel()

    result = tunnel.try_change(project, [modify("calc.py", WRONG)], **ONE_RUNNER)

    kept = tunnel.history.trial(result.id)
    assert {name: kept[name] for name in ("verb", "verdict", "project", "change", "counts", "reasons", "level", "part_of")} == {
        "verb": "try", "verdict": "not good", "project": str(project), "change": result.changes.digest(), "level": "process", "part_of": "",
        "counts": {"files": 1, "tests": 2, "passed": 1, "broken": 1}, "reasons": list(result.reasons)}
    assert kept["execution_time"] == result.execution_time > 0


def test_applying_and_taking_back_are_remembered_with_the_trial_they_belong_to(new_tunnel, project):
    tunnel = new_tunnel()
    result = tunnel.try_change(project, [modify("calc.py", OTHER)], **ONE_RUNNER)

    tunnel.apply(project, result)
    tunnel.undo(project)

    here = str(project)
    assert lines(tunnel) == [("try", "good", here), ("apply", "applied", here), ("undo", "undone", here)]
    assert [row["part_of"] for row in tunnel.history.trials()] == [result.id, result.id, ""]
    assert [row["counts"] for row in tunnel.history.trials(2)] == [{"files": 1}, {"files": 1}]


def test_a_race_is_remembered_with_each_candidate_that_was_tried(new_tunnel, project):
    tunnel = new_tunnel()

    ranked = tunnel.rank(project, {
        "good": [modify("calc.py", OTHER)], "same": [modify("calc.py", OTHER)], "bad": [modify("calc.py", WRONG)],
        "none": [modify("nowhere.py", CALC)]}, **ONE_RUNNER)

    race, *tried = reversed(tunnel.history.trials())
    assert {name: race[name] for name in ("verb", "verdict", "counts", "change")} == {
        "verb": "rank", "verdict": "good", "change": ranked[0].result.changes.digest(),
        "counts": {"candidates": 4, "tried": 2, "good": 1, "could not be tried": 1}}
    assert [(row["verb"], row["verdict"], row["part_of"]) for row in tried] == [("try", "good", race["id"]), ("try", "not good", race["id"])]


PARAMETRIZED = """
import os, pytest, calc

@pytest.mark.parametrize("token", [os.environ["TOKEN"]])
def test_add(token):
    assert calc.add(2, 3) == 5
"""


def test_a_secret_is_masked_in_what_is_remembered(new_tunnel, tmp_path):
    tunnel = new_tunnel()
    project = write(tmp_path / "project", {"calc.py": CALC, "test_calc.py": PARAMETRIZED})

    result = tunnel.try_change(project, [modify("calc.py", WRONG)], secrets={"test": {"TOKEN": "hunter2-hunter2"}}, **ONE_RUNNER)

    kept = json.dumps(tunnel.history.trial(result.id))
    assert ("test_add" in kept, "hunter2" in kept) == (True, False)


def test_without_a_history_nothing_is_remembered_and_all_works(new_tunnel, project):
    tunnel = new_tunnel(history=False)

    assert (tunnel.try_change(project, [modify("calc.py", OTHER)], **ONE_RUNNER).success, tunnel.history) == (True, None)


def test_a_history_that_cannot_be_kept_is_told_before_anything_is_applied(new_tunnel, project, tmp_path):
    good = new_tunnel().try_change(project, [modify("calc.py", OTHER)], **ONE_RUNNER)
    tunnel = new_tunnel(audit="off")
    tunnel.history.close()
    tunnel.history.path.unlink()
    tunnel.history.path.mkdir()

    with pytest.raises(SandboxFailure, match=r"history\.db"):
        tunnel.apply(project, good)

    assert (project / "calc.py").read_text() == CALC
