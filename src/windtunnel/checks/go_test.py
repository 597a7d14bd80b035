"""``go test``, by the events of its ``-json``.

The test binary writes marks (``=== RUN``, ``--- PASS``) to its standard output, where the program writes too, and
``go`` turns them into events. So code that prints can forge every event of its own package, and code that prints a
whole plausible run and then ends the process with code 0 cannot be told from an honest one here: that is for the
tamper gate. What gives a forger away is refused or noted: a result for a test that never started, a pass after a
failure, a pass without the mark that closes it (the process ended in the middle of it, which older versions of Go
call a pass), a package that passes without its last word, a package that ``go`` did not start.

Files of ``GOCACHE`` could replay old results: tests are always really run (``-count=1``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from windtunnel.checks.findings import decoded, number, relative
from windtunnel.checks.go_build import GO_ENVIRONMENT, INSTALL, compile_errors, go_check, runs_go
from windtunnel.checks.go_events import Events, Package, Test
from windtunnel.checks.outcomes import MOST_TESTS, broken, json_lines, lines, message, name, named
from windtunnel.core.tool import PLACE, Ask, Invocation, Output, Project, Reading, Tool, ToolExample
from windtunnel.core.trial import Channel, Check, ExecutionTestResult, Kind, Status

_TOOL = "go test"
_NOTHING = "no test was executed"
_CUT_SHORT = "ended with code 0 before the last word of its tests"
# Flags whose value may be the next word, so that it is not taken for a package.
_VALUED = re.compile(
    r"--?(run|skip|count|timeout|tags|p|parallel|cpu|cover(profile|mode|pkg)|bench(time)?|list|shuffle|exec|mod(file)?|o"
    r"|vet|(ld|gc|asm|gccgo)flags|overlay|pgo|C|fuzz(time|minimizetime)?|outputdir|(block|cpu|mem|mutex)profile"
    r"|blockprofilerate|memprofilerate|mutexprofilefraction|trace|pkgdir|buildmode|compiler|installsuffix|toolexec)")
_TEST_NAME = re.compile(r"(?:Test|Example|Fuzz|Benchmark)(?![a-z])\w*")
_PACKAGE = re.compile(r"[A-Za-z0-9_.~][\w.~+/-]*")
_STACK = re.compile(rf"\t({PLACE}/\S+\.go):([0-9]{{1,9}})")
_UNBUILT = re.compile(r"FAIL\t(\S+) \[(?:build|setup) failed\]")
_HEADING = re.compile(r"# (\S+)(?: \[\S+\])?")


def detect(project: Project) -> Check | None:
    """A module with test files."""
    return go_check(project, Kind.TEST, command="test") if project.glob("**/*_test.go") else None


def recognise(argv: tuple[str, ...]) -> bool:
    """``go test``."""
    return runs_go(argv, "test")


def prepare(check: Check, ask: Ask) -> Invocation:
    """With ``-json``; a selection becomes the packages and top-level tests that hold what was asked for."""
    given, own = _split(check.argv[2:])
    added = ["-json"] if not {"-json", "--json"} & set(given) else []
    added += ["-count=1"] if not any(re.match(r"--?count\b", word) for word in given) else []
    added += ["-failfast"] if ask.fail_fast else []
    if ask.select is not None:
        packages, tests = _selected(ask.select)
        given = [*_without_packages(given), *([f"-run=^({'|'.join(tests)})$"] if tests else []), *packages]
    elif ask.pattern is not None:
        given = [f"-run={ask.pattern}", *given]
    return Invocation(argv=(*check.argv[:2], *added, *given, *own), env=GO_ENVIRONMENT)


def _split(words: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """What is for ``go``, and from ``-args`` on what is for the tests."""
    at = next((index for index, word in enumerate(words) if word in {"-args", "--args"}), len(words))
    return list(words[:at]), list(words[at:])


def _without_packages(words: list[str]) -> list[str]:
    kept: list[str] = []
    for word in words:
        if word.startswith("-") or (kept and _VALUED.fullmatch(kept[-1])):
            kept.append(word)
    return kept


def _selected(ids: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """The packages, and the top-level tests; no tests when a whole package is asked for."""
    packages: dict[str, None] = {}
    tests: dict[str, None] = {}
    whole = False
    for id_ in ids:
        parts = id_.split("/")
        at = next((index for index in range(1, len(parts)) if _TEST_NAME.fullmatch(parts[index])), len(parts))
        package = "/".join(parts[:at])
        if _PACKAGE.fullmatch(package):
            packages[package] = None
            whole = whole or at == len(parts)
            tests.update(dict.fromkeys(parts[at : at + 1]))
    return list(packages), [] if whole else list(tests)


def read(output: Output, _check: Check) -> Reading:
    """A result for each test; packages that did not build or broke have one of their own."""
    events = Events()
    for found in json_lines(output.stdout):
        if isinstance(found, dict):
            events.take(found)
        elif (match := _UNBUILT.match(found)) is not None:
            events.unbuilt[name(match[1])] = None
    tests = list(_results(events, output))
    if output.exit_code != 0 and not any(test.status.bad for test in tests):
        tests.append(broken(_TOOL, decoded(output.stderr), tool=_TOOL, category="collection"))
    return Reading(channel=Channel.STREAM, tests=tuple(tests), notes=tuple(_notes(events, tests)))


def _results(events: Events, output: Output) -> Iterator[ExecutionTestResult]:
    blocks = _blocks(output)
    for path, package in events.packages.items():
        own = [_result(f"{path}/{test}", state, status=_status(package, test)) for test, state in package.tests.items()]
        yield from own
        if package.failed_build:
            events.unbuilt[path] = None
            heard = events.builds.get(package.failed_build, Test())
            blocks.setdefault(path, []).extend("".join(heard.said).split("\n"))
        elif package.end == "fail" and path not in events.unbuilt and not any(test.status.bad for test in own):
            yield broken(path, "".join(package.said.said), tool=_TOOL, category="crash")
        elif package.end == "pass" and own and not package.last_word:
            yield broken(path, _CUT_SHORT, tool=_TOOL, category="crash")
    for path in events.unbuilt:
        yield _unbuilt(path, blocks.get(path, []))


def _blocks(output: Output) -> dict[str, list[str]]:
    """What the compiler said, by package."""
    blocks: dict[str, list[str]] = {}
    block: list[str] = []
    for line in lines(output.stderr):
        match = _HEADING.fullmatch(line)
        if match is not None:
            block = blocks.setdefault(name(match[1]).removesuffix("_test"), [])
        else:
            block.append(line)
    return blocks


def _unbuilt(path: str, said: list[str]) -> ExecutionTestResult:
    errors = compile_errors(said, tool=_TOOL)
    return ExecutionTestResult(
        id=path, status=Status.ERROR, message=message("\n".join(said)) or "did not build", category="collection",
        path=errors[0].path if errors else None, line=errors[0].line if errors else None, tool=_TOOL)


def _status(package: Package, test: str) -> Status | None:
    """What a test came to; None when the process ended before the test did."""
    told, marks = package.tests[test].status, package.marks.get(test, set())
    if told is Status.FAILED or Status.FAILED in marks:
        return Status.FAILED
    if told is None and not package.end:
        return None
    return told or max(marks) if marks else None


def _result(id_: str, test: Test, *, status: Status | None) -> ExecutionTestResult:
    said, category = "".join(test.said), ""
    if status is None:
        status, category, said = Status.ERROR, "crash", f"the process ended before the test did\n{said}"
    elif status is Status.FAILED:
        category = _category(said)
        status = Status.FAILED if category == "assertion" else Status.ERROR
    path, line = _stack_place(said) if category in {"crash", "timeout"} else (None, None)
    return ExecutionTestResult(
        id=id_, status=status, duration_seconds=test.seconds, category=category, path=path, line=line, tool=_TOOL,
        message="" if status is Status.PASSED else message(said))


def _category(said: str) -> str:
    if "panic: test timed out after" in said:
        return "timeout"
    crashed = re.search(r"^(?:panic|fatal error): ", said, re.MULTILINE) and "\ngoroutine " in said
    return "crash" if crashed else "assertion"


def _stack_place(said: str) -> tuple[str | None, int | None]:
    """The first frame of a stack that lies in the project."""
    match = _STACK.search(said)
    return (relative(match[1]), number(match[2])) if match else (None, None)


def _notes(events: Events, tests: list[ExecutionTestResult]) -> Iterator[str]:
    for what, ids in events.odd.items():
        yield f"{what}: {named(ids)}"
    started = [path for path, package in events.packages.items() if package.started]
    unknown = [path for path, package in events.packages.items() if started and not package.started]
    if unknown:
        yield f"events of packages that go did not start: {named(unknown)}"
    unended = [path for path, package in events.packages.items() if not package.end]
    if unended:
        yield f"packages without an end: {named(unended)}"
    if events.count > MOST_TESTS:
        yield f"only the first {MOST_TESTS} tests are read"
    if not any(package.tests for package in events.packages.values()):
        yield _NOTHING if tests else f"{_NOTHING}: no package has tests"


_EVENTS = b"""\
FAIL\texample.com/shop/bad [build failed]
{"Action":"run","Package":"example.com/shop/calc","Test":"TestAdd"}
{"Action":"output","Package":"example.com/shop/calc","Test":"TestAdd","Output":"=== RUN   TestAdd\\n"}
{"Action":"output","Package":"example.com/shop/calc","Test":"TestAdd","Output":"--- PASS: TestAdd (0.01s)\\n"}
{"Action":"pass","Package":"example.com/shop/calc","Test":"TestAdd","Elapsed":0.01}
{"Action":"run","Package":"example.com/shop/calc","Test":"TestTable"}
{"Action":"output","Package":"example.com/shop/calc","Test":"TestTable","Output":"=== RUN   TestTable\\n"}
{"Action":"run","Package":"example.com/shop/calc","Test":"TestTable/row"}
{"Action":"output","Package":"example.com/shop/calc","Test":"TestTable/row","Output":"=== RUN   TestTable/row\\n"}
{"Action":"output","Package":"example.com/shop/calc","Test":"TestTable/row","Output":"    calc_test.go:24: bad row\\n"}
{"Action":"output","Package":"example.com/shop/calc","Test":"TestTable","Output":"--- FAIL: TestTable (0.00s)\\n"}
{"Action":"output","Package":"example.com/shop/calc","Test":"TestTable/row","Output":"    --- FAIL: TestTable/row \
(0.00s)\\n"}
{"Action":"fail","Package":"example.com/shop/calc","Test":"TestTable/row","Elapsed":0}
{"Action":"fail","Package":"example.com/shop/calc","Test":"TestTable","Elapsed":0}
{"Action":"output","Package":"example.com/shop/calc","Output":"FAIL\\n"}
{"Action":"output","Package":"example.com/shop/calc","Output":"FAIL\\texample.com/shop/calc\\t0.003s\\n"}
{"Action":"fail","Package":"example.com/shop/calc","Elapsed":0.003}
"""
_QUIET_EXIT = b"""\
{"Action":"run","Package":"example.com/shop/c","Test":"TestQuiet"}
{"Action":"output","Package":"example.com/shop/c","Test":"TestQuiet","Output":"=== RUN   TestQuiet\\n"}
{"Action":"output","Package":"example.com/shop/c","Test":"TestQuiet","Output":"ok  \\texample.com/shop/c\\t0.007s\\n"}
{"Action":"pass","Package":"example.com/shop/c","Test":"TestQuiet","Elapsed":0.007}
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
            output=Output(exit_code=2, stdout=_EVENTS, stderr=b"""\
# example.com/shop/bad [example.com/shop/bad.test]
bad/bad_test.go:7:2: undefined: missing
"""),
            reading=Reading(channel=Channel.STREAM, tests=(
                ExecutionTestResult(
                    id="example.com/shop/calc/TestAdd", status=Status.PASSED, duration_seconds=0.01, tool=_TOOL),
                ExecutionTestResult(
                    id="example.com/shop/calc/TestTable", status=Status.FAILED, category="assertion", tool=_TOOL),
                ExecutionTestResult(
                    id="example.com/shop/calc/TestTable/row", status=Status.FAILED, category="assertion",
                    message="calc_test.go:24: bad row", tool=_TOOL),
                ExecutionTestResult(
                    id="example.com/shop/bad", status=Status.ERROR, category="collection", path="bad/bad_test.go",
                    line=7, message="bad/bad_test.go:7:2: undefined: missing", tool=_TOOL),
            )),
        ),
        ToolExample(
            output=Output(exit_code=0, stdout=_QUIET_EXIT),
            reading=Reading(
                channel=Channel.STREAM,
                tests=(
                    ExecutionTestResult(
                        id="example.com/shop/c/TestQuiet", status=Status.ERROR, category="crash", tool=_TOOL,
                        duration_seconds=0.007,
                        message="the process ended before the test did\nok  \texample.com/shop/c\t0.007s"),
                ),
                notes=("packages without an end: example.com/shop/c",),
            ),
        ),
    ),
)
