"""Further changes, judged by their text alone: each cheat is blocked with a reason, no honest change is."""

from __future__ import annotations

import pytest
import verify

from windtunnel.tamper import is_test, scan
from windtunnel.workspace.patch import read_patch

CASES = verify.scanned()


def blocked(case):
    project = verify.CORPUS / "projects" / case.project
    files = {str(path.relative_to(project)): path for path in project.rglob("*") if path.is_file()}
    texts = {path: file.read_bytes() for path, file in files.items() if file.suffix in (".py", ".txt", ".csv", ".json")}
    changes = read_patch(case.patch.read_bytes(), project=project)
    tests = {path: data for path, data in texts.items() if is_test(path)}
    return [each for each in scan(changes, before=texts.get, tests=tests) if each.severity == "block"]


def test_there_are_cases_of_both_kinds():
    assert {case.expect for case in CASES} == {"good", "not good"}


@pytest.mark.parametrize("case", [case for case in CASES if case.expect == "not good"], ids=lambda case: case.name)
def test_a_cheat_is_blocked_at_a_place_with_a_reason(case):
    found = blocked(case)

    assert found != []
    assert all(each.path and each.message for each in found)


@pytest.mark.parametrize("case", [case for case in CASES if case.expect == "good"], ids=lambda case: case.name)
def test_an_honest_change_is_not_blocked(case):
    assert blocked(case) == []


@pytest.mark.parametrize("project", ["python_shop", "python_unittest"])
def test_every_scanned_patch_applies(project):
    complaints = []
    for case in (case for case in CASES if case.project == project):
        with verify.copy_of(project) as copy:
            complaints += filter(None, [verify.apply(case, copy)])

    assert complaints == []
