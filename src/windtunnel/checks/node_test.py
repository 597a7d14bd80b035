"""node:test: results from the process of ``node --test``, while each file runs in a child of its own.

A child tells its results on its standard output: code in it that writes node's own format is believed, as is code
that removes the listeners with which node notices an early exit. What such code hides has vanished from the results.
Assertions and test functions that are still replaced when a child ends are reported as interference.
"""

from __future__ import annotations

import re
import shlex

from windtunnel.checks.node_command import node_operands, runner_of, split_environment, without
from windtunnel.checks.node_live import PLACE_INSIDE, files_of, invocation, read
from windtunnel.checks.package_json import Manifest, test_check
from windtunnel.core.tool import Ask, Invocation, Output, Project, Reading, Tool, ToolExample
from windtunnel.core.trial import Channel, Check, ExecutionTestResult, Kind, Status

_TESTS = ("**/*.test.js", "**/*.test.mjs", "**/*.test.cjs", "test/**/*.js", "test/**/*.mjs", "test/**/*.cjs")
_MOST_LOOKED_AT = 20
_OTHERS = frozenset({"jest", "vitest", "mocha", "ava", "tap", "jasmine"})
_PATTERN = re.compile(r"(?=.*[*?])(?!.*\*\*)[\w./*?-]+")
"""A pattern that the shell, not node, was to fill in."""


def detect(project: Project) -> Check | None:
    """The test script that runs ``node --test``, or that itself where test files ask for it.

    A test script that no runner here is known to run is named here too, as a plain command.
    """

    def alone(manifest: Manifest) -> tuple[str, ...] | None:
        if manifest.dependencies & _OTHERS:
            return None
        found = (path for pattern in _TESTS for path in project.glob(pattern)[:_MOST_LOOKED_AT])
        return ("node", "--test") if any(b"node:test" in (project.read(path) or b"") for path in found) else None

    return test_check(project, "node:test", alone=alone)


def recognise(argv: tuple[str, ...]) -> bool:
    """``node --test``."""
    return runner_of(argv) == "node:test"


def prepare(check: Check, ask: Ask) -> Invocation:
    """With our reporter beside the one for people; chosen tests run by whole files, and only they are reported.

    A pattern beside the choice leaves out what else is in those files.

    Node has no way to stop at the first failure.
    """
    env, argv = split_environment(check.argv)
    given = without(argv[1:], flags=("--watch",), valued=("--test-reporter", "--test-reporter-destination"))
    options, operands = node_operands(given)
    words = [word for name in ("spec", f"{PLACE_INSIDE}/node_test_reporter.mjs")
             for word in (f"--test-reporter={name}", "--test-reporter-destination=stdout")]
    words += [f"--test-name-pattern={ask.pattern}"] if ask.pattern else []
    chosen = files_of(ask.select) if ask.select is not None else operands
    return invocation(_filled_in((argv[0], *words, *options), chosen), ask, runner="node_test", env=env,
                      files=("node_test_reporter.cjs", "node_test_reporter.mjs", "node_child.cjs"))


def _filled_in(argv: tuple[str, ...], operands: tuple[str, ...]) -> tuple[str, ...]:
    """Through a shell where a script left patterns for it; older versions of node know none."""
    if not any(_PATTERN.fullmatch(word) for word in operands):
        return (*argv, *operands)
    words = [word if _PATTERN.fullmatch(word) else shlex.quote(word) for word in operands]
    return ("sh", "-c", f"exec {shlex.join(argv)} {' '.join(words)}")


TOOL = Tool(
    name="node:test", kind=Kind.TEST, detect=detect, recognise=recognise, prepare=prepare, read=read,
    install="install Node.js 20 or later", selects=True,
    examples=(
        ToolExample(
            output=Output(exit_code=1, records=(
                {"n": 0, "kind": "begin", "tool": "node:test", "version": "v20.20.2"},
                {"n": 1, "kind": "test", "id": "test/sum.js > adds", "status": "passed", "seconds": 0.001,
                 "path": "test/sum.js", "line": 2, "category": ""},
                {"n": 2, "kind": "test", "id": "test/sum.js > carries", "status": "failed", "seconds": 0.001,
                 "path": "test/sum.js", "line": 3, "category": "assertion",
                 "message": "AssertionError [ERR_ASSERTION]: 1 == 10"},
                {"n": 3, "kind": "end", "exit": 1, "count": 2, "stopped": None, "notes": []},
            )),
            reading=Reading(channel=Channel.LIVE, tests=(
                ExecutionTestResult(id="test/sum.js > adds", status=Status.PASSED, duration_seconds=0.001,
                                    path="test/sum.js", line=2, tool="node:test"),
                ExecutionTestResult(id="test/sum.js > carries", status=Status.FAILED, duration_seconds=0.001,
                                    path="test/sum.js", line=3, category="assertion",
                                    message="AssertionError [ERR_ASSERTION]: 1 == 10", tool="node:test"),
            ))),
        ToolExample(
            output=Output(exit_code=0, records=(
                {"n": 0, "kind": "begin", "tool": "node:test", "version": "v20.20.2"},
                {"n": 1, "kind": "end", "exit": 0, "count": 0, "stopped": None,
                 "notes": ["test/sum.js ended without running a test"]},
            )),
            reading=Reading(channel=Channel.LIVE, notes=(
                "no test was executed", "test/sum.js ended without running a test"))),
    ),
)
