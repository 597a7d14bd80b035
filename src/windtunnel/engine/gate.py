"""Would the tests have noticed this change? Its lines are mutated and put back, each judged by the tests that run it.

What holds: the project on disk is never touched; only lines that the change adds or modifies in the product's code
are mutated, as they are after the change, with the tests that the change brings; what is not judged is never good.
What does not hold: a change that looks for the judge and acts differently before it is the tamper gate's affair, which
``windtunnel try`` asks; files in languages that no test command of the project judges stay as the change has them.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from windtunnel.checks.discover import discover
from windtunnel.checks.project import Folder
from windtunnel.checks.words import assignments, started
from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.core.errors import UsageError
from windtunnel.core.gate import GateResult, GateState, Revert, Thresholds, Verdicts
from windtunnel.core.limits import Limits
from windtunnel.core.mutation import Fate, Judged, Memory, MutationResult, State
from windtunnel.core.ports import Rig
from windtunnel.core.testfile import is_test
from windtunnel.core.trial import Checks, Kind
from windtunnel.engine import exemptions, gate_memory
from windtunnel.engine.doubted import doubted
from windtunnel.engine.foreign.gating import Others, Whole, exempting, others
from windtunnel.engine.gate_verdict import Evidence, nothing, weighed
from windtunnel.engine.mutation import Mutation, is_product, mutate
from windtunnel.engine.premises import check_project, check_seconds, overlay_of
from windtunnel.engine.reverts import OPERATOR, ChangedFile, Reverting
from windtunnel.engine.without import without
from windtunnel.languages.search import which
from windtunnel.workspace.changes import check_changes

_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]*\.py")
_STATES = {
    State.NO_MUTANTS: GateState.NO_MUTANTS, State.NO_TESTS: GateState.NO_TESTS,
    State.NO_TEST_PASSES: GateState.NO_TEST_PASSES, State.NOT_NOTICED: GateState.NOT_NOTICED,
    State.NONE_COUNTS: GateState.NONE_COUNTS, State.BROKEN: GateState.BROKEN}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """A change to judge, and how."""

    project: str | os.PathLike[str]
    changes: ChangeSet | Sequence[FileChange]
    thresholds: Thresholds | None = None
    """None for those of the configuration, or the usual ones; never looser than those of the configuration."""
    test: str | Sequence[str] | None = None
    """The pytest command; None finds it."""
    files: Sequence[str] = ()
    """Only these files of tests are collected, where the command names none itself; all where it is empty."""
    seconds: float = 300.0
    """Of the clock; what had no turn by then is not judged, and never counts for the change."""
    sample: int = 2
    """How many fates found in memory are found again in processes that load the mutant."""
    jobs: int | None = None
    limits: Limits | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    memory: Memory | None = None
    """Where fates are kept between runs."""
    verdicts: Verdicts | None = None
    """Where verdicts are kept between runs."""
    tell: Callable[[int, int, Judged], None] | None = None
    alternatives: Sequence[ChangeSet | Sequence[FileChange]] = ()
    """Other patches for the same fault; those that pass the tests are compared with the change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Changed:
    """What a change does to the product's own code."""

    files: Mapping[str, ChangedFile]
    others: Others
    """Those of other languages than Python."""
    deleted: tuple[str, ...]
    refused: tuple[str, ...]
    """Why files cannot be judged."""

    @property
    def lines(self) -> dict[str, frozenset[int]]:
        return {path: file.lines for path, file in self.files.items()}

    @property
    def python(self) -> dict[str, ChangedFile]:
        return {path: file for path, file in self.files.items() if path.endswith(".py")}

    @property
    def reverts(self) -> list[Reverting]:
        return [each for file in self.files.values() for each in file.reverts()]


def gate(rig: Rig, asked: Gate) -> GateResult:
    """The verdict on one change."""
    begun = time.monotonic()
    check_seconds(asked.seconds)
    project = check_project(asked.project, private=rig.private)
    changes = check_changes(asked.changes, project=Path(project))
    folder = Folder(project, search=which)
    key = _key(rig, asked, changes, folder)
    result = gate_memory.kept(asked, project, key)
    if result is None:
        result = _judged(rig, asked, changes, folder)
        gate_memory.keep(asked, project, key, result=result)
    return replace(result, execution_time=time.monotonic() - begun, notes=(*changes.notes, *result.notes))


def _key(rig: Rig, asked: Gate, changes: ChangeSet, folder: Folder) -> str:
    if asked.verdicts is None:
        return ""
    return gate_memory.key_of(rig, asked, changes, folder=folder, thresholds=thresholds(rig, asked.thresholds))


def thresholds(rig: Rig, asked: Thresholds | None) -> Thresholds:
    """What counts."""
    return asked.strictest(rig.gate) if asked is not None else rig.gate or Thresholds()


