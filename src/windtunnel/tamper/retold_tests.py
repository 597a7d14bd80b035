"""Which tests are told again, by the language of their files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from windtunnel.core.trial import ExecutionTestResult
from windtunnel.tamper.retold import Retold
from windtunnel.tamper.retold_python import retell_python
from windtunnel.tamper.retold_script import retell_script
from windtunnel.tamper.script import SCRIPT

MOST_FILES = 3
MOST_TESTS = 6
"""Tests that are told again; what helps only the inputs of the others goes by."""
MOST_BYTES = 200_000
"""Of one file of tests."""


def retell(
    tests: Mapping[str, bytes], fixed: Sequence[ExecutionTestResult], heard: Sequence[str] = (),
) -> list[Retold]:
    """The files of these tests with copies of them; the calls of Python files in ``heard`` are asked again."""
    wanted: dict[str, list[str]] = {}
    for test in fixed[:MOST_TESTS]:
        wanted.setdefault(path_of(test), []).append(title_of(test.id))
    found: list[Retold] = []
    for path, titles in list(wanted.items())[:MOST_FILES]:
        data = tests.get(path)
        if data is None or len(data) > MOST_BYTES:
            continue
        retold = retell_python(path, data, titles, heard) if path.endswith(".py") else (
            retell_script(path, data, titles) if SCRIPT.search(path) else None)
        found += [retold] if retold is not None else []
    return found


def path_of(test: ExecutionTestResult) -> str:
    """The file that a test stands in."""
    return test.path or test.id.partition("::")[0].partition(" > ")[0]


def title_of(name: str) -> str:
    """What a test is called in its file."""
    if " > " in name:
        return name.rpartition(" > ")[2].partition(" #")[0]
    return name.rpartition("::")[2].partition("[")[0].rpartition(".")[2]
