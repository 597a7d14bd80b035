"""Projects to try changes in, written when they are needed, and how much is measured with them."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.ground import FULL, Ground, plain_environment
from benchmarks.timing import NotRun
from windtunnel.checks.project import Folder
from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.languages.search import which

_FILES_EACH = 1000
_PART = '''\
"""One part of the product."""


def count(limit):
    """The sum of all numbers below the limit."""
    total = 0
    for number in range(limit):
        total += number
    return total
'''
_TESTS = """\
import pytest

from product.part_{part:02} import count


@pytest.mark.parametrize("more", range({tests}))
def test_the_sum_is_right(more):
    limit = {work} + more
    assert count(limit) == limit * (limit - 1) // 2
"""
_WRONG = "def half(number):\n    return number // 3\n"
_WRONG_TESTS = "from product.wrong import half\n\n\ndef test_half():\n    assert half(12) == 6\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much of the group is measured."""

    runs: int
    slow_runs: int
    """Of what takes seconds each."""
    parts: int
    """Files of tests in the busy suite."""
    many_files: int
    candidates: int
    cases: int | None
    """Of the corpus, of each sort; None for all."""
    faults: int
    """In each package."""
    real_packages: bool


_FULL = Size(runs=6, slow_runs=3, parts=16, many_files=100_000, candidates=16, cases=None, faults=4, real_packages=True)
_SMALL = Size(runs=1, slow_runs=1, parts=2, many_files=2000, candidates=4, cases=1, faults=1, real_packages=False)


def size_of(ground: Ground) -> Size:
    return _FULL if ground.scale == FULL else _SMALL


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """The shape of a project that is made up: files of tests, each for a part of the product of its own."""

    parts: int
    tests: int
    """In each file."""
    work: int
    """Rounds of a loop in each test; a hundred thousand take some milliseconds."""
    wrong: bool = False
    """Whether it has one more part, and one test that fails for it."""

    @property
    def count(self) -> int:
        """How many tests there are."""
        return self.parts * self.tests + self.wrong


QUICK = Suite(parts=4, tests=5, work=1000)


def busy(size: Size) -> Suite:
    """Some seconds of work in the tests; next to nothing where only a little is measured."""
    return Suite(parts=size.parts, tests=12, work=400_000 if size.parts > 2 else 1000)


def make_project(folder: Path, suite: Suite) -> Path:
    """A project as it lies on a developer's disk."""
    for name in ("product", "tests"):
        (folder / name).mkdir(parents=True)
    (folder / "pyproject.toml").write_text('[tool.pytest.ini_options]\npythonpath = ["."]\ntestpaths = ["tests"]\n')
    (folder / "product/__init__.py").touch()
    for part in range(suite.parts):
        (folder / path_of(part)).write_text(_PART)
        tests = _TESTS.format(part=part, tests=suite.tests, work=suite.work)
        (folder / f"tests/test_part_{part:02}.py").write_text(tests)
    if suite.wrong:
        (folder / "product/wrong.py").write_text(_WRONG)
        (folder / "tests/test_wrong.py").write_text(_WRONG_TESTS)
    return folder


def make_files(folder: Path, count: int) -> Path:
    """Many small files, a thousand in each folder."""
    for number in range(count):
        if number % _FILES_EACH == 0:
            (folder / f"{number // _FILES_EACH:03}").mkdir(parents=True)
        (folder / f"{number // _FILES_EACH:03}/{number % _FILES_EACH:03}.txt").write_bytes(b"%d\n" % number)
    return folder


def path_of(part: int) -> str:
    return f"product/part_{part:02}.py"


def neutral(part: int, *, word: str = "amount") -> ChangeSet:
    """Another name for a variable: every test ends as before, in the same time."""
    return _change(path_of(part), _PART.replace("total", word))


def breaking(part: int, *, by: int = 1) -> ChangeSet:
    """The tests of one part fail."""
    return _change(path_of(part), _PART.replace("return total", f"return total + {by}"))


def fixing() -> ChangeSet:
    """The test that fails passes; the file gets another length, so that no compiled one is taken for it."""
    return _change("product/wrong.py", _WRONG.replace("number // 3", "number - number // 2"))


def _change(path: str, text: str) -> ChangeSet:
    return ChangeSet(changes=(FileChange(path, "modify", text),))


def candidates(count: int, suite: Suite) -> dict[str, ChangeSet]:
    """Half of them good, the others break a part each; the last is the same as the first."""
    made = dict(_candidates(count - 1, suite))
    return {**made, "twin": made["good 0"]}


def _candidates(count: int, suite: Suite) -> Iterator[tuple[str, ChangeSet]]:
    for number in range(count):
        part, turn = number % suite.parts, number // suite.parts
        if number % 2:
            yield f"breaking {number}", breaking(part, by=turn + 1)
        else:
            yield f"good {number}", neutral(part, word=f"amount_{turn}")


def changed_copy(project: Path, changes: ChangeSet) -> Path:
    """The project with the change applied, beside it; times are kept, so that compiled files stay valid."""
    copy = project.with_name(f"{project.name}-changed")
    shutil.copytree(project, copy)
    for change in changes:
        (copy / change.relative_path).write_bytes(change.data)
    return copy


def pytest_of(project: Path) -> list[str]:
    """The bare test command for a project, run by the very interpreter that a trial would use."""
    folder = Folder(project, search=which)
    script = folder.which("pytest")
    python = script and folder.needs(script).interpreter
    if not python:
        raise NotRun("pytest is not installed")
    return [python, "-m", "pytest", "-q", str(project)]


def run_once(project: Path) -> None:
    """Leave the compiled files there that a developer's own runs leave."""
    subprocess.run(pytest_of(project), cwd=project, env=plain_environment(), capture_output=True, check=False)
