"""Results of trials that never ran, for those who only look at them."""

from __future__ import annotations

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.core.effects import BlockedCall, Effects, FileEffect, NetworkAttempt
from windtunnel.core.result import Artifact, Level, Reason, Usage
from windtunnel.core.trial import (
    Channel,
    Check,
    CheckReport,
    Checks,
    Delta,
    ExecutionTestResult,
    Kind,
    LintResult,
    SandboxResult,
    Status,
    TamperFinding,
    Verdict,
)

EVIL = "\x1b[2J\x07<img src=x onerror=alert(1)> @admin [click](http://evil.example) `x` |\u202e\x00\ud800 ]]> -->"
"""What a name may be made of to hurt a terminal, a page, a forge or an XML reader."""

PLAIN_EVIL = EVIL.replace("\ud800", "")


def a_test(name, status=Status.PASSED, **fields):
    return ExecutionTestResult(id=f"tests/test_a.py::{name}", status=status, path="tests/test_a.py", tool="pytest", **fields)


def report(kind, *argv, **fields):
    given = {"exit_code": 0, "reason": Reason.EXITED, "execution_time": 0.5, "channel": Channel.LIVE}
    check = Check(kind=kind, tool=argv[0], argv=argv, found_in=fields.pop("found_in", "pyproject.toml"))
    return CheckReport(check=check, **{**given, **fields})


def result_of(reports, **fields):
    given = {
        "verdict": Verdict.GOOD, "execution_time": 3.1, "level": Level.PROCESS, "id": "0123abcd", "tree": "feed",
        "enforced": {"network": "none", "memory": "cgroup v1", "root": "minimal, read-only"},
        "usage": Usage(cpu_seconds=1.5, memory_peak_bytes=50 << 20, processes_peak=4, disk_bytes=2048),
        "effects": Effects(watched=("files", "processes", "network", "blocked")),
        "changes": ChangeSet(changes=(FileChange("src/a.py", "modify", "x = 1\n"),))}
    checks = Checks(checks=tuple(each.check for each in reports))
    return SandboxResult(reports=tuple(reports), checks=checks, **{**given, **fields})


def good(**fields):
    tests = (a_test("test_one"), a_test("test_two"), a_test("test_three"))
    delta = Delta(fixed=("tests/test_a.py::test_one", "tests/test_a.py::test_two"), still_passing=1)
    return result_of([report(Kind.TEST, "pytest", "-q", tests=tests)], delta=delta, reasons=("2 tests fixed",), **fields)


def bad():
    """One of everything."""
    tests = (
        a_test("test_kept"), a_test("test_broken", Status.FAILED, message="assert 3 == 4\nmore", category="assertion", line=7),
        a_test("test_old", Status.FAILED, message="always so"), a_test("test_shaky", Status.FAILED),
        a_test("test_quiet", Status.SKIPPED, message="not today"), a_test("test_added", Status.ERROR, message="boom"))
    finding = LintResult(tool="ruff", rule="F401", message="'os' imported but unused", path="src/a.py", line=3, column=8)
    delta = Delta(**{name: tuple(f"tests/test_a.py::{test}" for test in names) for name, names in {
        "broken": ["test_broken"], "still_failing": ["test_old"], "flaky": ["test_shaky"], "silenced": ["test_quiet"],
        "new_failing": ["test_added"], "vanished": ["test_gone"]}.items()}, still_passing=1)
    effects = Effects(
        files=(FileEffect(path="/workspace/.git/hooks/pre-commit", kind="file", size=10, runs_later="git hook"),
               FileEffect(path="/workspace/out.txt", kind="file", size=2048, act="changed"),
               FileEffect(path="/workspace/a/__pycache__/a.pyc", kind="file", litter="bytecode cache"),
               FileEffect(path="/workspace/b/__pycache__/b.pyc", kind="file", litter="bytecode cache"),
               FileEffect(path="/workspace/.coverage", kind="file", litter="coverage data")),
        processes_left=("sleep", "sleep", "node"), blocked=(BlockedCall(name="ptrace", count=3),),
        network=(NetworkAttempt(target="example.com:443", outcome="refused", rule="no network", count=2),),
        watched=("files", "processes"))
    tamper = (TamperFinding(rule="assert-weakened", message="fewer asserts", path="tests/test_a.py", line=4, severity="show"),
              TamperFinding(rule="exits-early", message="ends the runner", path="src/a.py", line=9, evidence="os._exit(0)"))
    return result_of(
        [report(Kind.BUILD, "python", "-m", "build", products={"dist/a.whl": Artifact(data=b"wheel")}),
         report(Kind.LINT, "ruff", "check", findings=(finding,), exit_code=1),
         report(Kind.TEST, "pytest", tests=tests, exit_code=1, found_in="given")],
        verdict=Verdict.NOT_GOOD, delta=delta, new_findings=(finding,), fixed_findings=2, tamper=tamper, effects=effects,
        reasons=("1 test broken: tests/test_a.py::test_broken", "exits-early: ends the runner"),
        notes=("src/a.py: hunk 1 fitted 3 lines further down",), baseline_cached=True)


def evil():
    """Every text that others choose is hostile."""
    tests = (ExecutionTestResult(id=EVIL, status=Status.FAILED, message=EVIL, path=EVIL, category=EVIL, tool=EVIL),)
    finding = LintResult(tool=EVIL, rule=EVIL, message=EVIL, path=EVIL, line=1)
    effects = Effects(
        files=(FileEffect(path=EVIL, kind="file", runs_later=EVIL), FileEffect(path=EVIL, kind="file", litter=EVIL)),
        processes_left=(EVIL,), blocked=(BlockedCall(name=EVIL),),
        network=(NetworkAttempt(target=EVIL, outcome="refused", rule=EVIL),))
    return result_of(
        [report(Kind.BUILD, EVIL, exit_code=1, stderr=f"{EVIL}\n\n</pre>\n{EVIL}", found_in=EVIL),
         report(Kind.LINT, EVIL, findings=(finding,)), report(Kind.TEST, EVIL, tests=tests)],
        verdict=Verdict.NOT_GOOD, reasons=(EVIL, EVIL + "2"), delta=Delta(broken=(EVIL,), vanished=(EVIL + "3",)),
        new_findings=(finding,), notes=(EVIL,), effects=effects, enforced={EVIL: EVIL, "network": EVIL},
        tamper=(TamperFinding(rule=EVIL, message=EVIL, path=EVIL, evidence=EVIL),),
        changes=ChangeSet(changes=(FileChange(PLAIN_EVIL, "modify", PLAIN_EVIL),)), id=EVIL)
