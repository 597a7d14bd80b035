"""Would the tests have noticed? Seeded defects, each judged by the tests that run it, inside one sandbox.

What holds: the project on disk is never touched; a fate counts only after the tests passed three times without any
mutant, once from the last to the first, and noticed a forced failure; each mutant finds the project's files as they
were; a sample of the fates found in memory is found again in processes that load the mutant, in every run. A limit of
time is one of the processor's time, so that a busy machine changes no fate. What does not hold: code that another
process loads is only seen where a test starts it; a project that wants its mutants to be called noticed can have that.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from windtunnel.checks.discover import discover
from windtunnel.checks.live import invocation
from windtunnel.checks.project import Folder
from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.core.limits import GIB, Limits
from windtunnel.core.mutation import Experience, Judged, Kept, Memory, Mutant, MutationResult, State
from windtunnel.core.ports import Rig
from windtunnel.core.result import Artifact, Reason
from windtunnel.core.testfile import is_test
from windtunnel.core.tool import Ask, Invocation
from windtunnel.core.trial import Check, Kind
from windtunnel.engine.checking import Step, run_invocation
from windtunnel.engine.foreign import door as foreign
from windtunnel.engine.ground import Ground, make_ground
from windtunnel.engine.mutation_order import dealt, draw
from windtunnel.engine.mutation_records import Hearing, Told
from windtunnel.engine.mutation_surroundings import python_files, surroundings
from windtunnel.engine.mutation_weakness import hollow
from windtunnel.engine.premises import check_project, check_seconds, trial_limits
from windtunnel.languages.search import which
from windtunnel.mutation.table import names_of, rows, scripts

if TYPE_CHECKING:
    from windtunnel.mutation.operator import Operator

_RUNNER = "windtunnel_mutants.py"
_LEFT_ALONE = ("setup.py", "conftest.py", "noxfile.py", "tasks.py")
_LEFT_ALONE_FOLDERS = ("docs", "doc", "examples", "benchmarks", "scripts", "build")
_MOST_MEMORY = GIB // 2
"""For one mutant beyond what the collected tests take."""
_MOST_MUTANTS = 50_000
"""Of more than these a random part is judged, and the result says so."""
_OF_WALL = 0.95
"""Of the sandbox's time is for judging; the rest is for its beginning and end."""
_MOST_BEGINNINGS = 5
"""How often the runner is begun anew after a mutant ended it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """What to mutate, and how to judge it."""

    project: str | os.PathLike[str]
    lines: Mapping[str, Collection[int]] | None = None
    """Only these lines of these files; None for all of the product's own code."""
    paths: Sequence[str] = ()
    """Only these files or folders; all where it is empty."""
    operators: Collection[str] | None = None
    rules: Sequence[Operator] = ()
    """The user's own operators, beside ours."""
    extra: Sequence[Mutant] = ()
    """More mutants of the same files, judged with the others."""
    distrusted: Mapping[str, Collection[int]] = field(default_factory=dict)
    """Lines whose comments exempt nothing from being mutated."""
    test: str | Sequence[str] | None = None
    overlay: Mapping[str, Artifact | None] = field(default_factory=dict)
    """A change to be judged, laid over the project."""
    seconds: float = 600.0
    """Of the clock; what had no turn by then is not judged, and the result says so."""
    most: int | None = None
    """Only so many mutants, drawn at random; the result says what that tells of all."""
    sample: int = 20
    """How many fates found in memory are found again in processes that load the mutant."""
    narrow: bool = False
    """Whether tests matter only as far as they may reach a mutant: the others run once, and what flickers among them
    is not looked for."""
    enough: tuple[float, int | None] | None = None
    """With ``narrow``: the share to be noticed, and the most that may not be. Once tests that name mutated functions
    have reached that, and noticed the parts put back, the others are not asked; None asks all at once."""
    way: str = ""
    """``fresh`` has every mutant loaded anew, which is slow and needs no comparing."""
    jobs: int | None = None
    limits: Limits | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    known: Mapping[str, Kept] = field(default_factory=dict)
    """Fates from before, by the id of the mutant; taken where nothing that they rest on is different."""
    memory: Memory | None = None
    """Where fates are kept; ``known`` comes from there, and what is found goes there."""
    suggest: float = 0.0
    """Seconds for each step of looking for tests that survivors would not survive; 0 for not looking."""
    tell: Callable[[int, int, Judged], None] | None = None
    """Hears of each fate: how many there are by now, how many there will be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """One run made ready."""

    ground: Ground
    check: Check
    mutation: Mutation
    found: Sequence[Mutant]
    files: Mapping[str, bytes]
    known: Mapping[str, Kept]
    watch: Sequence[str]
    limits: Limits
    until: float
    hearing: Hearing


def mutate(rig: Rig, mutation: Mutation) -> MutationResult:
    """The fate of every mutant."""
    begun = time.monotonic()
    check_seconds(mutation.seconds)
    project = check_project(mutation.project, private=rig.private)
    folder = Folder(project, search=which)
    if foreign.concerns(folder, mutation.test):
        from windtunnel.engine.foreign.parts import judged  # noqa: PLC0415 -- it loads the other grammars

        whole = judged(rig, mutation, folder, python=lambda part: mutate(rig, part))
        if whole is not None:
            return whole
    check = _check(folder, mutation)
    product = product_files(folder, mutation.overlay)
    files, notes = _asked_files(product, mutation)
    found, dropped, more_notes = _mutants(files, mutation)
    notes += more_notes
    if not found:
        return MutationResult(state=State.NO_MUTANTS, dropped=dropped, notes=notes,
                              execution_time=time.monotonic() - begun)
    ground = make_ground(rig, project, discover(folder, build="", lint="", test=mutation.test))
    around = surroundings(ground, check, product, mutation) if mutation.memory is not None else ""
    limits = _limits(rig, mutation)
    seconds = min(mutation.seconds, limits.wall_seconds * _OF_WALL)
    if seconds < mutation.seconds:
        notes += (f"{seconds:.0f} seconds are the most that the settings allow (trial_seconds)",)
    order = _order(mutation, found, project=project)
    plan = _Plan(
        ground=ground, check=check, mutation=mutation, found=found, files=files, limits=limits, until=begun + seconds,
        known=mutation.known if mutation.memory is None else mutation.memory.known(project, around),
        watch=[] if mutation.memory is None else list(product), hearing=Hearing(found, mutation.tell, total=len(order)))
    told, harmful = _judge(rig, plan, order)
    result = told.result(found, harmful=harmful)
    weak = hollow(result, folder, mutation.overlay, narrow=mutation.narrow)
    result = replace(result, dropped=dropped, notes=(*notes, *result.notes), weak=weak,
                     execution_time=time.monotonic() - begun)
    if mutation.memory is not None:
        mutation.memory.keep(project, around, result)
    return result


def _limits(rig: Rig, mutation: Mutation) -> Limits:
    """As asked for; without a word the usual ones, with as much time as was asked for and may be had."""
    limits = trial_limits(mutation.limits, caps=replace(rig.caps, wall_seconds=rig.trial_seconds))
    if mutation.limits is not None:
        return limits
    return replace(limits, wall_seconds=min(rig.trial_seconds, max(limits.wall_seconds, mutation.seconds / _OF_WALL)))


def _check(folder: Folder, mutation: Mutation) -> Check:
    checks = discover(folder, build="", lint="", test=mutation.test)
    check = next((check for check in checks.of(Kind.TEST) if check.tool == "pytest"), None)
    if check is None:
        other = ", ".join(check.tool for check in checks.of(Kind.TEST)) or "no test command"
        missing = f" ({checks.missing[0]})" if checks.missing else ""
        raise UsageError(f"test: mutants are judged by pytest, or by test runners of JavaScript, Go, Rust or Java, and "
                         f"this project has {other}{missing}; pytest also runs tests of unittest: --test pytest",
                         field="test")
    return check


def product_files(folder: Folder, overlay: Mapping[str, Artifact | None]) -> dict[str, bytes]:
    """The product's own Python code as the change has it: no tests, nothing that only builds or shows."""
    found = {}
    for path in dict.fromkeys((*folder.glob("**/*.py"), *overlay)):
        laid = overlay.get(path)
        data = laid.data if laid is not None else None if path in overlay else folder.read(path)
        if data is not None and is_product(path):
            found[path] = data
    return found


