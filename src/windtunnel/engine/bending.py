"""Whether a change reached for the verdict: what its text says, and what its runs showed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.core.trial import SPECIAL_CASES, CheckReport, Delta, ExecutionTestResult, Kind, TamperFinding
from windtunnel.engine.delta import tests_of
from windtunnel.tamper import ABOUT_TESTS, LAX, Pristine, Sides, adapted, is_test, removed_names, scan

Read = Callable[[str], bytes | None]
_GONE = ("ImportError", "ModuleNotFoundError", "AttributeError", "NameError", "TypeError", "cannot import name",
         "is not a function", "is not a constructor", "does not provide an export", "Cannot find module",
         "has no attribute", "unexpected keyword", "collection")

_NAMED = 3
_SILENCED = frozenset({"test-deleted", "test-renamed-away", "test-skipped", "assert-disabled", "subject-replaced"})
"""What takes a test away instead of rewriting it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bending:
    """What was found, and which old tests no longer apply."""

    findings: tuple[TamperFinding, ...] = ()
    no_longer_apply: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()


def bending(
    before: Sequence[CheckReport], after: Sequence[CheckReport], proposed: Sequence[CheckReport], *, delta: Delta,
    changes: ChangeSet, read: Read, laid_over: Pristine, tests: Mapping[str, bytes], expected: Sequence[str] = (),
    files: Callable[[], Mapping[str, bytes]] | None = None, strict: bool = False,
) -> Bending:
    """Everything that can be held against a change besides its results.

    ``files`` gives the project's files that are no tests, and is asked only when a value is looked for; ``strict``
    holds against a change what would otherwise be shown of code that may be made for the inputs of the tests.
    """
    known, plain, theirs = tests_of(before), tests_of(after), tests_of(proposed)
    moot = _moot(delta, known, plain, theirs, changes=changes, read=read)
    settled = {name.split("::")[0] for name in moot} | _all_pass(known, plain, theirs)
    gained = (*delta.fixed, *delta.flaky)
    found = scan(changes, before=read, tests=tests, files=files, fixed=gained)
    told = [_told(finding, settled, fixed=bool(delta.fixed)) for finding in found]
    told = [replace(each, severity="block") if strict and each.rule in SPECIAL_CASES else each for each in told]
    findings = [
        *_interference(before, (*after, *proposed)),
        *told,
        *_only_as_edited(known, plain, theirs, moot=moot),
        *(_fewer(plain, theirs, whole=_texts(changes, but=_lost_claims(told))) if proposed else ()),
        *_silent_failures(before, after),
    ]
    notes = [f"laid over the change as it was: {path}" for path in laid_over.laid_over]
    notes += [f"left out of the run that counts: {path}" for path in laid_over.dropped]
    notes += [f"no longer applies, since the change renames what it tests: {name}" for name in sorted(moot)]
    meant = frozenset(name for name, test in known.items() if _path(name, known) in expected
                      and (test.status.bad or name not in theirs or not theirs[name].status.bad))
    return Bending(findings=tuple(_expected(findings, expected)), no_longer_apply=moot | meant, notes=tuple(notes))


def _path(name: str, tests: Mapping[str, ExecutionTestResult]) -> str:
    found = tests.get(name)
    return found.path if found is not None and found.path else name.split("::", maxsplit=1)[0]


def _interference(before: Sequence[CheckReport], after: Sequence[CheckReport]) -> Iterable[TamperFinding]:
    """What the runners saw of hands on them, unless the unchanged project does the same."""
    usual = {what for report in before for what in report.interfered}
    for what in dict.fromkeys(what for report in after for what in report.interfered):
        if what not in usual:
            yield TamperFinding(rule="runner-interfered-with", message=f"{what} while the tests ran")
    forged = sum(report.forged for report in after)
    if forged and not any(report.forged for report in before):
        yield TamperFinding(rule="forged-results", message=f"{forged} results were forged on the output of the tests")


def _moot(
    delta: Delta, known: Mapping[str, ExecutionTestResult], plain: Mapping[str, ExecutionTestResult],
    theirs: Mapping[str, ExecutionTestResult], *, changes: ChangeSet, read: Read,
) -> frozenset[str]:
    """Old tests that fail only because the change renames what they use, and whose new versions ask the same."""
    removed = removed_names(changes, Sides.of(changes, before=read))
    every = {**theirs, **known, **plain}
    found: set[str] = set()
    for path in changes.paths:
        names = [name for name in (*delta.broken, *delta.vanished, *delta.new_failing) if _path(name, every) == path]
        change, old = changes.get(path), read(path)
        if not names or change is None or old is None or not _renamed_away(path, plain):
            continue
        for twin in [change] if change.operation != "delete" else _new_tests(changes, read):
            # A file that fails as a whole is one more name, which the change's version of it does not have.
            here = {name: _moved(name, path, twin.relative_path) for name in names if name in known}
            kept = all(_is_kept(name, known, theirs, now=now) for name, now in here.items()) or _as_many(
                path, twin.relative_path, known=known, theirs=theirs)
            if kept and adapted(old, twin.data, path=path, removed=removed):
                found.update(names)
    return frozenset(found)


def _new_tests(changes: ChangeSet, read: Read) -> list[FileChange]:
    """Test files that the change makes: one of them may be what a deleted one became."""
    return [change for change in changes
            if change.operation != "delete" and is_test(change.relative_path) and read(change.relative_path) is None]


def _moved(name: str, path: str, now: str) -> str:
    """The name of a test in the file that its own became."""
    if name.startswith(path):
        return now + name[len(path):]
    old, new = (each.removesuffix(".py").replace("/", ".") for each in (path, now))
    return new + name[len(old):] if name.startswith(old) else name


