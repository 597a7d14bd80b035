"""Coverage of a project's tests where no report of it lies there: they are run in a sandbox, over a copy.

The figure is that of the first part that has one, the top before others; those of further parts are noted. Tests that
fail count with what they ran.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from windtunnel.analysis.coverage import coverage
from windtunnel.analysis.listing import Listing
from windtunnel.core.analysis import Analysis, Part
from windtunnel.core.errors import UsageError
from windtunnel.engine.workspaces.verbs import Workspaces

_SECONDS = 900.0
_DATA = "--data-file=/tmp/windtunnel-coverage"
_PYTHON = (f"python3 -m coverage run {_DATA} --source=. --omit='*/tests/*,tests/*,*/test_*.py,test_*.py' -m {{}}; "
           f"code=$?; python3 -m coverage json {_DATA} -q -o coverage.json; exit $code")


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How one kind of part tells what its tests ran."""

    ecosystem: str
    tests: str
    """Of which framework; empty for any."""
    command: str
    report: str


_WAYS = (
    Way(ecosystem="python", tests="pytest", command=_PYTHON.format("pytest -q -p no:cacheprovider"),
        report="coverage.json"),
    Way(ecosystem="python", tests="unittest", command=_PYTHON.format("unittest discover"), report="coverage.json"),
    Way(ecosystem="go", tests="", command="go test -coverprofile=cover.out ./...", report="cover.out"),
    Way(ecosystem="node", tests="jest", report="coverage/coverage-summary.json",
        command="npx --no-install jest --coverage --coverageReporters=json-summary"),
)


def with_coverage(
    workspaces: Workspaces, analysis: Analysis, *, tell: Callable[[str], None] | None = None,
) -> Analysis:
    """The same, with coverage where the tests could be run; else with a note that says why not."""
    wanted = [(part, way) for part in analysis.structure.parts if (way := _way(part)) is not None]
    if not wanted:
        return replace(analysis, notes=(*analysis.notes, "coverage: not known how to make it for any part"))
    notes: list[str] = []
    found: list[tuple[float, str]] = []
    with copied(workspaces, analysis.root, seconds=_SECONDS * len(wanted)) as name:
        for part, way in wanted:
            if tell is not None:
                tell(f"coverage: running the tests of {part.folder or part.name or 'the project'} in a sandbox")
            share, said = _measured(workspaces, name, part, way)
            where = f"made in a sandbox: {part.folder or '.'} ({way.tests or way.ecosystem})"
            found += [] if share is None else [(share, where)]
            notes += [f"coverage: {part.folder or '.'}: {said}"] if said else []
    if not found:
        return replace(analysis, notes=(*analysis.notes, *notes))
    notes += [f"coverage: {share:.1%}, {where}" for share, where in found[1:]]
    return replace(analysis, notes=(*analysis.notes, *notes),
                   metrics=replace(analysis.metrics, coverage=found[0][0], coverage_source=found[0][1]))


@contextlib.contextmanager
def copied(workspaces: Workspaces, root: str, *, seconds: float) -> Iterator[str]:
    """A workspace of the project for as long as this takes; where we are killed, it goes by itself."""
    made = workspaces.create(root, life_seconds=seconds + 600)
    try:
        yield made.id
    finally:
        workspaces.destroy(made.id)


def _way(part: Part) -> Way | None:
    return next((way for way in _WAYS if way.ecosystem == part.ecosystem
                 and (not way.tests or way.tests in part.tests)), None)


def _measured(workspaces: Workspaces, name: str, part: Part, way: Way) -> tuple[float | None, str]:
    """The share of lines, or why there is none."""
    result = workspaces.execute(name, way.command, folder=part.folder, timeout=_SECONDS)
    path = f"{part.folder}/{way.report}" if part.folder else way.report
    try:
        content = workspaces.read(name, path)
    except UsageError:
        return None, f"could not be made: {result.error_message or 'no report was written'}"[:300]
    share, _ = coverage(Listing((way.report,), lambda _: content), None)
    return share, "" if result.success else f"the tests did not pass: {result.error_message}"[:300]
