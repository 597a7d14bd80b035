"""``cargo test``: compile errors by JSON messages, the tests by the words of libtest.

libtest's own JSON is unstable and refused by stable toolchains, so the words meant for people are read, and the
channel says so. Standard error is joined to standard output, so that it is certain which binary said what.

libtest keeps what ``print!`` writes and shows it for failures only; a test that writes to the descriptor itself can
forge lines. Refused or noted: a binary that ``cargo`` did not build or that runs twice, a test with two results (the
worst counts), a number of tests other than the announced one, totals that do not fit, a binary without its last
line. A test that prints all the rest of a plausible run and ends the process with code 0 cannot be told from an
honest one here: that is for the tamper gate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from windtunnel.checks.cargo_build import (
    CARGO_ENVIRONMENT,
    INSTALL,
    cargo_check,
    cargo_command,
    diagnostic,
    diagnostics,
    with_messages,
    with_options,
)
from windtunnel.checks.findings import below, bounded, number, relative
from windtunnel.checks.outcomes import MOST_TESTS, broken, json_lines, message, name, named, text, worst
from windtunnel.core.tool import Ask, Invocation, Output, Project, Reading, Tool, ToolExample
from windtunnel.core.trial import Channel, Check, ExecutionTestResult, Kind, Status

_TOOL = "cargo test"
_SCRIPT = 'exec "$0" "$@" 2>&1'
_DOCUMENTATION = "doc-tests "
_RUNNING = re.compile(r" +Running (?:unittests )?(\S.*) \((\S+)\)")
_DOC_TESTS = re.compile(r" +Doc-tests (\S+)")
_COUNT = re.compile(r"running (\d{1,9}) tests?")
_ENDED = re.compile(r"(ok|FAILED|ignored)(?:, (.*)| [(<].*)?")
# Children of a test and code that writes to the descriptor itself may write before, behind or within such a line.
_WITHIN = re.compile(r".*?test ([\w:]+) \.\.\. (ok|FAILED|ignored)")
_BEGUN = re.compile(r"test ([\w:]+(?: - should panic)?) \.\.\. ?.*")
_SUFFIX = re.compile(r" - (?:should panic|compile fail|compile)$")
_LINE = re.compile(r" \(line (\d{1,9})\)$")
_TOTALS = re.compile(r"test result: (?:ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored; .*")
_SAID = re.compile(r"---- (\S.*?) std(?:out|err) ----")
_PANIC = re.compile(r"panicked at (?:'.*', )?([^\s:']+):(\d{1,9}):\d+")
_STACK = re.compile(r"\nstack backtrace:\n.*", re.DOTALL)
_STATUSES = (Status.PASSED, Status.FAILED, Status.SKIPPED)
"""In the order of the totals."""
_STATUS = {"ok": Status.PASSED, "FAILED": Status.FAILED, "ignored": Status.SKIPPED}
_PLAIN = re.compile(r"[^\W\d]\w*(?:::\w+)*")


def detect(project: Project) -> Check | None:
    """Every project with a manifest."""
    return cargo_check(project, Kind.TEST, command="test")


def recognise(argv: tuple[str, ...]) -> bool:
    """``cargo test`` or ``cargo t``."""
    return cargo_command(argv) in {"test", "t"}


def prepare(check: Check, ask: Ask) -> Invocation:
    """With JSON messages, and libtest's long format for all tests that hold what was asked for."""
    argv = with_messages(check.argv)
    argv = argv if ask.fail_fast or "--no-fail-fast" in argv else with_options(argv, "--no-fail-fast")
    own = ["--format=pretty", *_filters(ask)]
    argv = (*argv, *own) if "--" in argv else (*argv, "--", *own)
    return Invocation(argv=("sh", "-c", _SCRIPT, *argv), env=CARGO_ENVIRONMENT)


def _filters(ask: Ask) -> list[str]:
    """Names of tests; documentation has lines in its names, so it can only be asked for by a part of the name."""
    if ask.select is None:
        return [] if ask.pattern is None or ask.pattern.startswith("-") else [ask.pattern]
    names = [_test_name(id_) for id_ in ask.select]
    if any(not _PLAIN.fullmatch(test) for test in names):
        return [test for test in names if test and not test.startswith("-")]
    return ["--exact", *names]


