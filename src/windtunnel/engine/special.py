"""Whether a change helps its tests alone: they are told again with other inputs, with the change and without it.

What holds: the copies run in the same sandbox and under the same limits as every other test; nothing is run where the
change brings no literal, makes no test pass, or is not good already. What does not hold: a copy is no proof of a right
answer, so only a change that makes no difference to any of them is held against; see ``tamper.retold_judgement``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from windtunnel.core.change import ChangeSet
from windtunnel.core.result import Artifact
from windtunnel.core.trial import SPECIAL_CASES, CheckReport, Delta, ExecutionTestResult, Kind, Status, TamperFinding
from windtunnel.engine.bending import Bending, Read
from windtunnel.engine.checking import Overlay
from windtunnel.engine.course import Course, Order, crew
from windtunnel.engine.delta import tests_of
from windtunnel.tamper import is_runner, is_test
from windtunnel.tamper.documents import Documents
from windtunnel.tamper.fresh_literals import fresh_literals
from windtunnel.tamper.grown import grown
from windtunnel.tamper.probed import Probed, probed
from windtunnel.tamper.probed_judgement import Ground, tailored_calls
from windtunnel.tamper.probing import MOST_SECONDS
from windtunnel.tamper.retold import MARK, Retold
from windtunnel.tamper.retold_judgement import Outcome, Seen, Special, excused, special
from windtunnel.tamper.retold_tests import path_of, retell, title_of

LEAST_SECONDS = 10.0
"""Processor time that the copies may use on one side, however fast the tests are."""
MOST_TIMES = 40
"""How many times as long as the tests that they are copies of; another input can make a program run for ever."""
RULE = "special-case"
_NUMBER = re.compile(rf"{MARK}(\d+)")
_BY_FILE = frozenset({"pytest"})
"""Runners that are asked for whole files; the names of rows are not known before."""
_SAYS_NOTHING = frozenset({"crash", "collection", "timeout", "import"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Retelling:
    """A change that was tried, and what is needed to tell its tests again."""

    course: Course
    overlay: Overlay
    """The change as it was tried, with the project's own tests over it."""
    changes: ChangeSet
    delta: Delta
    known: Mapping[str, ExecutionTestResult]
    """The tests of the unchanged project."""
    read: Read
    tests: Mapping[str, bytes]
    files: Callable[[], Mapping[str, bytes]]
    strict: bool = False


def retold(bent: Bending, asked: Retelling) -> Bending:
    """What was found before, with what the copies show; unchanged where there is nothing to ask."""
    brought = {path: found for path, found in _brought(asked) if found}
    if not brought or asked.delta.broken or asked.delta.new_failing or _is_decided(bent.findings):
        return bent
    fixed = [asked.known[name] for name in asked.delta.fixed if name in asked.known]
    seen, calls, note = seen_of(asked, fixed)
    fresh = frozenset(text for found in brought.values() for text in found)
    documents, rows = Documents(asked.files), grown(_texts(asked, brought))

    def documented(value: object) -> bool:
        return documents.name(value) or rows(value)

    known = frozenset(text for path in brought for text in fresh_literals(path, asked.read(path) or b"", None))
    found = special(seen, fresh=fresh, documented=documented, known=known)
    found = found or tailored_calls(calls, Ground(fresh=fresh, known=known, documented=documented))
    findings = _told(bent.findings, found, path=next(iter(brought))) if found else bent.findings
    if not found and not asked.strict and excused(seen, fresh=fresh, documented=documented):
        findings = tuple(_shown(each) for each in findings)
    return replace(bent, findings=tuple(findings), notes=(*bent.notes, *note))


def seen_of(
    asked: Retelling, fixed: Sequence[ExecutionTestResult],
) -> tuple[list[Seen], list[Probed], tuple[str, ...]]:
    """What became of each copy on both sides, what was called there, and what to say where that is not known."""
    files, course = retell(asked.tests, fixed, _heard(asked)), asked.course
    if not files:
        return [], [], ()
    laid = {each.path: Artifact(data=each.data, mode=0o644) for each in files}
    seconds = max(LEAST_SECONDS, MOST_TIMES * sum(test.duration_seconds for test in fixed))
    seconds += MOST_SECONDS * sum(bool(file.probes) for file in files)
    order = Order(only=tuple(_chosen(files, fixed)), side="told again", cpu_seconds=seconds)

    def run(under: Overlay) -> tuple[CheckReport, ...]:
        return course.run({**under, **laid}, kinds=(Kind.BUILD, Kind.TEST), order=order)

    with crew(min(2, course.budget.lanes)) as threads:
        sides = [each.result() for each in (threads.submit(run, {}), threads.submit(run, asked.overlay))]
    before, after = map(tests_of, sides)
    seen = [each for file in files for each in _matched(file, before, after)]
    calls = [each for file in files for each in probed(file.path, file.probes, [
        _messages(file.path, side) for side in (before, after)])]
    whole = len(seen) == sum(len(file.copies) for file in files)
    return seen, calls, () if whole else ("not all tests could be told again with other inputs",)


