"""A run of mutants in a project of several languages: each judged by the tests of its own, and told as one result.

What holds: a part that proves nothing makes the whole prove nothing, and says which part it was.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from windtunnel.checks.discover import discover
from windtunnel.checks.project import Folder
from windtunnel.core.errors import LanguageMissing, UsageError
from windtunnel.core.mutation import Experience, Judged, Mutant, MutationResult, State
from windtunnel.core.ports import Rig
from windtunnel.core.trial import Check, Checks, Kind
from windtunnel.engine.foreign.families import Family, judges
from windtunnel.engine.foreign.making import made
from windtunnel.engine.foreign.memory import Unscored, surroundings
from windtunnel.engine.foreign.setting import bench_of, sources_of, watched_of
from windtunnel.engine.mutation_order import dealt, draw

if TYPE_CHECKING:
    from windtunnel.engine.mutation import Mutation

_WORST = (State.BROKEN, State.NO_TESTS, State.NO_TEST_PASSES, State.NOT_NOTICED, State.JUDGED, State.NONE_COUNTS)
"""Which state of a part counts for the whole, first of all."""
Tell = Callable[[int, int, Judged], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Mutants of one family, with the command that judges them."""

    family: Family
    check: Check
    sources: Mapping[str, bytes]
    mutants: Sequence[Mutant]
    dropped: int
    notes: tuple[str, ...]


def judged(rig: Rig, mutation: Mutation, folder: Folder, *, python: Callable[[Mutation], MutationResult],
           ) -> MutationResult | None:
    """The fates of all mutants where languages other than Python have a part in it; None where they have none."""
    checks = discover(folder, build="", lint="", test=mutation.test)
    commands = list(judges(checks))
    if not commands:
        return None
    begun = time.monotonic()
    pytest = next((check for check in checks.of(Kind.TEST) if check.tool == "pytest"), None)
    parts = list(_parts(mutation, folder, commands, alone=pytest is None and len(commands) == 1))
    if not parts and pytest is not None:
        return None
    results = list(_results(
        rig, mutation, folder, checks=checks, parts=parts, python=_python(mutation, pytest, python)))
    whole = joined(results, notes=_unknown_paths(mutation, results, parts))
    if mutation.memory is not None and len(results) > 1:
        unmarked = tuple(replace(one, footprint="") for one in whole.judged)
        mutation.memory.keep(str(folder.root), "", replace(whole, judged=unmarked))
    return replace(whole, execution_time=time.monotonic() - begun)


def _parts(
    mutation: Mutation, folder: Folder, commands: Sequence[tuple[Family, Check]], *, alone: bool,
) -> Iterator[Part]:
    """Those with something to say; ``alone``: where no other language is judged there, what keeps us is an error."""
    for family, check in commands:
        if mutation.lines is not None and not any(map(family.knows, mutation.lines)):
            continue
        sources = sources_of(family, folder, mutation.overlay)
        mutants: Sequence[Mutant] = ()
        try:
            mutants, dropped, notes = made(sources, mutation)
        except (LanguageMissing, UsageError) as error:
            if alone:
                raise
            dropped, notes = 0, (f"not judged: {error}",)
        if mutants or notes:
            yield Part(family=family, check=check, sources=sources, mutants=mutants, dropped=dropped, notes=notes)


def _python(
    mutation: Mutation, check: Check | None, judge: Callable[[Mutation], MutationResult],
) -> Callable[[Mutation], MutationResult] | None:
    """How the Python part is judged, where there may be one."""
    asked = mutation.lines is None or any(path.endswith(".py") for path in mutation.lines)
    if check is None or not asked:
        return None
    return lambda part: judge(replace(part, test=check.argv))


def _results(
    rig: Rig, mutation: Mutation, folder: Folder, *, checks: Checks, parts: Sequence[Part],
    python: Callable[[Mutation], MutationResult] | None,
) -> Iterator[MutationResult]:
    until, counter = time.monotonic() + mutation.seconds, _Counter(mutation.tell)
    many = len(parts) + (python is not None) > 1
    memory = Unscored(mutation.memory) if many and mutation.memory is not None else mutation.memory
    mutation = replace(mutation, memory=memory, tell=counter if mutation.tell is not None else None)
    if python is not None:
        yield python(mutation)
        counter.next()
    for part in parts:
        left = max(1.0, until - time.monotonic())
        result = _judge(rig, replace(mutation, seconds=left), folder, checks=checks, part=part)
        yield _named(part.family.name, result) if many else result
        counter.next()


