"""Rows about changes to projects: try, apply, take back, rank, judge by mutants."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.core.errors import UsageError
from windtunnel.core.trial import SandboxResult
from windtunnel.tools.row import Context, Given, OnProject, Told, Tool
from windtunnel.tools.shaping import lines

_MOST_PATCH = 4_000_000
_COMMAND = Field(default=None, max_length=2000, description="Own command; leave out to have it found.")


class OneChange(Given):
    """One file as it should become."""

    path: str = Field(max_length=4096, description="Relative to the project.")
    operation: Literal["create", "modify", "delete"]
    content: str | None = Field(default=None, max_length=_MOST_PATCH, description="The whole new content.")


class Changed(Given):
    """A change, as a patch or file by file."""

    patch: str = Field(default="", max_length=_MOST_PATCH, description="Unified diff, as git diff writes it.")
    changes: list[OneChange] = Field(default_factory=list, max_length=2000,
                                     description="Files by their new contents, in place of a patch.")


class TryChanges(OnProject, Changed):
    """A change, and how it is judged."""

    build: str | None = _COMMAND
    lint: str | None = _COMMAND
    test: str | None = _COMMAND
    pattern: str | None = Field(default=None, max_length=500, description="Only tests that match.")
    only_affected: bool = False
    expected_tests: list[str] = Field(default_factory=list, max_length=200, description="Test files that the change "
                                      "is meant to edit.")
    gate: bool = Field(default=False, description="Also ask whether the tests would have noticed the change.")


class Candidate(Changed):
    """One of several."""

    name: str = Field(max_length=200)


class RankChanges(OnProject):
    """Several changes to one project."""

    candidates: list[Candidate] = Field(min_length=1, max_length=50)
    test: str | None = _COMMAND


class GateChanges(OnProject, Changed):
    """A change whose tests are to be judged."""

    test: str | None = _COMMAND
    seconds: float = Field(default=300.0, gt=0, le=3600)


class UndoChanges(Given):
    """What was applied last, or the entry named."""

    project: str = Field(max_length=4096)
    entry: str | None = Field(default=None, max_length=200, description="As apply_changes gave it.")
    force: bool = Field(default=False, description="Also where files have changed since; they are kept aside.")


class Found(BaseModel):
    """One thing to look at."""

    what: str
    where: str = ""


class Tried(Told):
    """The verdict on a change."""

    verdict: str = Field(description="good or not good.")
    reasons: list[str] = Field(description="Why.")
    fixed: list[str] = Field(description="Tests that failed before and pass now.")
    broken: list[str]
    still_failing: list[str]
    new_failing: list[str]
    vanished: list[str]
    findings: list[Found] = Field(description="New findings of linters and compilers.")
    tampering: list[Found] = Field(description="Where the change reaches for the verdict instead of the problem.")
    failures: list[Found] = Field(description="What failing tests said.")
    output: str = Field(default="", description="Of what failed, the end.")
    trial: str = Field(description="Its id; get_receipt gives its signed statement.")
    applied: str = Field(default="", description="The entry of the journal, by which undo_changes takes it back.")
    seconds: float


class Place(BaseModel):
    """One candidate's place."""

    place: int
    name: str
    verdict: str = ""
    reasons: list[str] = Field(default_factory=list)
    same_as: str | None = None
    error: str | None = None


class RankedChanges(Told):
    """Best first."""

    ranking: list[Place]


class Gated(Told):
    """Whether the tests would have noticed."""

    verdict: str
    reasons: list[str]
    score: float | None = Field(default=None, description="Share of the seeded defects in changed lines that tests "
                                "noticed.")
    survivors: list[Found] = Field(description="Defects that no test noticed.")
    hollow: bool = Field(default=False, description="Whether no test fails without the change.")
    seconds: float


class Undone(Told):
    """What was taken back."""

    entry: str
    paths: list[str]


def changes_of(given: Changed, project: Path) -> ChangeSet:
    """What was given, as one change."""
    if bool(given.patch) == bool(given.changes):
        raise UsageError("patch: give either a patch or changes", field="patch")
    if not given.patch:
        return ChangeSet(changes=tuple(FileChange(one.path, one.operation, one.content) for one in given.changes))
    from windtunnel.workspace.patch import read_patch  # noqa: PLC0415 -- who only runs programs does not load it

    return read_patch(given.patch, project=project)


def teller(context: Context) -> Callable[[Any], None]:
    """What goes on in a trial, for whoever waits."""
    return lambda event: context.tell(f"{event.side} {event.kind} {event.text} {event.status}".strip(), None)


def _trial(context: Context, given: TryChanges, project: Path) -> SandboxResult:
    options = {name: getattr(given, name) for name in ("build", "lint", "test", "pattern", "only_affected", "gate")}
    result = context.within(project).try_change(
        project, changes_of(given, project), expected_tests=tuple(given.expected_tests), tell=teller(context),
        **options)
    _keep_receipt(context, result)
    return result


def _keep_receipt(context: Context, result: SandboxResult) -> None:
    if context.papers is None:
        return
    from windtunnel.engine.audit import trail_in  # noqa: PLC0415 -- only servers keep them
    from windtunnel.engine.receipt import sign_receipt  # noqa: PLC0415

    settings = context.tunnel.settings
    key = trail_in(settings.state_dir, settings.audit_store).keys.current()
    context.papers.keep(context.caller.user, kind="receipt", name=result.id, text=sign_receipt(result, key))