def _heard(asked: Retelling) -> list[str]:
    """The changed Python files of the product that are there on both sides."""
    return [path for path, after in asked.overlay.items() if path.endswith(".py") and after is not None
            and not is_test(path) and not is_runner(path) and asked.read(path) is not None]


def _messages(path: str, tests: Mapping[str, ExecutionTestResult]) -> dict[tuple[int, str], str]:
    """By the number of a copy and its row, what it says."""
    return {(int(number[1]), name[number.end() :]): test.message for name, test in tests.items()
            if path_of(test) == path and (number := _NUMBER.search(name))}


def _brought(asked: Retelling) -> Iterator[tuple[str, frozenset[str]]]:
    """The literals that the change brings into the product, by file."""
    for change in asked.changes:
        path = change.relative_path
        if change.operation != "delete" and not is_test(path) and not is_runner(path):
            yield path, fresh_literals(path, change.data, asked.read(path))


def _texts(asked: Retelling, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The changed files without the change and with it."""
    for path in paths:
        change = asked.changes.get(path)
        old = asked.read(path)
        if change is not None and old is not None:
            yield old.decode("utf-8", "replace"), change.data.decode("utf-8", "replace")


def _is_decided(findings: Iterable[TamperFinding]) -> bool:
    """Whether something else is held against the change already."""
    return any(each.severity == "block" and each.rule not in SPECIAL_CASES for each in findings)


def _told(
    findings: Sequence[TamperFinding], found: Sequence[Special], *, path: str,
) -> Iterator[TamperFinding]:
    """The places that were shown are held against the change; one place more where there was none."""
    said = "; ".join(f"{each.test} ({each.path}:{each.line}) passes only for the values it uses: {each.reason}"
                     for each in found)
    places = [each for each in findings if each.rule in SPECIAL_CASES]
    first = next(iter(places), None)
    yield TamperFinding(rule=RULE, message=said, path=first.path if first else path,
                        line=first.line if first else None, evidence=first.evidence if first else "")
    yield from findings


def _shown(finding: TamperFinding) -> TamperFinding:
    """A value that a document names, or that the project refused, can be a rule of it: for people to read."""
    return replace(finding, severity="show") if finding.rule in SPECIAL_CASES else finding


def _chosen(files: Sequence[Retold], fixed: Sequence[ExecutionTestResult]) -> Iterator[str]:
    for file in files:
        here = [test for test in fixed if path_of(test) == file.path]
        if any(test.tool in _BY_FILE for test in here):
            yield file.path
            continue
        for copy in file.copies:
            yield from (f"{test.id}{' ' if ' > ' in test.id else '_'}{MARK}{copy.number}" for test in here
                        if title_of(test.id) == copy.test)
        for probe in file.probes:
            yield from (f"{test.id}_{MARK}{probe.number}" for test in here if title_of(test.id) == probe.test)


def _matched(
    file: Retold, before: Mapping[str, ExecutionTestResult], after: Mapping[str, ExecutionTestResult],
) -> Iterator[Seen]:
    sides = [{int(number[1]): test for name, test in side.items()
              if path_of(test) == file.path and (number := _NUMBER.search(name))} for side in (before, after)]
    for copy in file.copies:
        first, second = (_outcome(side.get(copy.number)) for side in sides)
        if first is not None and second is not None:
            yield Seen(file.path, copy, first, second)


def _outcome(test: ExecutionTestResult | None) -> Outcome | None:
    if test is None or not test.status.ran or test.category in _SAYS_NOTHING:
        return None
    if test.status.good:
        return Outcome("passed")
    claim = test.status is Status.FAILED and test.category == "assertion"
    return Outcome("claim" if claim else "error", _NUMBER.sub("", test.message))
