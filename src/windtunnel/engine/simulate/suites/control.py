"""A test that does nothing, to tell a runner that does not survive a condition from a test that does not.

It lies beside a test of the project and is run alone. Where it does not pass without conditions, or a tool has none, a
runner counts as sound under a condition when it runs one test of the project there, whether that passes or fails.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from windtunnel.core.result import Artifact
from windtunnel.core.tool import Project
from windtunnel.core.trial import ExecutionTestResult

_NAME = "windtunnel_control"
_GO_MODULE = re.compile(rb"^module[ \t]+\"?([\w./~-]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """One file with one test."""

    path: str
    source: str
    id: str
    """What its runner calls the test."""

    @property
    def overlay(self) -> Mapping[str, Artifact]:
        """As it is laid over the project."""
        return {self.path: Artifact(data=self.source.encode())}


def control_of(tool: str, test: ExecutionTestResult, project: Project) -> Control | None:
    """For a runner, beside one of its tests; none where nobody knows how to write it."""
    make = _TOOLS.get(tool)
    return make(test, project) if make is not None else None


def _script(ending: str, source: str) -> Callable[[ExecutionTestResult, Project], Control | None]:
    def make(test: ExecutionTestResult, _: Project) -> Control:
        path = _beside(test, f"{_NAME}{ending or PurePosixPath(_file(test)).suffix}")
        return Control(path=path, source=source, id=f"{path} > holds")

    return make


def _python(test: ExecutionTestResult, _: Project) -> Control:
    path = _beside(test, f"test_{_NAME}.py")
    return Control(path=path, source="def test_holds():\n    pass\n", id=f"{path}::test_holds")


def _go(_: ExecutionTestResult, project: Project) -> Control | None:
    module = _GO_MODULE.search(project.read("go.mod") or b"")
    if module is None:
        return None
    source = 'package control\n\nimport "testing"\n\nfunc TestHolds(t *testing.T) {}\n'
    return Control(path=f"{_NAME}/control_test.go", source=source, id=f"{module[1].decode()}/{_NAME}/TestHolds")


def _file(test: ExecutionTestResult) -> str:
    return test.path or re.split(r" > |::", test.id, maxsplit=1)[0]


def _beside(test: ExecutionTestResult, name: str) -> str:
    return str(PurePosixPath(_file(test)).with_name(name))


_PLAIN = "{}('holds', () => {{}});\n"
_IMPORTED = "import {{ test }} from '{}';\n\ntest('holds', () => {{}});\n"
_TOOLS: Mapping[str, Callable[[ExecutionTestResult, Project], Control | None]] = {
    "node:test": _script(".test.mjs", _IMPORTED.format("node:test")),
    "jest": _script(".test.js", _PLAIN.format("test")),
    "vitest": _script(".test.mjs", _IMPORTED.format("vitest")),
    "mocha": _script("", _PLAIN.format("it")),
    "pytest": _python,
    "go test": _go,
}