def tried(result: SandboxResult, *, next_: str, applied: str = "") -> Tried:
    """A verdict as a model reads it."""
    bad = [test for test in result.test_results if test.status.bad]
    failed = next((report for report in result.reports if not report.success), None)
    word = "good" if result.success else "not good"
    delta: dict[str, Any] = {name: list(getattr(result.delta, name)[:50]) for name in (
        "fixed", "broken", "still_failing", "new_failing", "vanished")}
    return Tried(
        reason=f"The change is {word}: {'; '.join(result.reasons[:3]) or 'nothing got worse'}"[:2000], next=next_,
        verdict=str(result.verdict), reasons=[one[:500] for one in result.reasons[:30]],
        **delta,
        findings=[Found(what=f"{one.tool} {one.rule}: {one.message}"[:400], where=f"{one.path}:{one.line}")
                  for one in result.new_findings[:30]],
        tampering=[Found(what=f"{one.rule}: {one.message}"[:400], where=f"{one.path or ''}:{one.line or ''}")
                   for one in result.tamper[:20]],
        failures=[Found(what=lines(test.message, most=800), where=test.id) for test in bad[:10]],
        output="" if failed is None or bad else lines((failed.stdout + failed.stderr)[-8000:], most=3000),
        trial=result.id, applied=applied, seconds=round(result.execution_time, 3))


def _try(context: Context, given: TryChanges) -> Tried:
    result = _trial(context, given, context.project(given))
    return tried(result, next_="Call apply_changes with the same arguments to write it into the project."
                 if result.success else "Read reasons and failures, correct the change, and try it again.")


def _apply(context: Context, given: TryChanges) -> Tried:
    project = context.project(given)
    result = _trial(context, given, project)
    if not result.success:
        return tried(result, next_="Nothing was written. Correct the change and call again.")
    if given.workspace_id:
        before = context.tunnel.workspaces.apply(given.workspace_id, result.changes, seen=result.seen).name
        return tried(result, applied=before, next_=f"It is written into the workspace. restore_workspace with snapshot "
                     f"{before} takes it back.")
    entry = context.within(project).apply(project, result)
    return tried(result, applied=entry, next_=f"It is written into the project. undo_changes with entry {entry} takes "
                 "it back.")


def _rank(context: Context, given: RankChanges) -> RankedChanges:
    project = context.project(given)
    candidates = {one.name: changes_of(one, project) for one in given.candidates}
    if len(candidates) != len(given.candidates):
        raise UsageError("candidates: two have the same name", field="candidates")
    ranked = context.within(project).rank(project, candidates, test=given.test, tell=teller(context))
    best = ranked[0]
    good = best.result is not None and best.result.success
    return RankedChanges(
        reason=f"{best.name} is the best of {len(ranked)}" + ("." if good else ", and it is not good either."),
        next=f"Apply {best.name} with apply_changes." if good else "Correct the best one, and try it.",
        ranking=[Place(place=one.place, name=one.name, same_as=one.same_as, error=one.error,
                       verdict=str(one.result.verdict) if one.result else "",
                       reasons=[each[:300] for each in one.result.reasons[:5]] if one.result else [])
                 for one in ranked])


def _gate(context: Context, given: GateChanges) -> Gated:
    project = context.project(given)
    result = context.within(project).gate(
        project, changes_of(given, project), test=given.test, seconds=given.seconds,
        tell=lambda done, all_, _: context.tell(f"{done} of {all_} defects judged", done / all_ if all_ else None))
    return Gated(
        reason=f"The tests are {result.verdict} for it: {'; '.join(result.reasons[:2]) or result.state}"[:1500],
        next="The tests would notice if it broke." if result.success
        else "Write a test that fails for each survivor, or without the change.",
        verdict=str(result.verdict), reasons=[one[:500] for one in result.reasons[:20]], score=result.score,
        survivors=[Found(what=f"{one.description}: {one.diff}"[:600], where=f"{one.path}:{one.line}")
                   for one in result.survivors[:20]],
        hollow=bool(result.hollow), seconds=round(result.execution_time, 3))


def _undo(context: Context, given: UndoChanges) -> Undone:
    named = OnProject(project=given.project)
    project = context.project(named)
    entry = context.within(project).undo(project, given.entry, force=given.force)
    return Undone(reason=f"{len(entry.files)} files are as they were before {entry.id}.", next="", entry=entry.id,
                  paths=list(entry.paths[:200]))


ROWS = (
    Tool(name="try_changes", title="Try a change", permission="try_changes", given=TryChanges, told=Tried, act=_try,
         long=True,
         description="Tries a change to a project in a sandbox without touching the project: runs build, lint and "
         "tests before and after, and says whether it is good, which tests it fixes or breaks, and whether it tampers "
         "with them. Use it before apply_changes, for every change."),
    Tool(name="apply_changes", title="Apply a change", permission="apply_changes", given=TryChanges, told=Tried,
         act=_apply, long=True, destructive=True,
         description="Tries a change and writes it into the project only if it is good and its files are still as the "
         "trial saw them. Returns the entry by which undo_changes takes it back."),
    Tool(name="undo_changes", title="Take back a change", permission="apply_changes", given=UndoChanges, told=Undone,
         act=_undo, destructive=True,
         description="Takes back what apply_changes wrote last into a project, or the entry named, bytes and modes."),
    Tool(name="rank_changes", title="Rank changes", permission="try_changes", given=RankChanges, told=RankedChanges,
         act=_rank, long=True,
         description="Tries several candidate changes from one baseline and ranks them, best first. Use it when there "
         "is more than one idea."),
    Tool(name="gate_changes", title="Judge a change's tests", permission="try_changes", given=GateChanges, told=Gated,
         act=_gate, long=True,
         description="Whether the tests would have noticed a change to Python code: seeds defects into the changed "
         "lines, puts parts of the change back, and says what no test noticed. Use it on a change that is good, before "
         "trusting it."),
)