def _test_name(id_: str) -> str:
    source, _, test = id_.partition("::")
    return re.sub(r" #\d+$", "", test) if source.startswith(_DOCUMENTATION) else id_.partition(".rs::")[2]


@dataclass(slots=True)
class _Binary:
    """One test binary while its words come."""

    source: str
    announced: int | None = None
    tests: list[tuple[str, Status, str]] = field(default_factory=list)
    """Name as written, status, reason."""
    said: dict[str, list[str]] = field(default_factory=dict)
    totals: list[tuple[int, int, int]] = field(default_factory=list)
    open: list[str] | None = None
    """Where the output of a failed test goes."""
    begun: list[str] = field(default_factory=list)
    """Names without an end so far: what others write meanwhile may come between, on lines of its own or on theirs."""
    tail: list[str] = field(default_factory=list)

    def take(self, line: str) -> None:
        """One line."""
        if (match := _SAID.fullmatch(line)) is not None:
            self.open = self.said.setdefault(match[1], [])
        elif line == "failures:":
            self.open = None
        elif self.open is not None and not _TOTALS.fullmatch(line):
            self.open.append(line)
        else:
            self._outside(line)

    def _outside(self, line: str) -> None:
        self.open = None
        if (match := _TOTALS.fullmatch(line)) is not None:
            self.totals.append((int(match[1]), int(match[2]), int(match[3])))
        elif (match := _COUNT.fullmatch(line)) is not None:
            self.announced = (self.announced or 0) + int(match[1])
        elif (test := _test(line)) is not None and len(self.tests) < MOST_TESTS:
            self.tests.append(test)
        elif self.begun and line in _STATUS:
            self.tests.append((self.begun.pop(), _STATUS[line], ""))
        elif (match := _BEGUN.fullmatch(line)) is not None and len(self.begun) < MOST_TESTS:
            self.begun.append(match[1])
        elif line.strip():
            self.tail = [*self.tail[-20:], line]

    def settle(self) -> None:
        """End those whose end was written into by others: by the totals, where these leave one way only."""
        if not self.begun or not self.totals:
            return
        left = [many - few for many, few in zip(_summed(self), _counted(self), strict=True)]
        if sorted(left) == [0, 0, len(self.begun)]:
            status = _STATUSES[left.index(len(self.begun))]
            self.tests += [(test, status, "") for test in self.begun]
            self.begun = []


def _test(line: str) -> tuple[str, Status, str] | None:
    """The name, status and reason on one line."""
    begin, _, end = line.partition(" ... ")
    if begin.startswith("test ") and (ended := _ENDED.fullmatch(end)) is not None:
        return begin.removeprefix("test "), _STATUS[ended[1]], ended[2] or ""
    within = _WITHIN.fullmatch(line)
    return (within[1], _STATUS[within[2]], "") if within is not None else None


@dataclass(slots=True)
class _Run:
    """All that one ``cargo test`` says."""

    artifacts: dict[str, str] = field(default_factory=dict)
    """Source by the file name of the test binary."""
    crates: set[str] = field(default_factory=set)
    refused: dict[str, list[str]] = field(default_factory=dict)
    """What did not compile, by its source."""
    binaries: list[_Binary] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    strange: list[str] = field(default_factory=list)
    """Lines that name a binary that ``cargo`` did not build, or that was there before."""

    def artifact(self, found: dict[str, object]) -> None:
        """One message; after the first binary has started they are a program's words."""
        source = relative(below(found, "target", "src_path")) or ""
        executable = text(found.get("executable")).rpartition("/")[2]
        if self.binaries:
            return
        if found.get("reason") == "compiler-artifact":
            self.crates.add(text(below(found, "target", "name")).replace("-", "_"))
            if executable and below(found, "profile", "test") is True:
                self.artifacts[executable] = source
        finding = diagnostic(found, tool=_TOOL)
        if finding is not None and finding.severity == "error":
            self.refused.setdefault(source, []).append(text(below(found, "message", "rendered")))

    def line(self, line: str) -> None:
        """One line of text."""
        if (match := _RUNNING.fullmatch(line)) is not None:
            self._start(self.artifacts.get(match[2].rpartition("/")[2]), line)
        elif (match := _DOC_TESTS.fullmatch(line)) is not None:
            known = match[1].replace("-", "_") in self.crates
            self._start(f"{_DOCUMENTATION}{match[1]}" if known else None, line)
        elif self.binaries:
            self.binaries[-1].take(line)
        else:
            self.before = [*self.before[-40:], line]

    def _start(self, source: str | None, line: str) -> None:
        if source is None or any(binary.source == source for binary in self.binaries):
            self.strange.append(name(line))
        else:
            self.binaries.append(_Binary(source))


