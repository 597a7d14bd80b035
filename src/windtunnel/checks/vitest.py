"""vitest: results from its main process, test by test, while the files run in workers.

Worker threads, where a project asks for them, share the memory of the reporter; worker processes do not.
"""

from __future__ import annotations

from windtunnel.checks.node_command import program_at, runner_of, split_environment, without
from windtunnel.checks.node_live import PLACE_INSIDE, files_of, invocation, names_of, read
from windtunnel.checks.package_json import Manifest, test_check
from windtunnel.core.tool import Ask, Invocation, Output, Project, Reading, Tool, ToolExample
from windtunnel.core.trial import Channel, Check, ExecutionTestResult, Kind, Status

_CONFIGURATIONS = tuple(f"vitest.config.{suffix}" for suffix in ("ts", "js", "mts", "mjs", "cts", "cjs"))
_COMMANDS = frozenset({"run", "watch", "dev", "related"})
_WATCHING = ("--watch", "-w", "--ui", "--open", "-u", "--update", "--run")


def detect(project: Project) -> Check | None:
    """The test script that runs vitest, or vitest itself where it is a dependency or configured."""

    def alone(manifest: Manifest) -> tuple[str, ...] | None:
        configured = "vitest" in manifest.dependencies or any(map(project.exists, _CONFIGURATIONS))
        return ("vitest", "run") if configured else None

    return test_check(project, "vitest", alone=alone)


def recognise(argv: tuple[str, ...]) -> bool:
    """``vitest``, by whatever starts it."""
    return runner_of(argv) == "vitest"


def prepare(check: Check, ask: Ask) -> Invocation:
    """One run, never watching, with our reporter in place of the project's own."""
    env, argv = split_environment(check.argv)
    at = program_at(argv, ("vitest",)) or 0
    own = argv[at + 1 :]
    given = without(own[1:] if own[:1] and own[0] in _COMMANDS else own, flags=_WATCHING,
                    valued=("--reporter", "--outputFile"))
    command = ("related", "--run") if own[:1] == ("related",) else ("run",)
    words = [*command, "--reporter=default", f"--reporter={PLACE_INSIDE}/vitest_reporter.mjs", "--allowOnly"]
    words += ["--bail=1"] if ask.fail_fast else []
    words += _choice(ask)
    chosen = files_of(ask.select) if ask.select is not None else ()
    return invocation((*argv[: at + 1], *words, *given, *chosen), ask, runner="vitest", env=env,
                      files=("vitest_reporter.cjs", "vitest_reporter.mjs"))


def _choice(ask: Ask) -> list[str]:
    pattern = names_of(ask.select) if ask.select is not None else ask.pattern
    return [f"--testNamePattern={pattern}"] if pattern else []


TOOL = Tool(
    name="vitest", kind=Kind.TEST, detect=detect, recognise=recognise, prepare=prepare, read=read,
    install="npm install --save-dev vitest", selects=True,
    examples=(
        ToolExample(
            output=Output(exit_code=1, records=(
                {"n": 0, "kind": "begin", "tool": "vitest", "version": "3.2.4"},
                {"n": 1, "kind": "collected", "ids": ["sum.test.js > adds", "sum.test.js > carries"]},
                {"n": 2, "kind": "start", "id": "sum.test.js > adds"},
                {"n": 3, "kind": "test", "id": "sum.test.js > adds", "status": "passed", "seconds": 0.008,
                 "path": "sum.test.js", "line": None, "category": ""},
                {"n": 4, "kind": "start", "id": "sum.test.js > carries"},
                {"n": 5, "kind": "test", "id": "sum.test.js > carries", "status": "failed", "seconds": 0.008,
                 "path": "sum.test.js", "line": 3, "category": "assertion",
                 "message": "AssertionError: expected 1 to be 10"},
                {"n": 6, "kind": "end", "exit": 1, "count": 2, "stopped": None, "notes": []},
            )),
            reading=Reading(channel=Channel.LIVE, tests=(
                ExecutionTestResult(id="sum.test.js > adds", status=Status.PASSED, duration_seconds=0.008,
                                    path="sum.test.js", tool="vitest"),
                ExecutionTestResult(id="sum.test.js > carries", status=Status.FAILED, duration_seconds=0.008,
                                    path="sum.test.js", line=3, category="assertion",
                                    message="AssertionError: expected 1 to be 10", tool="vitest"),
            ))),
        ToolExample(
            output=Output(exit_code=1, records=(
                {"n": 0, "kind": "begin", "tool": "vitest", "version": "3.2.4"},
                {"n": 1, "kind": "test", "id": "sum.test.js", "status": "error", "seconds": 0,
                 "path": "sum.test.js", "line": 2, "category": "import",
                 "message": "Error: Cannot find module './gone'"},
                {"n": 2, "kind": "end", "exit": 1, "count": 1, "stopped": None, "notes": ["2 snapshots are obsolete"]},
            )),
            reading=Reading(channel=Channel.LIVE, tests=(
                ExecutionTestResult(id="sum.test.js", status=Status.ERROR, path="sum.test.js", line=2,
                                    category="import", message="Error: Cannot find module './gone'", tool="vitest"),
            ), notes=("2 snapshots are obsolete", "no test was executed"))),
    ),
)
