"""pytest: each result comes as a sealed record from a plugin of ours, loaded before anything of the project."""

from __future__ import annotations

import re

from windtunnel.checks.live import invocation, read_records, runs
from windtunnel.checks.settings import section, table
from windtunnel.core.tool import Ask, Invocation, Output, Project, Reading, Tool, ToolExample
from windtunnel.core.trial import Channel, Check, ExecutionTestResult, Kind, Status

TEST_FILES = ("**/test_*.py", "**/*_test.py")
_FILES = ("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml")
_MOST_FILES = 300
_WRITTEN_FOR_PYTEST = re.compile(rb"^(?:import pytest\b|from pytest\b|(?:async )?def test_?\w*\()", re.MULTILINE)


def detect(project: Project) -> Check | None:
    """``pytest``, where a configuration, a ``conftest.py`` or the tests themselves are written for it."""
    found = _configured(project) or _written(project)
    return None if found is None else Check(kind=Kind.TEST, tool="pytest", argv=("pytest",), found_in=found)


def recognise(argv: tuple[str, ...]) -> bool:
    """``pytest``, ``py.test``, ``python -m pytest``, also by path and behind ``uv run`` or ``poetry run``."""
    return runs(argv, "pytest", "py.test")


def prepare(check: Check, ask: Ask) -> Invocation:
    """The same tests, by way of our script."""
    return invocation(check, ask, scripts=("windtunnel_pytest.py", "windtunnel_pytest_reporter.py"))


def _configured(project: Project) -> str | None:
    named = next((path for path in _FILES if project.exists(path)), None)
    if named is not None:
        return named
    if table(project, "pyproject.toml", "tool", "pytest") is not None:
        return "pyproject.toml"
    if section(project, "setup.cfg", "tool:pytest") is not None:
        return "setup.cfg"
    if section(project, "tox.ini", "pytest") is not None:
        return "tox.ini"
    return next(iter(project.glob("**/conftest.py")), None)


def _written(project: Project) -> str | None:
    files = dict.fromkeys(path for pattern in TEST_FILES for path in project.glob(pattern)[:_MOST_FILES])
    return next((path for path in files if _WRITTEN_FOR_PYTEST.search(project.read(path) or b"")), None)


_CHECK = Check(kind=Kind.TEST, tool="pytest", argv=("pytest",))
_IDS = ["test_a.py::test_one", "test_a.py::test_two"]
_ONE = {"n": 3, "kind": "test", "id": _IDS[0], "status": "failed", "seconds": 0.25, "message": "assert 1 == 2",
        "path": "test_a.py", "line": 1, "category": "assertion"}  # fmt: skip
_FAILED = ExecutionTestResult(
    id=_IDS[0], status=Status.FAILED, duration_seconds=0.25, message="assert 1 == 2", path="test_a.py", line=1,
    category="assertion", tool="pytest",
)  # fmt: skip
_BEGIN = ({"n": 0, "kind": "begin", "tool": "pytest", "version": "9.0"}, {"n": 1, "kind": "collected", "ids": _IDS},
          {"n": 2, "kind": "start", "id": _IDS[0]})  # fmt: skip

TOOL = Tool(
    name="pytest",
    kind=Kind.TEST,
    detect=detect,
    recognise=recognise,
    prepare=prepare,
    read=read_records,
    install="pip install pytest in the project's environment",
    selects=True,
    shares=True,
    traces=True,
    examples=(
        ToolExample(
            output=Output(exit_code=0, records=(*_BEGIN, _ONE, {"n": 4, "kind": "start", "id": _IDS[1]})),
            reading=Reading(
                channel=Channel.LIVE,
                tests=(
                    _FAILED,
                    ExecutionTestResult(id=_IDS[1], status=Status.ERROR, message="the runner ended during this test",
                                        category="crash", tool="pytest"),
                ),
                notes=("the runner ended before its last test: 1 of 2 tests were not reported",),
            ),
        ),
        ToolExample(
            output=Output(exit_code=0, stdout=b"2 passed", stderr=b"No module ...\n"),
            reading=Reading(
                channel=Channel.EXIT_CODE,
                notes=("pytest could not be started, or ended before it said anything (exit code 0): No module ...",),
            ),
        ),
    ),
)  # fmt: skip
