"""``windtunnel diagnose`` as a person starts it."""

from __future__ import annotations

import json

import pytest

from windtunnel.cli.diagnose_text import page
from windtunnel.core.problem import Cluster, Diagnosis, Place, Problem

pytestmark = pytest.mark.timeout(600)
TRACE = """\
Traceback (most recent call last):
  File "/srv/somewhere/shop/cart.py", line 2, in first
    return items[0]
IndexError: list index out of range
"""
TESTS = "from cart import first, total\n\n\ndef test_first():\n    assert first([]) is None\n\n\ndef test_total():\n    assert total([1]) == 1\n"


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    (folder / "shop").mkdir(parents=True)
    (folder / "shop/cart.py").write_text("def first(items):\n    return items[0]\n")
    return folder


@pytest.fixture
def tested(tmp_path):
    folder = tmp_path / "tested"
    folder.mkdir()
    (folder / "cart.py").write_text("def first(items):\n    return items[0]\n\n\ndef total(items):\n    return sum(items)\n")
    (folder / "test_cart.py").write_text(TESTS)
    return folder


def test_saved_output_is_read_and_its_places_are_shown_with_the_projects_own_code(cli, project, tmp_path):
    (tmp_path / "saved.log").write_text(TRACE)

    done = cli("diagnose", str(project), "--from", str(tmp_path / "saved.log"))

    assert (done.returncode, done.stdout) == (1, (
        "1 problem\n\n1. index: IndexError: list index out of range\n   shop/cart.py:2 in first\n"
        "     1 | def first(items):\n   > 2 |     return items[0]\n   often: a bound that is off by one\n"))


def test_standard_input_is_read_and_json_holds_all_of_a_problem(cli, project):
    done = cli("diagnose", str(project), "--from", "-", "--json", stdin=TRACE)

    (told,) = json.loads(done.stdout)["problems"]
    assert (done.returncode, told["kind"], told["name"], told["tool"], told["place"], told["count"]) == (
        1, "index", "IndexError", "python", {"file": "shop/cart.py", "line": 2, "column": None, "symbol": "first"}, 1)


def test_output_without_a_problem_ends_with_0(cli, project):
    done = cli("diagnose", str(project), "--from", "-", stdin="5 passed in 0.1s\n")

    assert (done.returncode, done.stdout) == (0, "no problems\n")


def test_warnings_alone_end_with_0_and_are_counted(cli, project):
    done = cli("diagnose", str(project), "--from", "-", stdin="shop/cart.py:1: SyntaxWarning: odd\n")

    assert (done.returncode, done.stdout) == (0, "no problems and 1 warning (--warnings shows them)\n")


@pytest.mark.parametrize(("arguments", "word"), [
    (("--from", "/nowhere.log"), "--from: cannot read '/nowhere.log'"), (("--from", "-", "--test", "x"), "--from: runs nothing"),
    (("--jobs", "0"), "--jobs: 0 is not a number from 1 up")])
def test_what_cannot_be_done_ends_with_2_and_says_why(cli, project, arguments, word):
    done = cli("diagnose", str(project), *arguments)

    assert (done.returncode, done.stdout, word in done.stderr) == (2, "", True)


def test_a_folder_that_is_not_there_ends_with_2(cli, tmp_path):
    assert cli("diagnose", str(tmp_path / "none")).returncode == 2


def test_a_project_without_anything_to_run_ends_with_2_and_says_what_to_name(cli, project):
    done = cli("diagnose", str(project))

    assert (done.returncode, done.stdout, "name one" in done.stderr) == (2, "", True)


@pytest.mark.slow
def test_the_projects_own_tests_run_in_the_sandbox_and_say_what_is_wrong(cli, tested):
    cli.env["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"

    done = cli("diagnose", str(tested), "--json", "--test", "pytest", seconds=500)

    told = json.loads(done.stdout)
    assert done.returncode == 1, done.stderr
    assert [(one["kind"], one["place"]["file"], one["place"]["line"], one["tests"]) for one in told["problems"]] == [
        ("index", "cart.py", 2, ["test_cart.py::test_first"])]
    assert [(one["place"]["symbol"], one["score"], one["failing"], one["passing"]) for one in told["suspects"]] == [
        ("first", 1.0, 1, 0)]


@pytest.mark.slow
def test_it_is_written_down_as_every_other_act(cli, tested):
    cli("diagnose", str(tested), "--test", "pytest", seconds=500)

    entries = json.loads(cli("audit", "log", "--json").stdout)

    assert [(one["kind"], one["outcome"]) for one in entries] == [("diagnose", "problems")]


def test_a_policy_may_forbid_it(cli, tested, tmp_path):
    (tmp_path / "policy.yaml").write_text("{version: 1, default: allow, rules: [{id: no, tool: diagnose, effect: deny, reason: not here}]}")
    cli.env["WINDTUNNEL_POLICY"] = str(tmp_path / "policy.yaml")

    done = cli("diagnose", str(tested))

    assert (done.returncode, done.stdout, "not here" in done.stderr) == (2, "", True)


def test_nothing_that_a_terminal_would_obey_is_shown():
    evil = Problem(kind="value", message="\x1b[2Jx\u202e", place=Place(file="a\x07.py", line=1), test="t\x9b", name="\x1b]0;x")
    told = "\n".join(text for text, _ in page(Diagnosis(clusters=(Cluster(problems=(evil,)),)), most=5, warnings=False))

    assert [char for char in told if not char.isprintable() and char != "\n"] == []