def _judged(rig: Rig, asked: Gate, changes: ChangeSet, folder: Folder) -> GateResult:
    changed, least = _changed(changes, folder, others(folder, asked.test)), thresholds(rig, asked.thresholds)
    state = _state_of(changes, changed)
    if state is not None:
        return nothing(state, thresholds=least, notes=changed.refused)
    put_back = changed.reverts
    try:
        test = asked.test if len(changed.python) < len(changed.files) else narrowed(asked, folder)
        told = mutate(rig, _mutation(replace(asked, test=test, thresholds=least), changes, changed, put_back))
    except UsageError as error:
        if error.field != "test":
            raise
        return nothing(GateState.NO_TESTS, thresholds=least, notes=(str(error),))
    if told.state in (State.NO_TESTS, State.NO_TEST_PASSES, State.NOT_NOTICED, State.BROKEN):
        return nothing(_STATES[told.state], thresholds=least, notes=told.notes, told=told)
    reverts = _reverts(told, put_back)
    whole = _whole(rig, asked, changes, changed, told=told, reverts=reverts)
    result = weighed(Evidence(
        told=told, reverts=reverts, whole=whole, sources={path: file.after for path, file in changed.files.items()},
        lines=changed.lines, only_deletes=not any(changed.lines.values())), least)
    result = replace(result, exempting=(
        *exemptions.told(changed.python.values()), *exempting(list(changed.files.values()))))
    if not changed.python:
        return result  # alternatives are made of Python alone
    return doubted(rig, asked, changes, result=result, files=changed.python.values(), test=narrowed(asked, folder))


def narrowed(asked: Gate, folder: Folder) -> str | Sequence[str] | None:
    """The command for the files that were asked for, from where all would be collected; as it is where that differs."""
    checks = discover(folder, build="", lint="", test=asked.test) if asked.files else Checks()
    check = next((check for check in checks.of(Kind.TEST) if check.tool == "pytest"), None)
    bare = check is not None and all(word.startswith("-") for word in started(assignments(check.argv)[1])[1:])
    if check is None or not bare or not all(map(_PLAIN.fullmatch, asked.files)):
        return asked.test
    return *check.argv, "--rootdir=.", *asked.files


def _changed(changes: ChangeSet, folder: Folder, others: Others) -> _Changed:
    files: dict[str, ChangedFile] = {}
    refused: list[str] = []
    for change in changes:
        path = change.relative_path
        if (is_product(path) or others.is_product(path)) and change.operation != "delete":
            before = folder.read(path) if change.operation == "modify" else None
            try:
                files[path] = (ChangedFile if is_product(path) else others.changed)(path, before, change.data)
            except (UsageError, SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as error:
                refused.append(f"{path}: {str(error)[:300]}")
    deleted = tuple(each.relative_path for each in changes if each.operation == "delete"
                    and (is_product(each.relative_path) or others.is_product(each.relative_path)))
    return _Changed(files={path: file for path, file in files.items() if file.runs}, deleted=deleted, others=others,
                    refused=tuple(refused))


def _state_of(changes: ChangeSet, changed: _Changed) -> GateState | None:
    """Why nothing can be judged, if so."""
    if changed.refused:
        return GateState.NOT_COMPILED
    if changed.files or changed.deleted:
        return None
    if not changes.paths:
        return GateState.NOTHING_CHANGED
    if any(map(is_product, changes.paths)) or any(map(changed.others.is_product, changes.paths)):
        return GateState.NOTHING_RUNS
    return GateState.TESTS_ONLY if all(map(is_test, changes.paths)) else GateState.NOT_PYTHON


def _mutation(asked: Gate, changes: ChangeSet, changed: _Changed, put_back: Sequence[Reverting]) -> Mutation:
    # A file whose lines are only deleted still has parts to put back, so it must be among those that are asked for.
    lines = {path: lines or frozenset({0}) for path, lines in changed.lines.items()}
    least = asked.thresholds or Thresholds()
    # Where all of it is put back by a run of all tests, that run must know which of them fail anyway.
    single = len(changed.files) == 1 and not changed.deleted
    return Mutation(
        project=asked.project, lines=lines, extra=[each.mutant for each in put_back], test=asked.test,
        distrusted={path: exemptions.distrusted(file) if path.endswith(".py") else file.lines
                    for path, file in changed.files.items()},
        overlay=overlay_of(changes), seconds=asked.seconds, sample=asked.sample, jobs=asked.jobs, limits=asked.limits,
        env=asked.env, memory=asked.memory, tell=asked.tell, narrow=True,
        enough=(least.least, least.most_survivors) if single else None)


def _reverts(told: MutationResult, put_back: Sequence[Reverting]) -> tuple[Revert, ...]:
    fates = {one.mutant.id: one for one in told.judged if one.mutant.operator == OPERATOR}
    found = []
    for each in put_back:
        one = fates.get(each.mutant.id)
        fate = one.fate if one is not None else Fate.NOT_JUDGED
        found.append(Revert(part=each.part, path=each.mutant.path, line=each.line, end_line=each.end_line, fate=fate,
                            by=one.by if one is not None else "", diff=each.diff))
    return tuple(found)


def _whole(
    rig: Rig, asked: Gate, changes: ChangeSet, changed: _Changed, *, told: MutationResult, reverts: Sequence[Revert],
) -> Revert:
    """All of the product code as it was: of one file it is judged already, else the tests run once without it."""
    if len(changed.files) == 1 and not changed.deleted:
        single = len(next(iter(changed.files.values())).blocks) == 1
        first = next((each for each in reverts if each.part == ("hunk" if single else "file")), None)
        if first is not None and (changed.python or first.fate is not Fate.FAILED):
            return replace(first, part="change")
    if any(map(changed.others.is_product, changes.paths)):
        python = any(map(is_product, changes.paths))
        fate, by = Whole(
            rig=rig, asked=asked, mutation=_mutation(asked, changes, changed, ()), changes=changes, files=changed.files,
            told=told, others=changed.others,
        ).without((lambda rest: without(rig, asked, rest, told=told)) if python else None)
    else:
        fate, by = without(rig, asked, changes, told=told)
    return Revert(part="change", path="", line=0, end_line=0, fate=fate, by=by)
