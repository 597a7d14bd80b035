"""unittest: each result comes as a sealed record from a result class of ours, loaded before anything of the project."""

from __future__ import annotations

import re
from os.path import commonpath

from windtunnel.checks.live import invocation, read_records, runs
from windtunnel.checks.pytest import detect as detect_pytest
from windtunnel.core.tool import Ask, Invocation, Output, Project, Reading, Tool, ToolExample
from windtunnel.core.trial import Channel, Check, ExecutionTestResult, Kind, Status

_MOST_FILES = 300
_CASE = re.compile(rb"^class \w+\(.*TestCase\b", re.MULTILINE)


def detect(project: Project) -> Check | None:
    """``python -m unittest``, where tests are of its classes and nothing is set up for pytest."""
    for pattern, options in (("test*.py", ()), ("*_test.py", ("-p", "*_test.py"))):
        files = project.glob(f"**/{pattern}")[:_MOST_FILES]
        found = [path for path in files if _CASE.search(project.read(path) or b"")]
        if found and detect_pytest(project) is None:
            return Check(kind=Kind.TEST, tool="unittest", argv=_command(project, found, options), found_in=found[0])
    return None


def recognise(argv: tuple[str, ...]) -> bool:
    """``python -m unittest``, with or without ``discover``."""
    return "-m" in argv and runs(argv, "unittest")


def prepare(check: Check, ask: Ask) -> Invocation:
    """The same tests, by way of our script."""
    return invocation(check, ask, scripts=("windtunnel_unittest.py",))


def _command(project: Project, found: list[str], options: tuple[str, ...]) -> tuple[str, ...]:
    """Discovery enters packages only, so it must begin where the first package does."""
    outside = [folder for folder in {_start(project, path) for path in found} if folder]
    if outside:
        return ("python", "-m", "unittest", "discover", "-s", commonpath(outside), *options)
    return ("python", "-m", "unittest", *(("discover", *options) if options else ()))


def _start(project: Project, path: str) -> str:
    """The innermost folder on the way to a file that is no package; empty for the project itself."""
    folder = path.rpartition("/")[0]
    while folder and project.exists(f"{folder}/__init__.py"):
        folder = folder.rpartition("/")[0]
    return folder


_NAME = "tests.test_a.TestB.test_c"

TOOL = Tool(
    name="unittest",
    kind=Kind.TEST,
    detect=detect,
    recognise=recognise,
    prepare=prepare,
    read=read_records,
    install="unittest comes with Python: install python3",
    selects=True,
    traces=True,
    examples=(
        ToolExample(
            output=Output(exit_code=0, records=(
                {"n": 0, "kind": "begin", "tool": "unittest", "version": "3.11.7"},
                {"n": 1, "kind": "collected", "ids": [_NAME]},
                {"n": 2, "kind": "start", "id": _NAME},
                {"n": 3, "kind": "test", "id": _NAME, "status": "passed", "seconds": 0.5, "message": "",
                 "path": "tests/test_a.py", "line": 4, "category": ""},
                {"n": 4, "kind": "end", "exit": 0, "count": 1, "stopped": ""},
            )),
            reading=Reading(channel=Channel.LIVE, tests=(
                ExecutionTestResult(id=_NAME, status=Status.PASSED, duration_seconds=0.5, path="tests/test_a.py",
                                    line=4, tool="unittest"),
            )),
        ),
    ),
)  # fmt: skip
