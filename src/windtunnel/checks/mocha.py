"""mocha: results test by test from a reporter in the process that also runs the tests.

Mocha has no other way (but ``--parallel``, which a project must choose itself). An early exit, and functions of
``assert``, of the language or of mocha that tests or tested code replace, are noticed; code that goes looking for the
reporter's memory could forge what it says. Assertion libraries that a project brings itself are not watched.
"""

from __future__ import annotations

from windtunnel.checks.node_command import program_at, runner_of, split_environment, without
from windtunnel.checks.node_live import PLACE_INSIDE, invocation, names_of, read
from windtunnel.checks.package_json import Manifest, test_check
from windtunnel.core.tool import Ask, Invocation, Output, Project, Reading, Tool, ToolExample
from windtunnel.core.trial import Channel, Check, ExecutionTestResult, Kind, Status

_CONFIGURATIONS = tuple(f".mocharc.{suffix}" for suffix in ("js", "cjs", "json", "jsonc", "yaml", "yml"))
_NAMES = ("mocha", "_mocha")


def detect(project: Project) -> Check | None:
    """The test script that runs mocha, or mocha itself where it is a dependency or configured."""

    def alone(manifest: Manifest) -> tuple[str, ...] | None:
        configured = "mocha" in manifest.dependencies or any(map(project.exists, _CONFIGURATIONS))
        return ("mocha",) if configured else None

    return test_check(project, "mocha", alone=alone)


def recognise(argv: tuple[str, ...]) -> bool:
    """``mocha``, by whatever starts it."""
    return runner_of(argv) == "mocha"


def prepare(check: Check, ask: Ask) -> Invocation:
    """With our reporter in place of the project's own; tests are chosen by name, as files add to those configured."""
    env, argv = split_environment(check.argv)
    at = program_at(argv, _NAMES) or 0
    given = without(argv[at + 1 :], flags=("--watch", "-w"), valued=("--reporter", "-R"))
    words = [f"--reporter={PLACE_INSIDE}/mocha_reporter.cjs", "--no-watch"]
    words += ["--bail"] if ask.fail_fast else []
    pattern = names_of(ask.select) if ask.select is not None else ask.pattern
    if pattern:
        given = without(given, valued=("--grep", "-g", "--fgrep", "-f"))
        words += [f"--grep={pattern}"]
    return invocation((*argv[: at + 1], *words, *given), ask, runner="mocha", env=env,
                      files=("mocha_reporter.cjs", "mocha_integrity.cjs"))


TOOL = Tool(
    name="mocha", kind=Kind.TEST, detect=detect, recognise=recognise, prepare=prepare, read=read,
    install="npm install --save-dev mocha", selects=True,
    examples=(
        ToolExample(
            output=Output(exit_code=1, records=(
                {"n": 0, "kind": "begin", "tool": "mocha", "version": "10.8.2"},
                {"n": 1, "kind": "collected", "ids": ["test/sum.js > adds", "test/sum.js > carries"]},
                {"n": 2, "kind": "start", "id": "test/sum.js > adds"},
                {"n": 3, "kind": "test", "id": "test/sum.js > adds", "status": "passed", "seconds": 0.001,
                 "path": "test/sum.js", "line": None, "category": ""},
                {"n": 4, "kind": "start", "id": "test/sum.js > carries"},
                {"n": 5, "kind": "test", "id": "test/sum.js > carries", "status": "failed", "seconds": 0.001,
                 "path": "test/sum.js", "line": 3, "category": "assertion",
                 "message": "AssertionError [ERR_ASSERTION]: 1 == 10"},
                {"n": 6, "kind": "end", "exit": 1, "count": 2, "stopped": None, "notes": []},
            )),
            reading=Reading(channel=Channel.LIVE, tests=(
                ExecutionTestResult(id="test/sum.js > adds", status=Status.PASSED, duration_seconds=0.001,
                                    path="test/sum.js", tool="mocha"),
                ExecutionTestResult(id="test/sum.js > carries", status=Status.FAILED, duration_seconds=0.001,
                                    path="test/sum.js", line=3, category="assertion",
                                    message="AssertionError [ERR_ASSERTION]: 1 == 10", tool="mocha"),
            ))),
        ToolExample(
            output=Output(exit_code=0, records=(
                {"n": 0, "kind": "begin", "tool": "mocha", "version": "10.8.2"},
                {"n": 1, "kind": "collected", "ids": ["test/sum.js > exits", "test/sum.js > carries"]},
                {"n": 2, "kind": "start", "id": "test/sum.js > exits"},
            )),
            reading=Reading(channel=Channel.LIVE, tests=(
                ExecutionTestResult(id="test/sum.js > exits", status=Status.ERROR, category="crash",
                                    message="the runner ended during this test", tool="mocha"),
                ExecutionTestResult(id="test/sum.js > carries", status=Status.ERROR, category="crash",
                                    message="the runner ended before this test", tool="mocha"),
            ), notes=("the runner ended before its last test: 2 of 2 tests were not reported",
                      "no test was executed"))),
        ToolExample(
            output=Output(exit_code=0),
            reading=Reading(channel=Channel.EXIT_CODE, tests=(
                ExecutionTestResult(id="mocha", status=Status.ERROR, category="crash", tool="mocha", message=(
                    "mocha was cut short: exit code 0, and no word that it came to its end")),
            ), notes=("mocha could not be started, or ended before it said anything (exit code 0): ",
                      "no test was executed"))),
    ),
)