def _judge(rig: Rig, mutation: Mutation, folder: Folder, *, checks: Checks, part: Part) -> MutationResult:
    from windtunnel.engine.foreign.judging import Work, judge  # noqa: PLC0415 -- most projects have no part in it

    if not part.mutants:
        return MutationResult(state=State.NO_MUTANTS, dropped=part.dropped, notes=part.notes)
    bench, jobs, notes = bench_of(rig, mutation, folder, checks=checks, family=part.family, check=part.check)
    watched, project = watched_of(part.family, folder, mutation.overlay), str(folder.root)
    around = surroundings(bench, watched) if mutation.memory is not None else ""
    result = judge(Work(
        bench=bench, folder=folder, mutants=part.mutants, order=_order(mutation, part.mutants, project),
        sources=part.sources, watched=watched, jobs=jobs, tell=mutation.tell,
        until=time.monotonic() + min(mutation.seconds, bench.limits.wall_seconds),
        known=mutation.known if mutation.memory is None else mutation.memory.known(project, around)))
    ruled = ("rules of your own are for Python alone",) if mutation.rules else ()
    result = replace(result, dropped=part.dropped, notes=(*part.notes, *ruled, *notes, *result.notes))
    if mutation.memory is not None:
        mutation.memory.keep(project, around, result)
    return result


def _order(mutation: Mutation, mutants: Sequence[Mutant], project: str) -> list[int]:
    if mutation.most is not None:
        return draw(mutants)[:max(0, mutation.most)]
    return dealt(mutants, mutation.memory.experience(project) if mutation.memory is not None else Experience())


class _Counter:
    """Counts on from part to part."""

    def __init__(self, tell: Tell | None) -> None:
        self._tell, self._before, self._last = tell, (0, 0), (0, 0)

    def __call__(self, done: int, total: int, one: Judged) -> None:
        self._last = done, total
        if self._tell is not None:
            self._tell(self._before[0] + done, self._before[1] + total, one)

    def next(self) -> None:
        """The next part begins."""
        self._before = self._before[0] + self._last[0], self._before[1] + self._last[1]
        self._last = 0, 0


def _named(family: str, result: MutationResult) -> MutationResult:
    told = (f"{family}: {result.state}",) if result.state in _WORST[:4] else ()
    return replace(result, notes=(*told, *(f"{family}: {note}" for note in result.notes)))


def joined(results: Sequence[MutationResult], *, notes: tuple[str, ...] = ()) -> MutationResult:
    """Several parts as one; parts without a mutant say nothing."""
    if len(results) == 1:
        return replace(results[0], notes=(*notes, *results[0].notes))
    every = [result for result in results if result.state is not State.NO_MUTANTS]
    state = next((state for state in _WORST if any(each.state is state for each in every)), State.NO_MUTANTS)
    return MutationResult(
        state=state, judged=tuple(one for each in results for one in each.judged),
        tests=sum(each.tests for each in every), failing=tuple(name for each in every for name in each.failing),
        flaky=tuple(name for each in every for name in each.flaky),
        dependent=tuple(name for each in every for name in each.dependent),
        compared=sum(each.compared for each in every), differing=sum(each.differing for each in every),
        dropped=sum(each.dropped for each in results), weak=tuple(one for each in every for one in each.weak),
        tries=sum(each.tries for each in every), notes=(*notes, *(note for each in results for note in each.notes)))


def _unknown_paths(
    mutation: Mutation, results: list[MutationResult], parts: Sequence[Part],
) -> tuple[str, ...]:
    """Paths that were asked for and hold no product code of any language; no part says so for itself."""
    from windtunnel.engine.mutation import asked  # noqa: PLC0415 -- it stands above this file

    paths = {path for part in parts for path in part.sources} | {
        one.mutant.path for result in results for one in result.judged}
    found = []
    for path in mutation.paths:
        note = f"{path}: no product code there"
        known = any(asked(name, (path,)) for name in paths)
        for number, result in enumerate(results) if known else ():
            results[number] = replace(result, notes=tuple(each for each in result.notes if each != note))
        told = any(note in result.notes for result in results)
        found += [note] if not known and not told else []
    return tuple(found)
