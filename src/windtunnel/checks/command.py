"""A command that no tool knows: its exit code, SARIF where it writes that, and as the last resort its words.

What is read from words says so: the channel is ``text``, and a note names the command. A test command of which only
the exit code is known stands as one test named like the command, so that its end can be compared with the baseline.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from windtunnel.checks import sarif
from windtunnel.checks.findings import bounded, decoded, number, relative, words
from windtunnel.core.tool import Ask, Invocation, Output, Project, Reading, Tool, ToolExample
from windtunnel.core.trial import Channel, Check, ExecutionTestResult, Kind, LintResult, Status

_MOST_TESTS = 100_000
_MOST_LINE = 4000
_FINDING = re.compile(
    r"(?P<path>[^\s:][^:\n]{0,400}):(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?:\s*"
    r"(?:(?P<severity>(?:fatal )?error|warning|note|info)\b:?\s*)?(?P<message>\S.*)")
_REFORMAT = re.compile(r"[Ww]ould reformat:? (?P<path>\S.*)")
_TESTS = (
    re.compile(r"(?P<bad>not )?ok \d+ (?:- )?(?P<id>[^#]*[^#\s])\s*(?:# (?P<skip>skip|todo)\b.*)?", re.IGNORECASE),
    re.compile(r"(?P<id>(?=\S*::)\S.*?) (?P<word>PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b.*"),
    re.compile(r"(?P<id>\w+ \([\w.]+\)) \.\.\. "
               r"(?P<word>ok|FAIL|ERROR|skipped|expected failure|unexpected success)\b.*"),
    re.compile(r"\s*--- (?P<word>PASS|FAIL|SKIP): (?P<id>\S+)(?: \([\d.]+s\))?"),
    re.compile(r"test (?P<id>\S+(?: - .+?)?) \.\.\. (?P<word>ok|FAILED|ignored)\b.*"),
)
"""TAP, ``pytest -v``, ``unittest -v``, ``go test -v`` and ``cargo test``."""
_STATUS = {
    "passed": Status.PASSED, "ok": Status.PASSED, "pass": Status.PASSED, "xpass": Status.XPASSED,
    "unexpected success": Status.XPASSED, "failed": Status.FAILED, "fail": Status.FAILED, "error": Status.ERROR,
    "skipped": Status.SKIPPED, "skip": Status.SKIPPED, "ignored": Status.SKIPPED, "xfail": Status.XFAILED,
    "expected failure": Status.XFAILED,
}  # fmt: skip
_NOTHING = re.compile(r"^(.*\b(no tests ran|no tests found|ran 0 tests|collected 0 items|no test files)\b.*|1\.\.0)$",
                      re.IGNORECASE | re.MULTILINE)


def detect(_project: Project) -> Check | None:
    """Never: it is what is left when nothing else was recognised."""
    return None


def recognise(_argv: tuple[str, ...]) -> bool:
    """Never: the caller takes it when no other tool wants the command."""
    return False


def prepare(check: Check, _ask: Ask) -> Invocation:
    """As it was given."""
    return Invocation(argv=check.argv)


def read(output: Output, check: Check) -> Reading:
    """Whatever can be had, best first."""
    if check.kind is Kind.TEST:
        return _tests(output, check)
    for channel, data in (*((Channel.FILE, data) for data in output.files.values()), (Channel.STREAM, output.stdout)):
        found = sarif.findings(data)
        if found is not None:
            findings, notes = bounded(found)
            return Reading(channel=channel, findings=findings, notes=notes)
    return _findings(output, check)


def _findings(output: Output, check: Check) -> Reading:
    lines = decoded(output.stdout + b"\n" + output.stderr).splitlines()
    findings, notes = bounded(filter(None, (_finding(line, check) for line in lines)))
    if not findings:
        return Reading(channel=Channel.EXIT_CODE, notes=(f"only the exit code of `{_shown(check)}` is known",))
    return Reading(channel=Channel.TEXT, findings=findings, notes=(*notes, _from_words("findings", check)))


def _finding(line: str, check: Check) -> LintResult | None:
    line = words(line, most=_MOST_LINE)
    reformat, found = _REFORMAT.fullmatch(line), _FINDING.fullmatch(line)
    tool = check.argv[0].rpartition("/")[2] if check.argv[:1] != ("sh",) else "command"
    if reformat:
        return LintResult(tool=tool, rule="format", message="would be reformatted", path=relative(reformat["path"]))
    if found is None or found["path"].startswith(("http", "file", "Traceback")):
        return None
    said = found["severity"] or "warning"
    return LintResult(
        tool=tool, rule="text", message=words(found["message"]), path=relative(found["path"]),
        line=number(found["line"]), column=number(found["column"] or ""),
        severity="error" if "error" in said else "note" if said in ("note", "info") else "warning",
        category="bug" if "error" in said else "style")


def _tests(output: Output, check: Check) -> Reading:
    seen = {test.id: test for test in _from_text(output)}
    tests = tuple(seen.values())
    whole = _whole(output, check)
    if not tests:
        return Reading(channel=Channel.EXIT_CODE, tests=(whole,),
                       notes=(f"only the exit code of `{_shown(check)}` is known, not which tests ran",))
    disagrees = output.exit_code != 0 and not any(test.status.bad for test in tests)
    return Reading(channel=Channel.TEXT, tests=(*tests, whole) if disagrees else tests,
                   notes=(_from_words("tests", check),))


def _from_text(output: Output) -> Iterator[ExecutionTestResult]:
    lines = decoded(output.stdout + b"\n" + output.stderr).splitlines()[-_MOST_TESTS:]
    for line in lines:
        tidy = words(line, most=_MOST_LINE)
        found = next(filter(None, (pattern.fullmatch(tidy) for pattern in _TESTS)), None)
        if found is not None:
            yield ExecutionTestResult(id=words(found["id"]), status=_status(found), tool="command")


def _status(found: re.Match[str]) -> Status:
    groups = found.groupdict()
    if "word" in groups:
        return _STATUS[groups["word"].lower()]
    if groups["skip"]:
        return Status.XFAILED if groups["bad"] else Status.SKIPPED
    return Status.FAILED if groups["bad"] else Status.PASSED


def _whole(output: Output, check: Check) -> ExecutionTestResult:
    """The command as one test; one that says that it ran nothing has not passed."""
    nothing = _NOTHING.search(decoded(output.stdout[-65536:] + b"\n" + output.stderr[-65536:]))
    if output.exit_code == 0 and nothing is None:
        return ExecutionTestResult(id=_shown(check), status=Status.PASSED, tool="command")
    if nothing is not None:
        message, category = f"it ran no test: {words(nothing[0])}", "collection"
    else:
        message, category = f"exit code {output.exit_code}", "exception"
    status = Status.ERROR if nothing is not None else Status.FAILED
    return ExecutionTestResult(id=_shown(check), status=status, message=message, category=category, tool="command")


def _shown(check: Check) -> str:
    text = check.argv[2] if check.argv[:2] == ("sh", "-c") and len(check.argv) > 2 else shlex.join(check.argv)  # noqa: PLR2004 -- sh -c text
    return words(text, most=200)


def _from_words(what: str, check: Check) -> str:
    return f"{what} were read from the words that `{_shown(check)}` printed, as the last resort"


TOOL = Tool(
    name="command", kind=Kind.TEST, detect=detect, recognise=recognise, prepare=prepare, read=read,
    install="install the program that the command names",
    examples=(
        ToolExample(
            output=Output(exit_code=1, stdout=b"TAP version 13\nok 1 - adds\nnot ok 2 - divides\n"
                                              b"ok 3 - waits # SKIP no clock\n1..3\n"),
            reading=Reading(channel=Channel.TEXT, tests=(
                ExecutionTestResult(id="adds", status=Status.PASSED, tool="command"),
                ExecutionTestResult(id="divides", status=Status.FAILED, tool="command"),
                ExecutionTestResult(id="waits", status=Status.SKIPPED, tool="command"),
            ), notes=("tests were read from the words that `command` printed, as the last resort",))),
        ToolExample(
            output=Output(exit_code=2, stderr=b"make: *** [Makefile:2: test] Error 1\n"),
            reading=Reading(channel=Channel.EXIT_CODE, tests=(
                ExecutionTestResult(
                    id="command", status=Status.FAILED, message="exit code 2", category="exception", tool="command"),
            ), notes=("only the exit code of `command` is known, not which tests ran",))),
    ),
)
