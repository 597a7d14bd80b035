"""jest: results from its main process, test by test, while the files run in worker processes.

From version 29 on tests never run in the process of the reporter, also with ``--runInBand``, which becomes one
worker. Code in a worker can still replace what judges it there.
"""

from __future__ import annotations

from windtunnel.checks.node_command import program_at, runner_of, split_environment, without
from windtunnel.checks.node_live import PLACE_INSIDE, files_of, invocation, names_of, read
from windtunnel.checks.package_json import Manifest, test_check
from windtunnel.core.tool import Ask, Invocation, Output, Project, Reading, Tool, ToolExample
from windtunnel.core.trial import Channel, Check, ExecutionTestResult, Kind, Status

_CONFIGURATIONS = tuple(f"jest.config.{suffix}" for suffix in ("js", "ts", "mjs", "cjs", "json"))
_IN_BAND = ("-i", "--runInBand")
_WATCHING = ("--watch", "--watchAll", "-u", "--updateSnapshot", "--json", "--detectOpenHandles")


def detect(project: Project) -> Check | None:
    """The test script that runs jest, or jest itself where it is a dependency or configured."""

    def alone(manifest: Manifest) -> tuple[str, ...] | None:
        configured = "jest" in manifest.dependencies | manifest.keys or any(map(project.exists, _CONFIGURATIONS))
        return ("jest",) if configured else None

    return test_check(project, "jest", alone=alone)


def recognise(argv: tuple[str, ...]) -> bool:
    """``jest``, by whatever starts it."""
    return runner_of(argv) == "jest"


def prepare(check: Check, ask: Ask) -> Invocation:
    """With our reporter in place of the project's own, and without writing snapshots."""
    env, argv = split_environment(check.argv)
    at = program_at(argv, ("jest",)) or 0
    given = without(argv[at + 1 :], flags=_WATCHING, valued=("--reporters", "--outputFile"))
    words = ["--reporters=default", f"--reporters={PLACE_INSIDE}/jest_reporter.cjs", "--ci", "--testLocationInResults"]
    words += ["--maxWorkers=1"] if set(_IN_BAND) & set(given) else []
    words += ["--bail"] if ask.fail_fast else []
    words += _choice(ask)
    chosen = ("--runTestsByPath", *files_of(ask.select)) if ask.select is not None else ()
    return invocation((*argv[: at + 1], *words, *without(given, flags=_IN_BAND), *chosen), ask, runner="jest", env=env,
                      files=("jest_reporter.cjs",))


def _choice(ask: Ask) -> list[str]:
    pattern = names_of(ask.select) if ask.select is not None else ask.pattern
    return [f"--testNamePattern={pattern}"] if pattern else []


TOOL = Tool(
    name="jest", kind=Kind.TEST, detect=detect, recognise=recognise, prepare=prepare, read=read,
    install="npm install --save-dev jest", selects=True,
    examples=(
        ToolExample(
            output=Output(exit_code=1, records=(
                {"n": 0, "kind": "begin", "tool": "jest", "version": "29.7.0"},
                {"n": 1, "kind": "start", "id": "sum.test.js > adds"},
                {"n": 2, "kind": "test", "id": "sum.test.js > adds", "status": "passed", "seconds": 0.003,
                 "path": "sum.test.js", "line": 1, "category": ""},
                {"n": 3, "kind": "start", "id": "sum.test.js > carries"},
                {"n": 4, "kind": "test", "id": "sum.test.js > carries", "status": "failed", "seconds": 0.003,
                 "path": "sum.test.js", "line": 2, "category": "assertion",
                 "message": "Error: expect(received).toBe(expected)"},
                {"n": 5, "kind": "end", "exit": 1, "count": 2, "stopped": None, "notes": []},
            )),
            reading=Reading(channel=Channel.LIVE, tests=(
                ExecutionTestResult(id="sum.test.js > adds", status=Status.PASSED, duration_seconds=0.003,
                                    path="sum.test.js", line=1, tool="jest"),
                ExecutionTestResult(id="sum.test.js > carries", status=Status.FAILED, duration_seconds=0.003,
                                    path="sum.test.js", line=2, category="assertion",
                                    message="Error: expect(received).toBe(expected)", tool="jest"),
            ))),
        ToolExample(
            output=Output(exit_code=1, records=(
                {"n": 0, "kind": "begin", "tool": "jest", "version": "29.7.0"},
                {"n": 1, "kind": "start", "id": "sum.test.js > exits"},
                {"n": 2, "kind": "test", "id": "sum.test.js", "status": "error", "seconds": 0,
                 "path": "sum.test.js", "line": None, "category": "crash",
                 "message": "A jest worker process (pid=4033) crashed"},
                {"n": 3, "kind": "end", "exit": 1, "count": 1, "stopped": None, "notes": []},
            )),
            reading=Reading(channel=Channel.LIVE, tests=(
                ExecutionTestResult(id="sum.test.js", status=Status.ERROR, path="sum.test.js", category="crash",
                                    message="A jest worker process (pid=4033) crashed", tool="jest"),
                ExecutionTestResult(id="sum.test.js > exits", status=Status.ERROR, category="crash",
                                    message="the runner ended during this test", tool="jest"),
            ), notes=("the runner did not run all tests that it collected: 1 of 2 tests were not reported",
                      "no test was executed"))),
    ),
)
