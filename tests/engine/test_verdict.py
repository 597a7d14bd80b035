"""From what was seen to what to do."""

import pytest

from windtunnel.core.effects import Effects, FileEffect
from windtunnel.core.result import Reason
from windtunnel.core.trial import (
    Channel,
    Check,
    CheckReport,
    Delta,
    ExecutionTestResult,
    Kind,
    LintResult,
    Status,
    TamperFinding,
    Verdict,
)
from windtunnel.engine.verdict import judge

RAN = (ExecutionTestResult(id="t.py::a", status=Status.PASSED),)


def report(kind="test", *, tests=RAN, exit_code=0, reason=Reason.EXITED, findings=()):
    return CheckReport(
        check=Check(kind=Kind(kind), tool="command", argv=("do", kind)), exit_code=exit_code, reason=reason, execution_time=1.0,
        channel=Channel.LIVE, tests=tests if kind == "test" else (), findings=findings)


def judged(*reports, delta=None, findings=(), tamper=(), files=(), lint_counts=True, before=()):
    return judge(reports or (report(),), delta or Delta(), findings=findings, tamper=tamper, effects=Effects(files=files),
                 lint_counts=lint_counts, before=before)


def left(path, *, act="made", **fields):
    return FileEffect(path=f"/workspace/{path}", kind=fields.pop("kind", "file"), act=act, **fields)


FINDING = LintResult(tool="ruff", rule="F401", message="unused", path="a.py", line=3)


def test_nothing_seen_is_good_and_says_nothing():
    assert judged() == (Verdict.GOOD, ())


def test_what_was_fixed_is_said():
    assert judged(delta=Delta(fixed=("a", "b", "c", "d"))) == (Verdict.GOOD, ("4 tests fixed: a, b, c …",))


@pytest.mark.parametrize(("delta", "word"), [
    (Delta(broken=("a",)), "1 test broken: a"), (Delta(new_failing=("a", "b")), "2 tests new and failing: a, b"),
    (Delta(vanished=("a",)), "1 test no longer reported: a"), (Delta(silenced=("a",)), "1 test no longer run: a")])
def test_each_harm_to_the_tests_is_a_reason(delta, word):
    assert judged(delta=delta) == (Verdict.NOT_GOOD, (word,))


@pytest.mark.parametrize("delta", [Delta(flaky=("a",)), Delta(still_failing=("a",)), Delta(new=("a",))])
def test_what_is_no_harm_is_no_reason(delta):
    assert judged(delta=delta)[0] is Verdict.GOOD


@pytest.mark.parametrize("tests", [(), (ExecutionTestResult(id="a", status=Status.SKIPPED),), (ExecutionTestResult(id="a", status=Status.XFAILED),)])
def test_zero_tests_are_never_a_pass(tests):
    assert judged(report(tests=tests)) == (Verdict.NOT_GOOD, ("no test was executed",))


def test_a_trial_without_a_test_command_is_judged_by_the_rest():
    assert judged(report("lint")) == (Verdict.GOOD, ())


@pytest.mark.parametrize("reason", [each for each in Reason if each is not Reason.EXITED])
@pytest.mark.parametrize("kind", ["build", "lint", "test"])
def test_a_run_that_was_stopped_is_not_good_whatever_it_said(kind, reason):
    verdict, reasons = judged(report(kind, reason=reason))

    assert (verdict, reasons) == (Verdict.NOT_GOOD, (f"do {kind}: stopped, {reason.replace('_', ' ')}",))


def test_a_run_that_was_ended_because_it_had_lost_says_what_it_broke():
    assert judged(report(reason=Reason.CANCELLED), delta=Delta(broken=("a",))) == (Verdict.NOT_GOOD, ("1 test broken: a",))


def test_a_failed_build_is_not_good():
    assert judged(report("build", exit_code=2), report()) == (Verdict.NOT_GOOD, ("the build failed: do build (exit code 2)",))


def test_new_findings_count_unless_told_otherwise():
    assert judged(findings=(FINDING,)) == (Verdict.NOT_GOOD, ("1 new finding: a.py:3 F401",))
    assert judged(findings=(FINDING,), lint_counts=False) == (Verdict.GOOD, ())


def test_a_linter_that_fails_without_a_word_where_it_did_not_before_is_not_good():
    silent = report("lint", exit_code=2)

    assert judged(report(), silent, before=(report("lint"),)) == (Verdict.NOT_GOOD, ("the linter fails: do lint (exit code 2)",))
    assert judged(report(), silent, before=(silent,)) == (Verdict.GOOD, ())
    assert judged(report(), silent, before=(report("lint"),), lint_counts=False) == (Verdict.GOOD, ())


def test_a_linter_that_fails_with_old_findings_is_left_alone():
    assert judged(report(), report("lint", exit_code=1, findings=(FINDING,)), before=(report("lint"),)) == (Verdict.GOOD, ())


def test_tampering_counts_when_it_blocks():
    blocks, shows = (TamperFinding(rule="r", message="m", severity=severity) for severity in ("block", "show"))

    assert judged(tamper=(blocks, shows)) == (Verdict.NOT_GOOD, ("r: m",))
    assert judged(tamper=(shows,)) == (Verdict.GOOD, ())


def test_a_file_that_would_run_later_is_not_good():
    assert judged(files=(left(".git/hooks/pre-commit", runs_later="git hook"),)) == (
        Verdict.NOT_GOOD, ("1 file that would run later: /workspace/.git/hooks/pre-commit (git hook)",))


def test_several_files_that_would_run_later_are_counted_in_words():
    hooks = tuple(left(f".git/hooks/{name}", runs_later="git hook") for name in "ab")

    assert judged(files=hooks)[1][0].startswith("2 files that would run later: ")


@pytest.mark.parametrize("file", [
    left("tests/test_a.py", act="changed"), left("test_a.py", act="deleted"), left("a.test.js", act="changed"), left("pytest.ini"),
    left("package.json", act="changed")])
def test_a_check_that_rewrites_what_decides_is_not_good(file):
    assert judged(files=(file,)) == (Verdict.NOT_GOOD, (f"1 file that decides, rewritten by a check: {file.path}",))


@pytest.mark.parametrize("file", [
    left("tests/out.json", act="changed"), left("tests/test_made.py"), left("tests/test_a.py", act="changed", litter="also without the change"),
    left("a.py", act="changed"), left("tests", kind="folder", act="changed"), left("left.txt")])
def test_other_files_that_are_left_are_shown_and_do_not_count(file):
    assert judged(files=(file,)) == (Verdict.GOOD, ())


def test_the_same_reason_is_said_once():
    stopped = report(reason=Reason.TIMEOUT)

    assert judged(stopped, stopped)[1] == ("do test: stopped, timeout",)


def test_a_trial_sees_a_linter_that_fails_without_a_word(tunnel, tmp_path):
    from trials import CALC, ONE_RUNNER, SHOP, modify, write

    project = write(tmp_path, {**SHOP, "lint.sh": "! grep -q bad calc.py\n"})

    result = tunnel.try_change(project, [modify("calc.py", CALC + "# bad\n")], **{**ONE_RUNNER, "lint": "sh lint.sh"})

    assert result.verdict is Verdict.NOT_GOOD