def read(output: Output, _check: Check) -> Reading:
    """A result for each test; what did not compile or broke has one of its own."""
    run = _Run()
    told = list(json_lines(output.stdout + b"\n" + output.stderr))
    for found in told:
        run.artifact(found) if isinstance(found, dict) else run.line(found)
    for binary in run.binaries:
        binary.settle()
    results = [*_uncompiled(run), *(test for binary in run.binaries for test in _results(binary))]
    if output.exit_code != 0 and not any(test.status.bad for test in results):
        results.append(broken(_TOOL, "\n".join(run.before), tool=_TOOL, category="collection"))
    tests, differing = worst(results)
    findings, more = bounded(diagnostics(told, tool=_TOOL) if run.refused else ())
    return Reading(
        channel=Channel.TEXT, tests=tests, findings=findings, notes=(*_notes(run), *differing, *more))


def _uncompiled(run: _Run) -> Iterator[ExecutionTestResult]:
    for source, said in run.refused.items():
        yield broken(source, "\n".join(dict.fromkeys(said)), tool=_TOOL, category="collection")


def _results(binary: _Binary) -> Iterator[ExecutionTestResult]:
    numbers: dict[str, int] = {}
    for test, status, reason in sorted(binary.tests, key=_written_line):
        id_ = f"{binary.source}::{name(_LINE.sub('', _SUFFIX.sub('', test)))}"
        if _LINE.search(_SUFFIX.sub("", test)):
            # A line would make another test of it whenever something above it changes.
            numbers[id_] = numbers.get(id_, 0) + 1
            id_ = f"{id_} #{numbers[id_]}" if numbers[id_] > 1 else id_
        yield _result(id_, status, reason or "\n".join(binary.said.get(_SUFFIX.sub("", test), [])))
    ended_early = binary.announced is not None and not binary.totals
    if ended_early or (binary.announced is None and _failed(binary)):
        yield broken(
            binary.source, "\n".join(["the process ended before its tests did", *binary.tail]), tool=_TOOL,
            category="crash")


def _written_line(entry: tuple[str, Status, str]) -> int:
    match = _LINE.search(_SUFFIX.sub("", entry[0]))
    return int(match[1]) if match else 0


def _failed(binary: _Binary) -> bool:
    return any(line.startswith("error: test failed") for line in binary.tail)


def _result(id_: str, status: Status, said: str) -> ExecutionTestResult:
    said = message(_STACK.sub("", said))
    panic = _PANIC.search(said) if status is Status.FAILED else None
    category = "exception" if panic and "assertion" not in said else "assertion"
    return ExecutionTestResult(
        id=id_, status=status, message="" if status is Status.PASSED else said,
        path=relative(panic[1]) if panic else None, line=number(panic[2]) if panic else None,
        category=category if status is Status.FAILED else "", tool=_TOOL)


def _notes(run: _Run) -> Iterator[str]:
    if run.strange:
        yield f"not what cargo runs, or twice: {named(run.strange)}"
    for binary in run.binaries:
        if binary.announced is None:
            yield f"{binary.source} said nothing of tests: a harness of its own, or it ended early"
        elif binary.announced != len(binary.tests) and binary.totals:
            yield f"{binary.source} announced {binary.announced} tests and reported {len(binary.tests)}"
        elif binary.totals and _summed(binary) != _counted(binary):
            yield f"{binary.source} reported other results than it summed up"
    idle = [source for source in run.artifacts.values() if all(binary.source != source for binary in run.binaries)]
    if idle and run.binaries:
        yield f"built and not run: {named(idle)}"
    if not any(binary.tests for binary in run.binaries):
        yield "no test was executed"