def is_product(path: str) -> bool:
    """Whether a file is the product's own Python code: no test, nothing that only builds or shows."""
    parts = PurePosixPath(path).parts
    return (path.endswith(".py") and not is_test(path) and parts[-1] not in _LEFT_ALONE
            and not set(parts[:-1]) & set(_LEFT_ALONE_FOLDERS))


def _asked_files(product: Mapping[str, bytes], mutation: Mutation) -> tuple[dict[str, bytes], tuple[str, ...]]:
    found = {path: data for path, data in product.items() if asked(path, mutation.paths)
             and (mutation.lines is None or mutation.lines.get(path))}
    missing = [path for path in mutation.paths if not any(asked(name, (path,)) for name in found)]
    return found, tuple(f"{path}: no product code there" for path in missing)


def asked(path: str, wanted: Sequence[str]) -> bool:
    """Whether a path is one of those that were asked for, or below one; all are where none was."""
    return not wanted or any(PurePosixPath(path).is_relative_to(PurePosixPath(one)) for one in wanted)


def _mutants(files: Mapping[str, bytes], mutation: Mutation) -> tuple[list[Mutant], int, tuple[str, ...]]:
    from windtunnel.mutation.screening import screened  # noqa: PLC0415 -- it loads the reader of trees

    found: list[Mutant] = []
    dropped, notes = 0, []
    for path, source in files.items():
        lines = None if mutation.lines is None else mutation.lines[path]
        try:
            made = screened(source, path=path, lines=lines, operators=mutation.operators, custom=mutation.rules,
                            distrusted=mutation.distrusted.get(path, ()))
        except UsageError as error:
            if error.field == "operators":
                raise
            notes.append(str(error))
            continue
        dropped += sum(made.dropped.values())
        found += made.mutants
    found += [mutant for mutant in mutation.extra if mutant.path in files]
    if len(found) > _MOST_MUTANTS:
        notes.append(f"{len(found)} mutants, of which {_MOST_MUTANTS} were drawn at random (name fewer files for all)")
        found = [found[number] for number in sorted(draw(found)[:_MOST_MUTANTS])]
    return found, dropped, tuple(notes)


