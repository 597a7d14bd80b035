"""From what a test command says of a mutant to its fate.

A fate rests on results test by test. Killed: a test that passed twice without a mutant fails, or is gone from a run
that came to its end. What does not compile is no kill, what ran out of time is none, what nobody can tell is neither.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from windtunnel.core.mutation import Fate
from windtunnel.core.result import Reason
from windtunnel.core.testfile import is_test
from windtunnel.core.trial import Channel, CheckReport, ExecutionTestResult

NOT_COMPILED = "does not compile"
_SYNTAX = re.compile(
    r"\bSyntaxError\b|\bTransform failed\b|\berror(?: TS|\[TS|.{0,40}\bTS)\d{4}\b|Failed to parse source")
_MOST_WORDS = 200
_BROKEN = ("crash", "import", "collection")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What became of one run."""

    fate: Fate
    by: str = ""
    """The test that noticed."""
    why: str = ""
    """Of what could not be tried."""
    in_tests: bool = False
    """Of what does not compile: whether it is the code of tests that does not."""


def fate_of(report: CheckReport, *, expected: Collection[str], hasty: bool = False) -> Found:
    """The fate; ``expected`` are tests that passed twice and are to run; ``hasty``: the first failure ends the run."""
    bad = [test for test in report.tests if test.status.bad]
    refused = uncompiled(report)
    if refused is not None:
        return refused
    ended = report.reason is Reason.EXITED
    noticed = next((test.id for test in bad if test.id in expected and _speaks(test, ended=ended)), "")
    if noticed:
        return Found(fate=Fate.KILLED, by=noticed)
    if not ended:
        return _stopped(report)
    if any(test.category == "timeout" for test in bad):
        return Found(fate=Fate.TIMEOUT, why="a test ran out of the time that its own runner gives it")
    if report.channel is Channel.EXIT_CODE:
        return Found(fate=Fate.FAILED, why=f"the test command said nothing of its tests (exit code {report.exit_code})")
    return _gone(report, bad, expected=expected, hasty=hasty)


def _gone(report: CheckReport, bad: list[ExecutionTestResult], *, expected: Collection[str], hasty: bool) -> Found:
    """Tests that are not there any more; where a run stops at the first failure, only what broke tells of them."""
    seen = {test.id for test in report.tests}
    missing = next((name for name in expected if name not in seen), "")
    if not missing:
        return Found(fate=Fate.SURVIVED)
    broken = next((test.id for test in bad if test.category in _BROKEN), "")
    if broken or not (hasty and bad):
        return Found(fate=Fate.KILLED, by=broken or missing)
    return Found(fate=Fate.FAILED, why=f"{bad[0].id} failed, which is not trusted, and ended the run")


def _stopped(report: CheckReport) -> Found:
    if report.reason in (Reason.TIMEOUT, Reason.CPU_TIME):
        return Found(fate=Fate.TIMEOUT)
    return Found(fate=Fate.FAILED, why=f"stopped: {report.reason}")


def _speaks(test: ExecutionTestResult, *, ended: bool) -> bool:
    """Whether its failure says something: not that of a test that was under way when time or room ran out."""
    return test.category != "timeout" and (ended or test.category != "crash")


def uncompiled(report: CheckReport) -> Found | None:
    """That something does not compile, and whose code it is; None where all of it does, or nobody knows."""
    refused = (test for test in report.tests if test.status.bad and _is_refusal(test, report))
    found = next(refused, None) if report.reason is Reason.EXITED else None
    if found is None:
        return None
    errors = [one for one in report.findings if one.severity == "error"]
    places = [one.path for one in errors if one.path] or [found.path or ""]
    said = errors[0].message if errors else found.message
    words = next((line.strip() for line in said.splitlines() if line.strip()), "")[:_MOST_WORDS]
    built = bool(errors) or report.check.tool not in ("maven", "gradle")
    return Found(fate=Fate.FAILED, why=f"{NOT_COMPILED if built else 'could not be built'}: {words}", by=found.id,
                 in_tests=all(place and is_test(place) for place in places))


def _is_refusal(test: ExecutionTestResult, report: CheckReport) -> bool:
    """A compiler's, or that of a runner that could not read a script."""
    if report.check.tool in ("go test", "cargo test", "maven", "gradle"):
        return test.category == "collection"
    # An exception of that name inside a test is one of the product's own, such as that of a parser.
    said = test.message if test.category != "crash" else f"{test.message}\n{report.stdout}\n{report.stderr}"
    return test.category in _BROKEN and bool(_SYNTAX.search(said))