def _summed(binary: _Binary) -> tuple[int, ...]:
    return tuple(sum(column) for column in zip(*binary.totals, strict=True))


def _counted(binary: _Binary) -> tuple[int, ...]:
    found = [status for _, status, _ in binary.tests]
    return tuple(found.count(status) for status in _STATUSES)


_RUN = b"""\
{"reason":"compiler-artifact","target":{"kind":["lib"],"name":"shop","src_path":"/workspace/src/lib.rs"},\
"profile":{"test":true},"executable":"/workspace/target/debug/deps/shop-507999230d6984fa"}
{"reason":"compiler-artifact","target":{"kind":["test"],"name":"dies","src_path":"/workspace/tests/dies.rs"},\
"profile":{"test":true},"executable":"/workspace/target/debug/deps/dies-c74f04851c8cd171"}
{"reason":"build-finished","success":true}
     Running unittests src/lib.rs (target/debug/deps/shop-507999230d6984fa)

running 4 tests
test tests::adds ... ok
test tests::later ... ignored, not on Sundays
test tests::is_wrong ... FAILED
test tests::panics - should panic ... ok

failures:

---- tests::is_wrong stdout ----

thread 'tests::is_wrong' panicked at src/lib.rs:29:9:
assertion `left == right` failed: one and two
  left: 3
 right: 4


failures:
    tests::is_wrong

test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.10s

error: test failed, to rerun pass `--lib`
     Running tests/dies.rs (target/debug/deps/dies-c74f04851c8cd171)

running 2 tests
error: test failed, to rerun pass `--test dies`

Caused by:
  process didn't exit successfully: `/workspace/target/debug/deps/dies-c74f04851c8cd171` (signal: 6, SIGABRT: process \
abort signal)
   Doc-tests shop

running 1 test
test src/lib.rs - add (line 5) ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.20s

error: 2 targets failed:
    `--lib`
    `--test dies`
"""

TOOL = Tool(
    name=_TOOL,
    kind=Kind.TEST,
    detect=detect,
    recognise=recognise,
    prepare=prepare,
    read=read,
    install=INSTALL,
    selects=True,
    examples=(
        ToolExample(
            output=Output(exit_code=101, stdout=_RUN),
            reading=Reading(channel=Channel.TEXT, tests=(
                ExecutionTestResult(id="src/lib.rs::tests::adds", status=Status.PASSED, tool=_TOOL),
                ExecutionTestResult(
                    id="src/lib.rs::tests::later", status=Status.SKIPPED, message="not on Sundays", tool=_TOOL),
                ExecutionTestResult(
                    id="src/lib.rs::tests::is_wrong", status=Status.FAILED, category="assertion", path="src/lib.rs",
                    line=29, message="thread 'tests::is_wrong' panicked at src/lib.rs:29:9:\n"
                    "assertion `left == right` failed: one and two\n  left: 3\n right: 4", tool=_TOOL),
                ExecutionTestResult(id="src/lib.rs::tests::panics", status=Status.PASSED, tool=_TOOL),
                ExecutionTestResult(
                    id="tests/dies.rs", status=Status.ERROR, category="crash", tool=_TOOL,
                    message="the process ended before its tests did\n"
                    "error: test failed, to rerun pass `--test dies`\nCaused by:\n"
                    "  process didn't exit successfully: `/workspace/target/debug/deps/dies-c74f04851c8cd171` "
                    "(signal: 6, SIGABRT: process abort signal)"),
                ExecutionTestResult(id="doc-tests shop::src/lib.rs - add", status=Status.PASSED, tool=_TOOL),
            )),
        ),
        ToolExample(
            output=Output(exit_code=101, stdout=b"error: no targets specified in the manifest\n"),
            reading=Reading(
                channel=Channel.TEXT,
                tests=(
                    ExecutionTestResult(
                        id=_TOOL, status=Status.ERROR, message="error: no targets specified in the manifest",
                        category="collection", tool=_TOOL),
                ),
                notes=("no test was executed",),
            ),
        ),
    ),
)