def _order(mutation: Mutation, found: Sequence[Mutant], *, project: str) -> list[int]:
    if mutation.most is not None:
        return draw(found)[:max(0, mutation.most)]
    return dealt(found, mutation.memory.experience(project) if mutation.memory is not None else Experience())


def _judge(rig: Rig, plan: _Plan, order: Sequence[int]) -> tuple[Told, list[int]]:
    """Run the runner, and again without those under way where one of them ended it; what was told, and who did so."""
    records: list[Mapping[str, object]] = []
    harmful: list[int] = []
    for beginning in range(_MOST_BEGINNINGS):
        told, reason, failure = _run(rig, plan, order)
        if not told.records and not beginning:
            raise SandboxFailure(f"the tests could not be started ({failure})")
        records += told.records
        whole = Told(records=tuple(records))
        open_ones = whole.open()
        if told.ended or not open_ones or reason is Reason.TIMEOUT or time.monotonic() > plan.until:
            break
        harmful += sorted(open_ones)
        order = [number for number in order if number not in whole.judged() | set(harmful)]
        records = [record for record in records if record.get("mutant") not in harmful]
    return Told(records=tuple(records)), harmful


def _run(rig: Rig, plan: _Plan, order: Sequence[int]) -> tuple[Told, Reason, str]:
    mutation, limits = plan.mutation, plan.limits
    workers = mutation.jobs or max(1, int(limits.cores))
    key = secrets.token_hex(16)
    made = rows(plan.found, plan.files, narrow=mutation.narrow)
    ready = _invocation(plan.check, key, {
        "mutants": made, "order": list(order), "narrow": mutation.narrow, "enough": mutation.enough,
        "names": names_of(made) if mutation.enough is not None else [], "watch": list(plan.watch), "workers": workers,
        "named": sorted({*python_files(plan.ground.project), *mutation.overlay}),
        "seconds": max(1.0, plan.until - time.monotonic()), "sample": mutation.sample, "way": mutation.way,
        "memory": min(_MOST_MEMORY, limits.memory_bytes // (workers + 2)),
        "known": {name: (one.fate, one.footprint, one.by) for name, one in plan.known.items()}})
    step = Step(check=plan.check, overlay=mutation.overlay, limits=limits, env=mutation.env, on_test=plan.hearing)
    output, result = run_invocation(rig, plan.ground, step, ready, key=key)
    tail = output.stderr[-800:].decode("utf-8", "replace").strip()
    return Told(records=output.records), result.reason, f"{result.reason}, exit code {output.exit_code}: {tail}"


def _invocation(check: Check, key: str, more: Mapping[str, object]) -> Invocation:
    """The project's own command by way of our runner."""
    usual = invocation(check, Ask(key=key), scripts=(_RUNNER,), own=scripts())
    options = json.loads(usual.files["windtunnel_options.json"]) | more
    return replace(usual, files={**usual.files, "windtunnel_options.json": json.dumps(options).encode()})
