"""Reports of checks as problems, and where a fault may lie."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from windtunnel.core.problem import Place, Suspect
from windtunnel.core.result import Reason
from windtunnel.core.trial import Channel, Check, CheckReport, ExecutionTestResult, Kind, LintResult, Status
from windtunnel.diagnosis import Sources
from windtunnel.engine.diagnose import problems_of, read_output
from windtunnel.engine.suspects import suspects

CART = b"def first(items):\n    return items[0]\n\n\ndef total(items):\n    return sum(items)\n"
SOURCES = Sources(read={"cart.py": CART, "cart_test.go": b"package cart\n"}.get, find=lambda _: [])


def report(kind=Kind.TEST, tool="pytest", **fields):
    given = {"exit_code": 1, "reason": Reason.EXITED, "execution_time": 0.1, "channel": Channel.LIVE}
    return CheckReport(check=Check(kind=kind, tool=tool, argv=(tool,)), **{**given, **fields})


def failed(name, message="", **fields):
    return ExecutionTestResult(id=name, status=Status.FAILED, message=message, **fields)


def told(one):
    return [(str(each.kind), each.place.file if each.place else None, each.place.line if each.place else None, each.test)
            for each in problems_of(one, SOURCES)]


def test_a_check_that_succeeded_has_no_problems():
    assert told(report(exit_code=0, stdout="error: not one\n")) == []


def test_findings_of_a_linter_are_its_problems_and_its_output_is_not_read_again():
    findings = (LintResult(tool="ruff", rule="F821", message="Undefined name `totl`", path="cart.py", line=6, severity="error"),
                LintResult(tool="ruff", rule="F401", message="`os` imported but unused", path="cart.py", line=1))

    assert told(report(Kind.LINT, "ruff", findings=findings, stdout="error: x\n")) == [
        ("name", "cart.py", 6, ""), ("unused", "cart.py", 1, "")]


def test_a_test_that_the_output_does_not_show_is_read_from_its_own_message():
    message = "IndexError: list index out of range\n/workspace/cart.py:2: in first\n    return items[0]\nE   IndexError: list index out of range"

    assert told(report(tests=(failed("test_cart.py::test_first", message, tool="pytest"),))) == [
        ("index", "cart.py", 2, "test_cart.py::test_first")]


@pytest.mark.parametrize(("tool", "message", "expected"), [
    ("go test", "cart_test.go:8: got 3, want 4", ("assertion", "cart_test.go", 8)),
    ("jest", "TypeError: Cannot read properties of undefined (reading 'x')\n    at first (/workspace/cart.js:2:3)",
     ("null", "cart.js", 2)),
    ("cargo test", "thread 'tests::adds' panicked at src/lib.rs:9:9:\nassertion failed: a > b", ("assertion", "src/lib.rs", 9)),
    ("maven", "java.lang.NullPointerException: x\n\tat shop.Cart.first(Cart.java:5)", ("null", "shop/Cart.java", 5)),
])
def test_a_message_of_each_runner_is_read_in_its_own_frame(tool, message, expected):
    ((kind, file, line, test),) = told(report(tool=tool, tests=(failed("shop/TestFirst", message, tool=tool),)))

    assert (kind, file, line, test) == (*expected, "shop/TestFirst")


def test_a_test_that_says_nothing_is_told_by_how_it_ended():
    test = ExecutionTestResult(id="a", status=Status.ERROR, category="crash", path="cart.py", line=1, tool="jest")

    assert told(report(tool="jest", tests=(test,))) == [("crash", "cart.py", 1, "a")]


def test_what_stopped_a_check_is_a_problem_of_its_own():
    assert told(report(reason=Reason.TIMEOUT, exit_code=124)) == [("timeout", None, None, "")]


def test_a_command_that_fails_without_known_words_still_gives_a_problem():
    assert told(report(Kind.BUILD, "command", stdout="hm\n", exit_code=3)) == [("generic", None, None, "")]


def test_saved_output_is_read_without_running_anything(tmp_path):
    (tmp_path / "cart.py").write_bytes(CART)

    result = read_output('Traceback (most recent call last):\n  File "cart.py", line 2, in first\nIndexError: x\n', project=tmp_path)

    assert ([(str(one.kind), one.place.symbol) for one in result.problems], result.commands) == ([("index", "first")], ())


def test_a_link_out_of_the_project_is_not_followed_for_a_window(tmp_path):
    (tmp_path / "secret.py").write_text("token = 1\n")
    project = tmp_path / "project"
    project.mkdir()
    (project / "cart.py").symlink_to(tmp_path / "secret.py")

    result = read_output('Traceback (most recent call last):\n  File "cart.py", line 1, in f\nIndexError: x\n', project=project)

    assert [one.window for one in result.problems] == [()]


def test_a_function_that_only_failing_tests_ran_is_most_suspicious():
    tests = (failed("a"), failed("b"), ExecutionTestResult(id="c", status=Status.PASSED))
    touched = {"a": ("cart.py:1", "test_cart.py:1"), "b": ("cart.py:1", "cart.py:5"), "c": ("cart.py:5", "cart.py:0")}

    assert suspects([report(tests=tests, touched=touched)], SOURCES) == (
        Suspect(place=Place(file="cart.py", line=1, symbol="first"), score=1.0, failing=2, passing=0, tests=("a", "b")),
        Suspect(place=Place(file="cart.py", line=5, symbol="total"), score=0.5, failing=1, passing=1, tests=("b",)))


def test_nothing_is_suspicious_where_nothing_failed_or_was_traced():
    passed = report(tests=(ExecutionTestResult(id="c", status=Status.PASSED),), touched={"c": ("cart.py:1",)})

    assert (suspects([passed], SOURCES), suspects([report(tests=(failed("a"),))], SOURCES)) == ((), ())


def test_the_diagnosis_is_not_loaded_by_who_only_runs_programs():
    import subprocess

    code = "import sys, windtunnel; print([name for name in sys.modules if 'diagnos' in name])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60,
                          cwd=Path(__file__).parent)

    assert done.stdout.strip() == "[]"
