"""What a trial costs beside the bare test command, workspaces of any size, many candidates, cheats, faults found."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks import trial_corpus, trial_faults
from benchmarks.ground import Ground, checked, interpreter, settle
from benchmarks.rows import MILLISECONDS, Row, Target, timing_row
from benchmarks.timing import Contender, NotRun, Timing, interleaved, reason, timed
from benchmarks.trial_projects import (
    QUICK,
    Suite,
    busy,
    candidates,
    changed_copy,
    fixing,
    make_files,
    make_project,
    neutral,
    pytest_of,
    run_once,
    size_of,
)
from windtunnel.core.change import ChangeSet
from windtunnel.core.result import ExecutionResult
from windtunnel.core.trial import SandboxResult
from windtunnel.tunnel import Tunnel
from windtunnel.workspace.patch import write_patch
from windtunnel.workspace.tree import Tree

GROUP = trial_corpus.GROUP
_BARE = "pytest -q, change applied"
_FEW = 100
_CHECKS = {"test": "pytest -q", "build": "", "lint": ""}


def rows(ground: Ground) -> Iterator[Row]:
    """Each part by itself: one that breaks is a row, and the others are measured."""
    for name, part in _PARTS.items():
        if ground.trial_parts and name not in ground.trial_parts:
            continue
        try:
            yield from part(ground)
        except NotRun as missing:
            yield Row(group=GROUP, name=name, missing=str(missing))
        except Exception as error:  # noqa: BLE001 -- shown as a row, and in the exit code
            yield Row(group=GROUP, name=name, missing=f"failed: {reason(error)}", failed=True)


def overhead(ground: Ground) -> Iterator[Row]:
    """A trial and the test command alone, in turns; the unchanged project was tried before, so its results are kept."""
    size = size_of(ground)
    with ground.tunnel() as tunnel:
        yield from _beside_bare(ground, tunnel, "a quick suite", QUICK, neutral(0), runs=size.runs, command=True)
        yield from _beside_bare(ground, tunnel, "a busy suite", busy(size), neutral(0), runs=size.slow_runs)
        wrong = replace(QUICK, wrong=True)
        yield from _beside_bare(ground, tunnel, "a quick suite, one test fixed", wrong, fixing(), runs=size.runs,
                                hoped=False)


def _beside_bare(
    ground: Ground, tunnel: Tunnel, name: str, suite: Suite, changes: ChangeSet, *, runs: int, command: bool = False,
    hoped: bool = True,
) -> Iterator[Row]:
    project = make_project(ground.folder / f"project-{time.monotonic_ns()}", suite)
    run_once(project)
    copy = changed_copy(project, changes)
    contenders: dict[str, Contender] = {
        _BARE: _bare(ground, copy),
        "trial": lambda: timed(lambda: _good(tunnel.try_change(project, changes, **_CHECKS), suite)),
    }
    if command:
        contenders["command"] = _command(ground, project, changes)
    for once in contenders.values():
        once()  # keeps the results of the unchanged project, compiles what has to be compiled
    times = interleaved(contenders, runs=runs, rest=lambda: settle(tunnel))
    note = f"{suite.count} tests" + ("" if hoped else ", that one run again on both sides")
    yield _row(times, "trial", f"trial, {name}", note=note, hoped=hoped)
    if command:
        yield _row(times, "command", f"windtunnel try, {name}", note=f"{note}; a new process", hoped=False)


def _row(times: dict[str, Timing | NotRun], key: str, name: str, *, note: str, hoped: bool) -> Row:
    """At most fifteen hundredths of the bare command's time and a tenth of a second more than it."""
    row = timing_row(times, key, group=GROUP, name=name, bare=_BARE, beside=_BARE, of="difference", note=note)
    if row.value is None or row.other is None:
        return row
    target = Target(limit=round(0.15 * row.other + 100.0, 1)) if hoped else None
    return replace(row, target=target, note=f"{row.value / row.other:.2f} x; {note}")


def _bare(ground: Ground, project: Path) -> Contender:
    argv = pytest_of(project)

    def act() -> None:
        if " passed" not in ground.output(argv):
            raise RuntimeError("the bare test command passed nothing")
    return lambda: timed(act)


def _command(ground: Ground, project: Path, changes: ChangeSet) -> Contender:
    patch = ground.folder / "neutral.patch"
    patch.write_bytes(write_patch(changes, project=project))
    script = Path(interpreter()).with_name("windtunnel")
    windtunnel = [str(script)] if script.exists() else [interpreter(), "-m", "windtunnel"]
    argv = [*windtunnel, "try", str(patch), "--project", str(project), "--test", "pytest -q", "--no-build", "--no-lint"]

    def act() -> None:
        if "GOOD" not in ground.output(argv, environment=ground.environment()):
            raise RuntimeError("the command says nothing of a good change")
    return lambda: timed(act)


def _good(result: SandboxResult, suite: Suite) -> SandboxResult:
    ran = sum(test.status.ran for test in result.test_results)
    if not result.success or ran != suite.count:
        raise RuntimeError(f"{result.verdict}, {ran} of {suite.count} tests: {'; '.join(result.reasons)}")
    return result