def _renamed_away(path: str, plain: Mapping[str, ExecutionTestResult]) -> bool:
    """Whether tests of this file fail for want of a name, or the file fails as a whole, which says no reason."""
    return any(test.status.bad and (test.id == path or any(word in f"{test.message} {test.category}" for word in _GONE))
               for test in plain.values() if _path(test.id, plain) == path)


def _is_kept(
    name: str, known: Mapping[str, ExecutionTestResult], theirs: Mapping[str, ExecutionTestResult], *, now: str,
) -> bool:
    """Whether the change's version of a test does as well as the old one did."""
    return now in theirs and (theirs[now].status.good or known[name].status.bad)


def _as_many(
    path: str, now: str, *, known: Mapping[str, ExecutionTestResult], theirs: Mapping[str, ExecutionTestResult],
) -> bool:
    """Whether the change's version of a file has as many good tests, under whatever titles, and no more bad ones."""
    old, new = ([test.status.good for name, test in tests.items() if _path(name, tests) == file]
                for file, tests in ((path, known), (now, theirs)))
    return sum(new) >= sum(old) and new.count(False) <= old.count(False)


def _only_as_edited(
    known: Mapping[str, ExecutionTestResult], plain: Mapping[str, ExecutionTestResult],
    theirs: Mapping[str, ExecutionTestResult], *, moot: frozenset[str],
) -> Iterable[TamperFinding]:
    """Tests of the project that pass with the change's own tests and not with the project's."""
    for name, test in sorted(theirs.items()):
        mine = plain.get(name)
        if name in known and test.status.good and mine is not None and mine.status.bad and name not in moot:
            yield TamperFinding(
                rule="passes-only-as-edited", message=f"{name} passes only as the change edits it", path=test.path,
                line=test.line, evidence=mine.message[:200])


def _lost_claims(findings: Iterable[TamperFinding]) -> set[str]:
    """Test files that no longer say all that they said, where that counts."""
    return {finding.path for finding in findings
            if finding.rule in ABOUT_TESTS and finding.severity == "block" and finding.path is not None}


def _texts(changes: ChangeSet, *, but: set[str]) -> dict[str, str]:
    """The texts of changed files, without some."""
    return {change.relative_path: change.data.decode("utf-8", "replace") for change in changes
            if change.operation != "delete" and change.relative_path not in but}


def _fewer(
    plain: Mapping[str, ExecutionTestResult], theirs: Mapping[str, ExecutionTestResult], *,
    whole: Mapping[str, str],
) -> Iterable[TamperFinding]:
    """Tests that run as the project has them and no longer as the change has them; a renamed one has come again.

    ``whole`` are test files that the change rewrote and whose claims all survive, with their texts: tests that became
    rows of one test there are shown; one that is still in the text and does not run is not.
    """
    ran = {name for name, test in plain.items() if test.status.ran and test.category != "collection"}
    silent = sorted(name for name in ran if name in theirs and not theirs[name].status.ran)
    if silent:
        yield TamperFinding(rule="tests-silenced", message=f"no longer run as the change has them: {_some(silent)}")
    lost, come = sorted(ran - theirs.keys()), theirs.keys() - plain.keys()
    if len(lost) > len(come):
        still = {_path(name, theirs) for name, test in theirs.items() if test.status.good}
        joined = all((path := _path(name, plain)) in still and path in whole and _title(name) not in whole[path]
                     for name in lost)
        yield TamperFinding(rule="tests-removed", message=f"no longer there as the change has them: {_some(lost)}",
                            severity="show" if joined else "block")


def _title(name: str) -> str:
    """What a test is called in its file."""
    last = name.rsplit("::", maxsplit=1)[-1].rsplit(" > ", maxsplit=1)[-1].partition("[")[0]
    return last if " " in last else last.rpartition(".")[2]


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")


def _silent_failures(before: Sequence[CheckReport], after: Sequence[CheckReport]) -> Iterable[TamperFinding]:
    """A test command that fails without a failing test, where it did not before."""
    clean = {report.check for report in before if report.exit_code == 0}
    for report in after:
        if (report.check.kind is Kind.TEST and report.exit_code != 0 and report.check in clean
                and not any(test.status.bad for test in report.tests)):
            yield TamperFinding(rule="command-failed", message=(
                f"{' '.join(report.check.argv)} ended with exit code {report.exit_code}, though no test failed"))


def _all_pass(
    known: Mapping[str, ExecutionTestResult], plain: Mapping[str, ExecutionTestResult],
    theirs: Mapping[str, ExecutionTestResult],
) -> set[str]:
    """Test files of which every old test does as well with the change as before: rewriting them gained nothing.

    A test that failed before may still fail, as long as the change's own version of it fails too.
    """
    files: dict[str, bool] = {}
    for name, test in known.items():
        path, passes = _path(name, known), name in plain and plain[name].status.good
        same = test.status.bad and name in plain and name in theirs and theirs[name].status.bad
        files[path] = files.get(path, True) and (passes or same or not test.status.ran)
    return {path for path, passes in files.items() if passes}


def _told(finding: TamperFinding, settled: set[str], *, fixed: bool) -> TamperFinding:
    """A test that was rewritten is shown, not held against the change, where its old text passes or only lost names.

    Values that compare laxly are held against a change only when some test passes that did not: else nobody gained.
    """
    rewritten = finding.rule in ABOUT_TESTS and finding.rule not in _SILENCED
    idle = finding.rule == LAX and not fixed
    return replace(finding, severity="show") if idle or (rewritten and finding.path in settled) else finding


def _expected(findings: Iterable[TamperFinding], expected: Sequence[str]) -> Iterable[TamperFinding]:
    for finding in findings:
        meant = finding.path in expected and finding.path is not None and is_test(finding.path)
        yield replace(finding, severity="show") if meant else finding
