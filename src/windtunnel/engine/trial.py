"""Try a change before it is applied: the verb, on one screen.

What holds: the project on disk is never touched; the verdict rests on the project's own tests and runner
configuration laid over the change, compared test by test with the unchanged project; the limits hold for all commands
that judge a change together (see ``budget``). What does not hold: code under test shares a process with its tests, so
code that looks honest and knows how to bend its runner from inside can still lie; see ``windtunnel.tamper`` for what is
looked for.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from windtunnel.checks.delta import new_findings
from windtunnel.checks.discover import discover
from windtunnel.checks.project import Folder
from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.core.errors import UsageError
from windtunnel.core.gate import Thresholds
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Rig
from windtunnel.core.result import Reason
from windtunnel.core.tampering import Tampering
from windtunnel.core.trial import CheckReport, Checks, Delta, Kind, LintResult, SandboxResult
from windtunnel.engine import delta as deltas
from windtunnel.engine.affected import affected, importers
from windtunnel.engine.baseline import baseline, key_of, surroundings
from windtunnel.engine.bending import Bending, bending
from windtunnel.engine.budget import SHARED, Budget, usual_budget
from windtunnel.engine.checking import Overlay
from windtunnel.engine.course import Course, Event, Order, crew
from windtunnel.engine.gated import gated
from windtunnel.engine.ground import make_ground
from windtunnel.engine.premises import check_project, overlay_of, trial_limits
from windtunnel.engine.secrets import Mask
from windtunnel.engine.special import Retelling, retold
from windtunnel.engine.traces import traces
from windtunnel.engine.verdict import judge
from windtunnel.engine.wishes import check_trial, environments, networks, secrets_of
from windtunnel.languages.search import which
from windtunnel.tamper import is_test, pristine
from windtunnel.workspace.changes import check_changes
from windtunnel.workspace.tree import Tree

_TEST_SUFFIXES = (".py", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx")
_DATA_SUFFIXES = (".csv", ".tsv", ".json", ".txt", ".html", ".md", ".xml", ".golden", ".expected", ".out")
_KNOWING = (*_TEST_SUFFIXES, *_DATA_SUFFIXES, ".rst", ".toml", ".cfg", ".ini", ".yml", ".yaml", ".sql", ".jinja", ".j2")
_MOST_SEARCHED = 8_000_000
"""Bytes of a project that are searched for a value."""
_MOST_TESTS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A change to try, and how."""

    project: str | os.PathLike[str]
    changes: ChangeSet | Sequence[FileChange]
    build: str | None = None
    """Own command; None finds one, an empty one means none."""
    lint: str | None = None
    test: str | None = None
    limits: Limits | None = None
    network_enabled: bool = False
    build_hosts: Sequence[str] = ()
    """Hosts that the build alone may reach."""
    env: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By step (``build``, ``lint`` or ``test``): variables that reach it alone and are masked in all that is told."""
    only_affected: bool = False
    """Whether tests that the change cannot reach are left out."""
    pattern: str | None = None
    """Only tests that match, in the runner's own language."""
    test_seconds: float | None = None
    """Of the processor, after which one test is ended and counts as failed, where the runner can do that."""
    fail_fast: bool = False
    """Whether to stop at the first test that the change breaks."""
    rerun: bool = True
    """Whether tests whose status changed are run again on both sides, to tell flaky from real."""
    lint_counts: bool = True
    """Whether a new finding of a linter makes the verdict not good."""
    expected_tests: Sequence[str] = ()
    """Test files that the change is meant to edit; what they lose is shown and does not count against it."""
    strict_tamper: bool = False
    """Whether code that may be made for the inputs of the tests makes the verdict not good where it would be shown."""
    gate: bool | Thresholds = False
    """Whether the gate is asked too, and what it must find; see ``windtunnel.engine.gate``."""
    jobs: int | None = None
    tell: Callable[[Event], None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A project with its baseline, from which any number of changes can be tried."""

    course: Course
    project: Path
    checks: Checks
    tree: Tree
    digest: str
    before: tuple[CheckReport, ...]
    cached: bool
    limits: Limits


def try_change(rig: Rig, trial: Trial) -> SandboxResult:
    """The verdict on one change."""
    begun = time.monotonic()
    ready = prepare(rig, trial)
    result = judge_change(ready, trial)
    result = gated(rig, trial, result, files=lambda: _reaching_files(ready, result.changes))
    return replace(result, execution_time=time.monotonic() - begun)


def prepare(rig: Rig, trial: Trial) -> Prepared:
    """Find the checks, make the ground, run the unchanged project or take what is kept of it."""
    check_trial(rig, trial)
    project = Path(check_project(trial.project, private=rig.private))
    if trial.changes:
        check_changes(trial.changes, project=project)  # what does not apply is refused before minutes of tests
    budget = budget_of(trial, caps=replace(rig.caps, wall_seconds=rig.trial_seconds))
    checks = discover(Folder(project, search=which), build=trial.build, lint=trial.lint, test=trial.test)
    if trial.test is None and not checks.of(Kind.TEST):
        missing = f"; not installed: {'; '.join(checks.missing)}" if checks.missing else ""
        raise UsageError(f"test: no test command found in {project}{missing} (name one, or an empty one to judge by "
                         "lint and build alone)", field="test")
    if not checks.checks:
        raise UsageError(f"test: nothing to judge by in {project} (name a command)", field="test")
    ground = make_ground(rig, str(project), checks)
    network, build_network = networks(rig, trial)
    mask = Mask(secrets_of(trial))
    course = Course(
        rig, ground, checks, budget=budget, env=environments(trial), tell=_masked(trial, mask), network=network,
        build_network=build_network, mask=mask, test_seconds=trial.test_seconds)
    tree = Tree(project, index=_index(rig, project))
    digest = tree.digest()
    key = key_of(digest, checks, surroundings=surroundings(ground.paths, {
        "limits": repr(budget.lane_limits), "network": repr((network, build_network)),
        "env": repr(sorted(trial.env.items())), "pattern": repr((trial.pattern, trial.test_seconds)),
        "secrets": repr(sorted(secrets_of(trial).items()))}))
    # The key is a hash, which tells nothing of the secrets that went into it.
    before, cached = baseline(rig, key, lambda: _unchanged(course, trial))
    return Prepared(course=course, project=project, checks=checks, tree=tree, digest=digest, before=before,
                    cached=cached, limits=budget.limits)


def judge_change(ready: Prepared, trial: Trial) -> SandboxResult:
    """Run the changed project, compare, look for bending, decide."""
    changes = check_changes(trial.changes, project=ready.project)
    if isinstance(trial.changes, ChangeSet):
        changes = replace(changes, notes=(*trial.changes.notes, *changes.notes))
    course, read = ready.course, ready.course.ground.folder.read
    course.budget.renew()
    # Taken before anything runs: whoever edits a file while its change is on trial must not lose the edit later.
    seen = {path: ready.tree.hash_of(path) for path in sorted(changes.paths)}
    plain = pristine(changes, before=read)
    reports, proposed = _at_once(
        course, lambda: _changed(ready, trial, overlay_of(plain.changes), changes),
        lambda: _proposed(ready, trial, plain.changes, changes))
    known = deltas.tests_of(ready.before)
    delta, reports = _settled(ready, trial, overlay_of(plain.changes), known, reports)
    tests, strict = _test_files(ready), trial.strict_tamper or ready.course.rig.tampering is Tampering.STRICT
    bent = bending(ready.before, reports, proposed, delta=delta, changes=changes, read=read, laid_over=plain,
                   tests=tests, expected=trial.expected_tests, files=lambda: _other_files(ready), strict=strict)
    bent = retold(bent, Retelling(
        course=course, overlay=overlay_of(plain.changes), changes=changes, delta=delta, known=known, read=read,
        tests=tests, files=lambda: _other_files(ready), strict=strict))
    delta = deltas.with_proposed(deltas.without(delta, bent.no_longer_apply), known, deltas.tests_of(proposed))
    found, gone = _findings(ready.before, reports)
    effects = traces(ready.before, (*reports, *proposed), changes)
    verdict, reasons = judge(reports, delta, findings=found, tamper=bent.findings, effects=effects,
                             lint_counts=trial.lint_counts, before=ready.before)
    every = (*reports, *proposed)
    result = SandboxResult(
        verdict=verdict, reasons=reasons, delta=delta, new_findings=found, fixed_findings=gone, tamper=bent.findings,
        reports=_slim(reports), proposed_reports=_slim(proposed), effects=effects, changes=changes, checks=ready.checks,
        baseline_cached=ready.cached, limits=ready.limits, usage=every[0].usage.joined(*(r.usage for r in every[1:])),
        level=course.last.level if course.last else None, enforced=course.last.enforced if course.last else {},
        workspace="copy" if course.last and course.last.enforced.get("workspace") == "copy" else "overlay",
        execution_time=sum(report.execution_time for report in reports), tree=ready.digest,
        seen=seen,
        notes=_notes(ready, changes, bent, reports))
    # What is to be applied stays as it was given: a mask in it would be written into the project.
    return replace(Mask(secrets_of(trial))(result), changes=changes, seen=result.seen)


def budget_of(trial: Trial, *, caps: Limits) -> Budget:
    """Limits that were asked for go to one command after the other, unless it was also said how many at once."""
    limits, usual = (trial_limits(asked, caps=caps) for asked in (trial.limits, None))
    if any(getattr(limits, name) != getattr(usual, name) for name in (*SHARED, "cores", "cpu_seconds")):
        return Budget(limits, lanes=trial.jobs or 1)
    return usual_budget(limits, caps=caps, jobs=trial.jobs or min(os.cpu_count() or 1, max(1, int(limits.cores))))


def _index(rig: Rig, project: Path) -> Path | None:
    """Where the times and hashes of a project's files are kept between trials."""
    if rig.cache_dir is None:
        return None
    return Path(rig.cache_dir) / "trees" / f"{hashlib.sha256(os.fsencode(project)).hexdigest()[:32]}.json"


def _unchanged(course: Course, trial: Trial) -> tuple[CheckReport, ...]:
    """The project as it is, traced; tests that did not pass are run once more without the tracing."""
    order = Order(trace=True, pattern=trial.pattern, side="unchanged")
    reports = course.run({}, kinds=tuple(Kind), order=order)
    shaky = tuple(name for name, test in deltas.tests_of(reports).items() if test.status.bad)
    if not shaky:
        return reports
    again = deltas.tests_of(course.run({}, kinds=(Kind.BUILD, Kind.TEST), order=Order(
        only=shaky, pattern=trial.pattern, side="again")))
    return tuple(replace(report, tests=tuple(again.get(test.id, test) for test in report.tests))
                 for report in reports)


def _changed(ready: Prepared, trial: Trial, overlay: Overlay, changes: ChangeSet) -> tuple[CheckReport, ...]:
    touched = {name: code for report in ready.before for name, code in report.touched.items()}
    reached = _reached(ready, changes, touched)
    order = Order(known=deltas.tests_of(ready.before), first=reached, fail_fast=trial.fail_fast, pattern=trial.pattern,
                  only=reached if trial.only_affected and reached else None, side="changed")
    return ready.course.run(overlay, kinds=tuple(Kind), order=order)


def _at_once(
    course: Course, first: Callable[[], tuple[CheckReport, ...]], second: Callable[[], tuple[CheckReport, ...]],
) -> tuple[tuple[CheckReport, ...], tuple[CheckReport, ...]]:
    """Both, beside each other where there are cores for it."""
    with crew(min(2, course.budget.lanes)) as threads:
        left, right = threads.submit(first), threads.submit(second)
        return left.result(), right.result()


def _reached(ready: Prepared, changes: ChangeSet, touched: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Tests that ran what changes; then those of files that import it, which loading it may reach."""
    folder = ready.course.ground.folder
    ran = affected(changes, before=folder.read, touched=touched)
    if not touched:
        return ()
    suffixes = {PurePosixPath(path).suffix for path in changes.paths} & set(_TEST_SUFFIXES)
    files = {path: folder.read(path) or b"" for suffix in suffixes for path in folder.glob(f"**/*{suffix}")}
    users = set(importers(changes, files=files)) if len(files) <= _MOST_TESTS else set()
    known = deltas.tests_of(ready.before)
    return tuple(dict.fromkeys((*ran, *(name for name, test in known.items() if test.path in users))))


def _reaching_files(ready: Prepared, changes: ChangeSet) -> tuple[str, ...]:
    """Files of tests that reach a change, those that it brings among them; none where that is not known."""
    touched = {name: code for report in ready.before for name, code in report.touched.items()}
    named = dict.fromkeys(name.partition("::")[0] for name in _reached(ready, changes, touched))
    brought = [change.relative_path for change in changes if change.operation != "delete"
               and is_test(change.relative_path) and change.relative_path.endswith(".py")]
    deleted = {change.relative_path for change in changes if change.operation == "delete"}
    found = [path for path in (*named, *brought) if path not in deleted and not path.endswith("conftest.py")]
    there = all(path in brought or ready.course.ground.folder.exists(path) for path in found)
    return tuple(dict.fromkeys(found)) if touched and there else ()


def _proposed(ready: Prepared, trial: Trial, plain: ChangeSet, changes: ChangeSet) -> tuple[CheckReport, ...]:
    """The tests as the change would have them, where that differs."""
    if plain.digest() == changes.digest():
        return ()
    return ready.course.run(overlay_of(changes), kinds=(Kind.BUILD, Kind.TEST),
                            order=Order(pattern=trial.pattern, side="as proposed"))


def _settled(
    ready: Prepared, trial: Trial, overlay: Overlay, known: deltas.Tests, reports: Sequence[CheckReport],
) -> tuple[Delta, tuple[CheckReport, ...]]:
    """The delta after tests whose status changed were run again on both sides, and the reports that it rests on.

    Alone, a test may do better than among the others; what wavers alone is run once more with all of them, and a
    test that is bad there too is broken, not flaky.
    """
    reports = tuple(reports)
    first = _compared(known, reports, trial)
    names = deltas.suspects(first)
    if not names or not trial.rerun:
        return first, reports
    again, before_again = (deltas.tests_of(side) for side in _both(ready, trial, overlay, only=names))
    after = deltas.tests_of(reports)
    shaky = {name for name in names if _differs(known, before_again, name)}
    alone = {name for name in names if _differs(after, again, name)} - shaky
    if alone:
        whole = ready.course.run(overlay, kinds=(Kind.BUILD, Kind.TEST), order=Order(
            known=known, pattern=trial.pattern, side="again"))
        second = deltas.tests_of(whole)
        shaky |= {name for name in alone if _differs(after, second, name)}
        if _was_cut(reports):
            reports = (*(report for report in reports if report.check.kind is Kind.LINT), *whole)
    return _compared(known, reports, trial, flaky=shaky), reports


def _compared(
    known: deltas.Tests, reports: Sequence[CheckReport], trial: Trial, *, flaky: Collection[str] = (),
) -> Delta:
    after = deltas.tests_of(reports)
    if trial.only_affected or _was_cut(reports):
        known = {name: test for name, test in known.items() if name in after}
    return deltas.compare(known, after, flaky=flaky)


def _was_cut(reports: Sequence[CheckReport]) -> bool:
    """Whether a run was ended at the first test that broke."""
    return any(report.reason is Reason.CANCELLED for report in reports)


def _both(
    ready: Prepared, trial: Trial, overlay: Overlay, *, only: tuple[str, ...],
) -> tuple[tuple[CheckReport, ...], tuple[CheckReport, ...]]:
    """Some tests of the changed and of the unchanged project."""
    order, kinds = Order(only=only, pattern=trial.pattern, side="again"), (Kind.BUILD, Kind.TEST)
    return _at_once(ready.course, lambda: ready.course.run(overlay, kinds=kinds, order=order),
                    lambda: ready.course.run({}, kinds=kinds, order=order))


def _differs(first: deltas.Tests, second: deltas.Tests, name: str) -> bool:
    """Whether a test ended differently the second time; one that was not reported again says nothing."""
    return name in first and name in second and first[name].status.bad != second[name].status.bad


def _test_files(ready: Prepared) -> dict[str, bytes]:
    """The unchanged project's tests, by path."""
    folder = ready.course.ground.folder
    suffixes = (*_TEST_SUFFIXES, *_DATA_SUFFIXES)
    named = [path for suffix in suffixes for path in folder.glob(f"**/*{suffix}") if is_test(path)]
    return {path: data for path in named[:_MOST_TESTS] if (data := folder.read(path)) is not None}


def _other_files(ready: Prepared) -> dict[str, bytes]:
    """The unchanged project's code, documents, data and settings: what else may know a value that a test uses."""
    folder = ready.course.ground.folder
    found, left = dict[str, bytes](), _MOST_SEARCHED
    for path in (path for path in folder.glob("**/*") if path.endswith(_KNOWING) and not is_test(path)):
        data = folder.read(path) if left > 0 else None
        left -= len(data or b"")
        found |= {path: data} if data is not None else {}
    return found


def _findings(
    before: Sequence[CheckReport], after: Sequence[CheckReport],
) -> tuple[tuple[LintResult, ...], int]:
    old = [finding for report in before for finding in report.findings]
    return new_findings(old, [finding for report in after for finding in report.findings])


def _masked(trial: Trial, mask: Mask) -> Callable[[Event], None] | None:
    tell = trial.tell
    return None if tell is None else lambda event: tell(mask(event))


def _slim(reports: Sequence[CheckReport]) -> tuple[CheckReport, ...]:
    """Without what builds left, which was for the tests."""
    return tuple(replace(report, products={}) for report in reports)


def _notes(
    ready: Prepared, changes: ChangeSet, bent: Bending, reports: Sequence[CheckReport],
) -> tuple[str, ...]:
    lost = tuple(f"not run: {tool}" for tool in ready.checks.missing)
    said = tuple(f"{report.check.tool}: {note}" for report in reports for note in report.notes)
    return tuple(dict.fromkeys((*changes.notes, *lost, *bent.notes, *said)))