def workspaces(ground: Ground) -> Iterator[Row]:
    """The same trivial program over few files and over many; then the hash by which results are kept."""
    many = size_of(ground).many_files
    projects = {count: make_files(ground.folder / f"files-{count}", count) for count in (_FEW, many)}
    with ground.tunnel() as tunnel:
        whole: dict[int, list[float]] = {_FEW: [], many: []}
        contenders = {str(count): _first_instruction(tunnel, project, whole[count])
                      for count, project in projects.items()}
        for once in contenders.values():
            once()
        for taken in whole.values():
            taken.clear()
        times = interleaved(contenders, runs=4 * size_of(ground).runs, rest=lambda: settle(tunnel))
    yield timing_row(times, str(many), group=GROUP, name=f"workspace of {many} files, to the first instruction",
                     bare=str(_FEW), beside=f"{_FEW} files", target=Target(limit=2.0))
    if all(whole.values()):
        yield Row(group=GROUP, name=f"workspace of {many} files, to the result",
                  value=statistics.median(whole[many]) * MILLISECONDS, beside=f"{_FEW} files",
                  other=statistics.median(whole[_FEW]) * MILLISECONDS, note="with the report of what changed")
    yield _hashing(ground, projects[many], many)
    yield _among(ground, projects)


def _first_instruction(tunnel: Tunnel, project: Path, whole: list[float]) -> Contender:
    """By the clock of the program itself, read before anything else."""
    def contend() -> float:
        results: list[ExecutionResult] = []
        ordered = time.time()
        whole.append(timed(lambda: results.append(
            tunnel.run("echo $EPOCHREALTIME", "bash", workspace=str(project), warm=False))))
        return float(checked(results[0], results[0].stdout).stdout) - ordered
    return contend


def _hashing(ground: Ground, project: Path, count: int) -> Row:
    index = ground.folder / "tree.json"
    first = timed(Tree(project, index=index).digest)
    again = statistics.median(timed(Tree(project, index=index).digest) for _ in range(3))
    return Row(group=GROUP, name=f"hash of {count} files, once known", value=again * MILLISECONDS,
               beside="for the first time", other=first * MILLISECONDS)


def _among(ground: Ground, projects: dict[int, Path]) -> Row:
    """A whole trial looks at the size and times of every file, to know whether the kept results are still those."""
    few, many = (make_project(project, QUICK) for project in projects.values())
    with ground.tunnel() as tunnel:
        contenders: dict[str, Contender] = {
            name: lambda project=project: timed(  # type: ignore[misc]
                lambda: _good(tunnel.try_change(project, neutral(0), **_CHECKS), QUICK))
            for name, project in (("few", few), ("many", many))}
        for once in contenders.values():
            once()
        times = interleaved(contenders, runs=size_of(ground).slow_runs, rest=lambda: settle(tunnel))
    return timing_row(times, "many", group=GROUP, name=f"trial, a quick suite among {max(projects)} files", bare="few",
                      beside=f"among {min(projects)} files")


def tournaments(ground: Ground) -> Iterator[Row]:
    """All candidates at once and one after another, in turns, from the same kept results of the unchanged project."""
    size = size_of(ground)
    suite = Suite(parts=size.parts // 2, tests=8, work=200_000 if size.parts > 2 else 1000)
    project = make_project(ground.folder / "candidates", suite)
    run_once(project)
    given = candidates(size.candidates, suite)
    with ground.tunnel() as tunnel:
        _good(tunnel.try_change(project, neutral(0), **_CHECKS), suite)
        contenders: dict[str, Contender] = {
            "one by one": lambda: timed(lambda: _judged(
                given, {name: tunnel.try_change(project, changes, **_CHECKS) for name, changes in given.items()})),
            "ranked": lambda: timed(lambda: _judged(
                given, {each.name: each.result for each in tunnel.rank(project, given, **_CHECKS)})),
        }
        times = interleaved(contenders, runs=min(2, size.slow_runs), rest=lambda: settle(tunnel))
    good = sum(name.startswith("good") for name in given)
    yield timing_row(
        times, "ranked", group=GROUP, name=f"tournament of {len(given)} candidates", bare="one by one",
        beside="one trial after another", target=Target(limit=0.6),
        note=f"{good} good, {len(given) - good - 1} break a test, 1 the same as another; {suite.count} tests; "
             f"{os.cpu_count()} cores")


def _judged(given: dict[str, ChangeSet], results: dict[str, SandboxResult | None]) -> None:
    """Every verdict is as the candidates were made."""
    for name in given:
        result = results.get(name)
        if result is None or result.success is name.startswith("breaking"):
            raise RuntimeError(f"candidate {name}: {result and result.verdict}")


_PARTS: dict[str, Callable[[Ground], Iterator[Row]]] = {
    "overhead of a trial": overhead, "workspaces": workspaces, "tournament": tournaments,
    "corpus of cheats": trial_corpus.rows, "faults in real packages": trial_faults.rows,
}
PARTS = tuple(_PARTS)
