"""From what a run says to a fate: the rules, on runs that never were."""

from __future__ import annotations

import pytest

from windtunnel.core.result import Reason, Usage
from windtunnel.core.trial import Channel, Check, CheckReport, ExecutionTestResult, Kind, LintResult, Status
from windtunnel.engine.foreign.fates import Found, fate_of
from windtunnel.engine.foreign.trust import Clean, both_runs

PASSED, FAILED, ERROR, SKIPPED = Status.PASSED, Status.FAILED, Status.ERROR, Status.SKIPPED


def report(*tests, tool="jest", reason=Reason.EXITED, channel=Channel.LIVE, findings=(), exit_code=1):
    found = tuple(ExecutionTestResult(id=name, status=status, category=category, message=message, path=path)
                  for name, status, category, message, path in ((*test, "", "", None)[:5] if len(test) == 2 else
                                                                (*test, "", None)[:5] for test in tests))
    return CheckReport(
        check=Check(kind=Kind.TEST, tool=tool, argv=(tool,)), exit_code=exit_code, reason=reason, execution_time=1.0,
        channel=channel, tests=found, findings=findings, usage=Usage(cpu_seconds=0.5))


def compiler(path, line=3):
    return LintResult(tool="maven", rule="compile", message="cannot find symbol", path=path, line=line, severity="error")


@pytest.mark.parametrize(("told", "fate"), [
    (report(("a", PASSED), ("b", FAILED, "assertion")), Found(fate="killed", by="b")),
    (report(("a", PASSED), ("b", PASSED), exit_code=0), Found(fate="survived")),
    (report(("a", PASSED), ("b", SKIPPED), exit_code=0), Found(fate="survived")),
    (report(("a", PASSED), exit_code=0), Found(fate="killed", by="b")),
    (report(("a", PASSED), ("b.test.js", ERROR, "import", "Error: boom")), Found(fate="killed", by="b.test.js")),
    (report(("a", PASSED), ("b", PASSED), ("odd", FAILED, "assertion")), Found(fate="survived")),
    (report(("a", PASSED), ("b", FAILED, "timeout")),
     Found(fate="timeout", why="a test ran out of the time that its own runner gives it")),
    (report(("a", PASSED), ("b", ERROR, "crash"), reason=Reason.CPU_TIME), Found(fate="timeout")),
    (report(("a", FAILED, "assertion"), ("b", ERROR, "crash"), reason=Reason.TIMEOUT), Found(fate="killed", by="a")),
    (report(("a", PASSED), reason=Reason.OUT_OF_MEMORY), Found(fate="failed", why="stopped: out_of_memory")),
    (report(("jest", ERROR, "crash"), channel=Channel.EXIT_CODE),
     Found(fate="failed", why="the test command said nothing of its tests (exit code 1)")),
])
def test_a_fate_rests_on_tests_that_passed_without_a_mutant(told, fate):
    assert fate_of(told, expected=("a", "b")) == fate


@pytest.mark.parametrize(("told", "why", "in_tests"), [
    (report(("shop/calc", ERROR, "collection", "calc.go:3:2: undefined: x", "calc.go"), tool="go test"), "calc.go:3:2: undefined: x", False),
    (report(("shop/calc", ERROR, "collection", "x_test.go:3:2: undefined: x", "x_test.go"), tool="go test"), "x_test.go:3:2: undefined: x", True),
    (report(("mvn", ERROR, "collection"), tool="maven", findings=(compiler("src/main/java/A.java"),)), "cannot find symbol", False),
    (report(("mvn", ERROR, "collection"), tool="maven", findings=(compiler("src/test/java/ATest.java"),)), "cannot find symbol", True),
    (report(("calc.test.js", ERROR, "import", "SyntaxError: Unexpected token '='")), "SyntaxError: Unexpected token '='", False),
    (report(("calc.test.ts", ERROR, "collection", "calc.ts:1:7 - error TS2322: no number")), "calc.ts:1:7 - error TS2322: no number", False),
])
def test_what_does_not_compile_is_no_kill_and_says_whose_code_it_is(told, why, in_tests):
    found = fate_of(told, expected=("a",))

    assert (str(found.fate), found.why, found.in_tests) == ("failed", f"does not compile: {why}", in_tests)


def test_a_syntax_error_that_a_test_itself_meets_is_a_failure_like_any_other():
    told = report(("a", FAILED, "exception", "SyntaxError: Unexpected token } in JSON at position 3"))

    assert fate_of(told, expected=("a",)) == Found(fate="killed", by="a")


def test_a_build_that_was_cut_short_is_no_compile_error():
    told = report(("mvn", ERROR, "collection"), tool="maven", reason=Reason.CPU_TIME, channel=Channel.FILE)

    assert fate_of(told, expected=("a",)) == Found(fate="timeout")


def test_a_run_that_an_untrusted_failure_ended_tells_nothing():
    told = report(("odd", FAILED, "assertion"), ("a", PASSED))

    assert fate_of(told, expected=("a", "b"), hasty=True) == Found(
        fate="failed", why="odd failed, which is not trusted, and ended the run")


def test_only_tests_that_pass_both_times_are_trusted():
    first = report(("a", PASSED), ("b", FAILED), ("c", PASSED), ("d", FAILED), ("e", PASSED), ("f", SKIPPED))
    second = report(("a", PASSED), ("b", FAILED), ("c", FAILED), ("d", ERROR), ("f", SKIPPED))

    assert both_runs(first, second) == Clean(
        trusted=("a",), failing=("b", "d"), flaky=("c", "e"), cpu_seconds=0.5, wall_seconds=1.0)
