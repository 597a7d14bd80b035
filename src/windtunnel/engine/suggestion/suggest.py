"""A test that would notice, for mutants that nobody noticed: found in a sandbox, made of texts, tried, then shown.

What holds: the project's code runs in sandboxes alone; what comes back from there is read as text, and only expressions
that call the product, the test file's own functions and harmless builtins come into a test; a test is given only after
it passed three times on the code as it is (alone, after the others and before them, in two interpreters that order sets
differently) and failed twice with each mutant that it is for. What does not hold: it fixes what the code does now,
right or wrong; and where no test is found, the mutant may be equivalent or the search too short.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.core.errors import UsageError
from windtunnel.core.mutation import Fate, Judged, Mutant, MutationResult, State
from windtunnel.core.ports import Rig
from windtunnel.core.suggestion import Suggestion, Suggestions, Unsuggested
from windtunnel.core.testfile import is_test
from windtunnel.engine.suggestion.drafts import Reading, drafts_of, told_of
from windtunnel.engine.suggestion.proof import proven
from windtunnel.engine.suggestion.run import Stage, find, made_stage
from windtunnel.mutation.suggest_place import Sheet
from windtunnel.mutation.suggest_targets import Target, new_file, targets_of
from windtunnel.mutation.suggest_text import Draft, written
from windtunnel.mutation.suggest_words import surroundings
from windtunnel.workspace.patch_text import write_patch

if TYPE_CHECKING:
    from windtunnel.engine.mutation import Mutation

_MISSED = (Fate.SURVIVED, Fate.UNTESTED)
_NO_TURN = "its turn did not come"
_UNREADABLE = "the test file that reaches it is not text of Python in UTF-8"


def suggest(rig: Rig, mutation: Mutation, result: MutationResult) -> Suggestions:
    """Tests for what survived in Python code; ``mutation.suggest`` seconds are for each of its three steps."""
    begun = time.monotonic()
    judged = [one for one in result.judged if one.mutant.path.endswith(".py")]
    if result.state is not State.JUDGED or not any(one.fate in _MISSED for one in judged):
        return Suggestions()
    try:
        stage = made_stage(rig, mutation, sorted({one.mutant.path for one in judged}))
    except UsageError as error:  # something else than pytest judged them
        return Suggestions(without=_without(judged, (), (), {one.mutant.id: str(error) for one in judged}))
    targets, none = targets_of(judged, stage.sources, is_test=is_test)
    mutants = [one.mutant for target in targets for one in target.mutants]
    report = find(rig, stage, targets, mutants)
    sheets = _sheets(stage, targets, report, none)
    kept = proven(rig, stage, sheets, mutants, none)
    found = report.get("found")
    return Suggestions(
        tests=tuple(_suggestions(kept, mutants)), without=_without(judged, kept, mutants, none),
        diff=_diff(stage, kept),
        tries=sum(told_of(found, number).get("tries", 0) for number in range(len(targets))),
        seconds=time.monotonic() - begun)


def _sheets(stage: Stage, targets: Sequence[Target], report: Mapping[str, Any], none: dict[str, str]) -> list[Sheet]:
    """Test files with what was found; why nothing was goes to ``none``."""
    drafts: dict[str, list[Draft]] = {}
    sources: dict[str, bytes | None] = {}
    first = 0
    for number, target in enumerate(targets):
        numbers = range(first, first := first + len(target.mutants))
        told = told_of(report.get("found"), number)
        path = target.file or new_file(target.path, taken=stage.has, folder=stage.test_folder)
        sources[path] = stage.read(path)
        around = surroundings(sources[path] or b"", stage.roots)
        usual = _UNREADABLE if around is None else str(report.get("broken", told.get("failed", _NO_TURN)))[:300]
        _explain(target, numbers, told.get("none"), usual=usual, none=none)
        if around is not None:
            reading = Reading(around=around, roots=stage.roots, numbers=numbers, function=target.owner.function)
            drafts.setdefault(path, []).extend(drafts_of(told, reading))
    return [_sheet(path, sources[path], ones, stage) for path, ones in drafts.items() if ones]


def _sheet(path: str, source: bytes | None, drafts: Sequence[Draft], stage: Stage) -> Sheet:
    around, text = surroundings(source or b"", stage.roots), source or b""
    tests = written(drafts, around.taken if around is not None else (), double=text.count(b'"') >= text.count(b"'"))
    return Sheet(path=path, source=source, tests=tuple(tests))


def _explain(target: Target, numbers: range, told: object, *, usual: str, none: dict[str, str]) -> None:
    reasons = told if isinstance(told, dict) else {}
    for number, one in zip(numbers, target.mutants, strict=True):
        reason = reasons.get(str(number))
        known = reason[:300] if isinstance(reason, str) else ""
        none[one.mutant.id] = known or (usual if target.tests else "no test calls it")


def _suggestions(kept: Iterable[Sheet], mutants: Sequence[Mutant]) -> Iterable[Suggestion]:
    for sheet in kept:
        for test in sheet.tests:
            own = [mutants[number] for number in test.kills]
            yield Suggestion(
                name=test.name, path=sheet.path, new_file=sheet.source is None, code=test.code, source=own[0].path,
                imports=_new_imports(sheet, test.imports), function=test.function, kills=tuple(one.id for one in own))


def _new_imports(sheet: Sheet, imports: Iterable[str]) -> tuple[str, ...]:
    there = set((sheet.source or b"").decode("utf-8-sig", "replace").splitlines())
    return tuple(line for line in imports if line not in there)


def _without(
    judged: Iterable[Judged], kept: Iterable[Sheet], mutants: Sequence[Mutant], none: Mapping[str, str],
) -> tuple[Unsuggested, ...]:
    noticed = {mutants[number].id for sheet in kept for test in sheet.tests for number in test.kills}
    return tuple(Unsuggested(mutant=one.mutant.id, reason=none.get(one.mutant.id, _NO_TURN)) for one in judged
                 if one.fate in _MISSED and one.mutant.id not in noticed)


def _diff(stage: Stage, kept: Sequence[Sheet]) -> str:
    """Of the project as it is on disk."""
    changes = [FileChange(sheet.path, "create" if sheet.source is None else "modify", sheet.content) for sheet in kept]
    written_down = write_patch(ChangeSet(changes=tuple(changes)), project=Path(stage.ground.project))
    return written_down.decode("utf-8", "replace")
