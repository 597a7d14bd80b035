"""The fates of all mutants of one family of languages, from its first clean run to its result."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

from windtunnel.checks.project import Folder
from windtunnel.core.mutation import Fate, Judged, Kept, Mutant, MutationResult, State
from windtunnel.core.result import Artifact
from windtunnel.engine.checking import Overlay
from windtunnel.engine.course import crew
from windtunnel.engine.foreign import trust
from windtunnel.engine.foreign.bench import Bench
from windtunnel.engine.foreign.coverage import Coverage, coverage
from windtunnel.engine.foreign.fates import Found, fate_of
from windtunnel.engine.foreign.memory import footprint
from windtunnel.engine.foreign.selection import Choice, choices, chosen_at_run_time, related
from windtunnel.engine.foreign.warm import COLD, warmed
from windtunnel.engine.mutation_order import estimate
from windtunnel.engine.reverts import OPERATOR

_MOST_FILES_FORCED = 300
_LONG_SECONDS, _FEW_MUTANTS = 5.0, 4
"""Where all tests take so long, and a file has so many mutants, one more run that shows its own tests is worth it."""
WAY = "alone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What is to be judged."""

    bench: Bench
    folder: Folder
    mutants: Sequence[Mutant]
    order: Sequence[int]
    sources: Mapping[str, bytes]
    """All product code of the family, as the change has it."""
    watched: Mapping[str, bytes]
    """All code of the family, tests included."""
    until: float
    """On the monotonic clock."""
    jobs: int
    known: Mapping[str, Kept]
    tell: Callable[[int, int, Judged], None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ready:
    """A bench that may be trusted."""

    work: Work
    bench: Bench
    clean: trust.Clean
    covered: Coverage
    choices: Mapping[str, Choice]
    marks: Mapping[str, str]
    """By path: the footprint of its mutants."""


def judge(work: Work) -> MutationResult:
    """The fate of every mutant, or why nothing can be judged."""
    chosen = choices(work.bench.check, work.watched, work.folder, work.bench.overlay)
    few = {path: chosen.of(path) for path in {mutant.path for mutant in work.mutants}}
    marks = {path: footprint(work.watched, choice.rests_on) for path, choice in few.items()}
    if all(_known(work, work.mutants[number], marks) is not None for number in work.order):
        return _all_known(work, marks)
    bench = work.bench.within(work.until - time.monotonic())
    first = bench.clean()
    found = trust.one_run(first)
    if found is not None:
        return _nothing(work, found)
    with ExitStack() as stack:
        notes: tuple[str, ...] = ()
        if bench.family.products:
            ground = stack.enter_context(warmed(
                bench.rig, bench.ground, first.products, folders=bench.family.products))
            bench = replace(bench, ground=ground) if ground is not None else bench
            notes = () if ground is not None else (COLD,)
        second = bench.again()
        clean = trust.one_run(second) or trust.both_runs(first, second)
        if clean.state is not None:
            return _nothing(work, clean)
        # The first run built everything, so that its time is enough for all that has to be built anew.
        roomy = bench.limited(first.usage.cpu_seconds or first.execution_time, first.execution_time)
        forced = trust.forced(roomy, _forcible(work), clean.trusted)
        if not forced.noticed:
            return _nothing(work, replace(clean, state=State.NOT_NOTICED, notes=(*clean.notes, forced.note)))
        bench = bench.limited(max(forced.cpu_seconds, clean.cpu_seconds), max(forced.wall_seconds, clean.wall_seconds))
        ready = _Ready(work=work, bench=bench, clean=clean, covered=coverage(roomy, work.watched.values()),
                       choices=_fewer(work, bench, clean, few), marks=marks)
        return _result(ready, _fates(ready), notes)


def _known(work: Work, mutant: Mutant, marks: Mapping[str, str]) -> Judged | None:
    """Its fate from before, while all that it rests on is the same."""
    known, mark = work.known.get(mutant.id), marks[mutant.path]
    if known is None or known.footprint != mark:
        return None
    return Judged(mutant=mutant, fate=known.fate, by=known.by, way="kept", footprint=mark)


def _all_known(work: Work, marks: Mapping[str, str]) -> MutationResult:
    """Nothing has to run."""
    chosen = {work.mutants[number].id for number in work.order}
    found = [_known(work, mutant, marks) if mutant.id in chosen else None for mutant in work.mutants]
    judged = tuple(one or Judged(mutant=mutant, fate=Fate.NOT_JUDGED)
                   for one, mutant in zip(found, work.mutants, strict=True))
    told = any(one.fate.counts for one in judged)
    return MutationResult(state=State.JUDGED if told else State.NONE_COUNTS, judged=judged, estimate=estimate(judged),
                          notes=("every fate is kept from before: no test was run",) if told else ())


def _fewer(work: Work, bench: Bench, clean: trust.Clean, found: Mapping[str, Choice]) -> dict[str, Choice]:
    """Which tests judge the mutants of each file, where the runner itself may know of fewer."""
    if clean.wall_seconds < _LONG_SECONDS or chosen_at_run_time(work.watched.values()):
        return dict(found)
    found = dict(found)
    for path, count in Counter(mutant.path for mutant in work.mutants).items():
        check = related(bench.check, path) if count >= _FEW_MUTANTS else None
        report = bench.within(work.until - time.monotonic()).judge({}, check=check) if check is not None else None
        names = frozenset(test.id for test in report.tests if test.status.good) if report is not None else frozenset()
        if check is not None and names & set(clean.trusted):
            found[path] = Choice(check=check, names=names)
    return found


def _forcible(work: Work) -> dict[str, bytes]:
    """Files whose functions are made to fail: those with mutants first."""
    asked = {mutant.path for mutant in work.mutants}
    paths = sorted(work.sources, key=lambda path: path not in asked)
    return {path: work.sources[path] for path in paths[:_MOST_FILES_FORCED]}


def _nothing(work: Work, clean: trust.Clean) -> MutationResult:
    assert clean.state is not None
    judged = tuple(Judged(mutant=mutant, fate=Fate.NOT_JUDGED) for mutant in work.mutants)
    return MutationResult(state=clean.state, judged=judged, tests=len(clean.trusted), failing=clean.failing,
                          flaky=clean.flaky, notes=clean.notes)


def _fates(ready: _Ready) -> dict[str, Judged]:
    """Of all that had a turn, several at once."""
    found: dict[str, Judged] = {}
    lock = threading.Lock()
    work = ready.work

    def one(number: int) -> None:
        judged = _one(ready, work.mutants[number])
        if judged is None:
            return
        with lock:
            found[judged.mutant.id] = judged
            if work.tell is not None:
                work.tell(len(found), len(work.order), judged)

    with crew(work.jobs) as threads:
        for future in [threads.submit(one, number) for number in work.order]:
            future.result()
    return found


def _one(ready: _Ready, mutant: Mutant) -> Judged | None:
    """One fate; None where the time is over."""
    work, choice = ready.work, ready.choices[mutant.path]
    known, begun = _known(work, mutant, ready.marks), time.monotonic()
    if known is not None or begun > work.until:
        return known
    expected = choice.expected(ready.clean.trusted)
    # What a part put back brings in is nowhere in what was counted, so it is always tried.
    missed = mutant.operator != OPERATOR and ready.covered.misses(mutant, work.sources[mutant.path])
    if not expected or missed:
        return Judged(mutant=mutant, fate=Fate.UNTESTED)
    found = _tried(ready, choice, mutant, expected)
    if found.fate is Fate.TIMEOUT and time.monotonic() > work.until:
        return None
    return Judged(mutant=mutant, fate=found.fate, by=found.by if found.fate is Fate.KILLED else "", why=found.why,
                  way=WAY, seconds=time.monotonic() - begun, footprint=ready.marks[mutant.path])


def _tried(ready: _Ready, choice: Choice, mutant: Mutant, expected: frozenset[str]) -> Found:
    work = ready.work
    over: Overlay = {mutant.path: Artifact(data=trust.with_mutant(work.sources[mutant.path], mutant))}
    report = ready.bench.within(work.until - time.monotonic()).judge(
        over, check=choice.check, trusted=expected, hasty=ready.clean.steady)
    found = fate_of(report, expected=expected, hasty=ready.clean.steady)
    if found.in_tests and mutant.operator == OPERATOR:
        # A part of a change put back is missed by tests that cannot even be built without it.
        return Found(fate=Fate.KILLED, by=f"{found.by} ({found.why})")
    return found


def _result(ready: _Ready, fates: Mapping[str, Judged], notes: tuple[str, ...]) -> MutationResult:
    clean = ready.clean
    judged = tuple(fates.get(mutant.id, Judged(mutant=mutant, fate=Fate.NOT_JUDGED)) for mutant in ready.work.mutants)
    told = any(one.fate.counts for one in judged)
    return MutationResult(
        state=State.JUDGED if told else State.NONE_COUNTS, judged=judged, tests=len(clean.trusted),
        failing=clean.failing, flaky=clean.flaky, estimate=estimate(judged),
        tries=sum(one.way == WAY for one in judged), notes=(*notes, *_notes(ready, judged)))


def _notes(ready: _Ready, judged: Sequence[Judged]) -> Iterator[str]:
    if len(judged) > sum(one.fate is not Fate.NOT_JUDGED for one in judged) and time.monotonic() > ready.work.until:
        yield "the time was over before all were judged"
    if not ready.covered.known:
        yield (f"{ready.bench.check.tool} does not tell which code its tests run: mutants that no test runs are among "
               f"those that survived")
