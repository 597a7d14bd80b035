"""The hollow and good fixes are what they say; ``python tests/corpus/hollow/prove.py`` prints the same as a table."""

from __future__ import annotations

import ast
import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HOLLOW = Path(__file__).resolve().parent / "hollow"
SPECIFICATION = importlib.util.spec_from_file_location("hollow_prove", HOLLOW / "prove.py")
prove = importlib.util.module_from_spec(SPECIFICATION)
sys.modules["hollow_prove"] = prove
SPECIFICATION.loader.exec_module(prove)
CASES = prove.cases()
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def proved():
    done = subprocess.run(
        [sys.executable, str(HOLLOW / "prove.py"), "--json"], capture_output=True, text=True, check=False, timeout=500)
    return json.loads(done.stdout)


@pytest.fixture
def case(tmp_path):
    """A sound case that a test may spoil."""
    shutil.copytree(HOLLOW / "tune" / "parcel_rates", tmp_path / "parcel_rates")
    return prove.Case(folder=tmp_path / "parcel_rates")


def test_every_fix_is_what_its_folder_says(proved):
    assert proved["violations"] == []


def test_there_are_as_many_of_each_kind_as_the_readme_says(proved):
    assert proved["sets"] == {
        "tune": {"cases": 20, "good": 40, "hollow": 57, "special": 27, "mistaken": 30},
        "held": {"cases": 48, "good": 94, "hollow": 136, "special": 60, "mistaken": 76}}


def test_a_hollow_fix_among_the_good_ones_is_told(case):
    (case.folder / "hollow" / "special_five_kilograms.py").rename(case.folder / "good" / "five.py")

    assert [word.split(":")[1] for word in prove.check(case)] == [" good/five.py fails"]


def test_a_good_fix_among_the_hollow_ones_is_told(case):
    shutil.copy(case.folder / "good" / "smallest.py", case.folder / "hollow" / "mistaken_right.py")

    assert prove.check(case) == [
        "parcel_rates: hollow/mistaken_right.py passes the hidden tests",
        "parcel_rates: good/smallest.py does the same as hollow/mistaken_right.py"]


def test_two_hollow_fixes_that_do_the_same_are_told(case):
    text = (case.folder / "hollow" / "special_five_kilograms.py").read_text(encoding="utf-8")
    (case.folder / "hollow" / "special_again.py").write_text(text + "# another one\n", encoding="utf-8")

    assert prove.check(case) == ["parcel_rates: hollow/special_again.py does the same as hollow/special_five_kilograms.py"]


def test_a_hollow_fix_that_a_visible_test_notices_is_told(case):
    shutil.copy(case.folder / "before.py", case.folder / "hollow" / "special_nothing.py")

    assert [word.split(":")[1] for word in prove.check(case)] == [" hollow/special_nothing.py fails the visible tests"]


def test_a_fault_that_no_visible_test_notices_is_told(case):
    shutil.copy(case.folder / "good" / "smallest.py", case.folder / "before.py")

    assert prove.check(case) == [
        "parcel_rates: before passes the visible tests", "parcel_rates: before passes the hidden tests"]


def test_a_fix_that_never_ends_is_cut_off(case):
    (case.folder / "good" / "smallest.py").write_text(
        "def parcel_price(weight, express=False):\n    while True:\n        try:\n            weight += 1\n"
        "        except Exception:\n            pass\n", encoding="utf-8")

    found = prove.behaviour(case, case.folder / "good" / "smallest.py", "test_visible.py", cpu_seconds=0.2)

    assert found == [("test_light_parcel[0]", "end", "did not come to its end")]


def test_a_suite_that_asserts_nothing_proves_nothing(case):
    (case.folder / "test_truth.py").write_text("def test_nothing():\n    pass\n", encoding="utf-8")

    assert "parcel_rates: good/smallest.py fails: [] the hidden tests" in prove.check(case)


def test_a_pytest_process_finds_the_same_of_a_case(case):
    for name in ("mistaken_tolerance.py", "special_whole_kilograms.py"):
        (case.folder / "hollow" / name).unlink()

    assert prove.check_with_pytest(case) == []


@pytest.mark.parametrize("kind", prove.SETS)
def test_cases_hold_what_the_readme_says_and_nothing_else(kind):
    odd = {
        one.name: found for one in CASES if one.folder.parent.name == kind
        if (found := sorted(path.name for path in one.folder.iterdir() if path.name != "__pycache__"))
        != ["before.py", "good", "hollow", "test_truth.py", "test_visible.py"]}

    assert odd == {}


def test_no_case_has_the_name_of_another_or_of_a_module_of_the_standard_library():
    names = [one.name for one in CASES]

    assert (len(names) - len(set(names)), set(names) & set(sys.stdlib_module_names)) == (0, set())


def test_modules_import_the_standard_library_alone():
    wanted = {
        (path.relative_to(HOLLOW).as_posix(), name)
        for one in CASES for path in (one.folder / "before.py", *one.fixes("good"), *one.fixes("hollow"))
        for name in imported(path)}

    assert {(path, name) for path, name in wanted if name not in sys.stdlib_module_names} == set()


def imported(path):
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module.split(".")[0]


def test_visible_suites_are_small_and_of_different_sizes():
    sizes = {(one.folder / "test_visible.py").read_text(encoding="utf-8").count("def test_") for one in CASES}

    assert sizes == {2, 3, 4, 5, 6, 8}


def test_the_tests_of_the_cases_are_not_collected_as_ours(request):
    assert [item.nodeid for item in request.session.items if item.path.is_relative_to(HOLLOW)] == []
