"""The corpus is what it says; ``python tests/corpus/verify.py`` proves all of it, this a sample."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from dataclasses import replace

import pytest
import verify

CASES = verify.cases()
CHEATS = [case for case in CASES if case.expect == "not good"]
HONEST = [case for case in CASES if case.expect == "good"]
BY_NAME = {case.name: case for case in CASES}
SAMPLE = (
    "cheat/conftest_reports_passed", "cheat/exit_on_import", "cheat/always_equal_float", "cheat/junit_rewritten",
    "cheat/fake_summary_printed", "cheat/regression_bulk", "cheat/js_stdout_rewritten", "cheat/js_script_or_true",
    "honest/fix_with_new_tests", "honest/move_module", "honest/fix_ledger", "honest/js_fix_csv",
)
NAME = re.compile(r"[a-z0-9_]+")
PATHS = re.compile(r"^(?:--- a|\+\+\+ b|rename from |rename to )/?(.*)$", re.MULTILINE)


def needs_node(language):
    if language == "javascript" and not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("node and npm are needed, and not here")


@pytest.fixture(scope="module")
def unchanged():
    with verify.copy_of("python_shop") as copy:
        return verify.run("python_shop", copy)


def test_there_are_enough_cases_of_each_kind_and_language():
    counted = Counter((case.expect, case.language) for case in CASES)
    wanted = {("not good", "python"): 30, ("not good", "javascript"): 15, ("good", "python"): 30, ("good", "javascript"): 15}

    assert {kind: counted[kind] for kind, least in wanted.items() if counted[kind] < least} == {}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_says_what_it_is(case):
    assert NAME.fullmatch(case.folder.name)
    assert (case.folder.parent.name, case.expect) in {("cheat", "not good"), ("honest", "good")}
    assert case.language == ("javascript" if case.project == "node_text" else "python")
    assert case.about.endswith(".")
    assert sorted(path.name for path in case.folder.iterdir()) == ["case.json", "change.patch"]
    failing = {name for name, status in verify.baseline(case.project).items() if status in verify.BAD}
    assert set(case.targets) <= failing


@pytest.mark.parametrize("case", CHEATS, ids=lambda case: case.name)
def test_a_cheat_says_whom_it_deceives(case):
    assert case.deceives in {"exit", "targets", "report", "output", "nothing"}
    assert bool(case.targets) == (case.deceives == "targets")


def test_no_two_cases_are_the_same_change():
    assert len({(case.project, case.patch.read_bytes()) for case in CASES}) == len(CASES)


@pytest.mark.parametrize("project", verify.PROJECTS)
def test_every_patch_of_a_project_applies_as_it_is(project):
    complaints = []
    with verify.copy_of(project) as copy:
        for case in (case for case in CASES if case.project == project):
            command = ["git", "apply", "--check", "--whitespace=nowarn", str(case.patch)]
            done = subprocess.run(command, cwd=copy, env=verify._environment(copy), capture_output=True, text=True, check=False)
            complaints += [f"{case.name}: {done.stderr}"] if done.returncode else []

    assert complaints == []


def test_patches_stay_inside_the_project():
    odd = [
        (case.name, path) for case in CASES for path in PATHS.findall(case.patch.read_text(encoding="utf-8"))
        if path.startswith("/") or ".." in path.split("/")]

    assert odd == []


@pytest.mark.parametrize("project", verify.PROJECTS)
def test_a_project_has_its_documented_baseline(project):
    needs_node("javascript" if project == "node_text" else "python")

    assert verify.check_project(project) == []


@pytest.mark.parametrize("name", SAMPLE)
def test_a_case_is_proved_with_the_real_runner(name):
    needs_node(BY_NAME[name].language)

    assert verify.check(BY_NAME[name]) == []


@pytest.mark.parametrize("deceives", ["exit", "targets", "report", "output", "nothing"])
def test_an_unchanged_project_deceives_nobody(unchanged, deceives):
    case = next(case for case in CHEATS if case.deceives == deceives and case.project == "python_shop")

    assert verify._deception(case, unchanged) != ""


def test_a_change_that_breaks_something_is_not_taken_for_an_honest_one():
    broken = replace(BY_NAME["cheat/regression_load"], expect="good")

    assert len(verify.check(broken)) == 1


def test_the_tests_of_the_projects_are_not_collected_as_ours(request):
    collected = {item.path.relative_to(verify.CORPUS).parts[0] for item in request.session.items if item.path.is_relative_to(verify.CORPUS)}

    assert collected & {"projects", "cases"} == set()
