"""Sections of a project called in a sandbox: inputs found for them once, and the same calls made again.

What holds: no code of the project runs outside of the sandbox, and its files stay as they are. What comes back is read
as hostile text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from windtunnel.checks.project import Folder
from windtunnel.core.errors import UsageError
from windtunnel.core.language import BASE_ENV, Language, Toolchain, usual_env
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Job, Network, Rig
from windtunnel.core.result import Artifact, Command, ExecutionResult
from windtunnel.core.section import Call, Called, Ended, Ending, Section, Stubs
from windtunnel.core.tool import OWN, PLACE
from windtunnel.engine.limits import check_limits
from windtunnel.engine.premises import check_project, trial_limits
from windtunnel.engine.simulate.outliving import ENDED_ALL, Part, outlived
from windtunnel.languages.search import which
from windtunnel.mutation.suggest_targets import scripts
from windtunnel.sections.order import (
    IMPORT_SECONDS,
    MOST_REPORT,
    PROGRAM,
    explore,
    harness,
    probe_of,
    read,
    replay,
)

_PROJECT = Language(name="project", suffixes=(".project",), source="main", find=lambda _: None, install="")
_SHARED = ("windtunnel_suggest_vary.py",)
"""Files of another harness that this one uses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where and with what a project's sections are called."""

    project: str
    limits: Limits | None = None
    """The usual ones of trials where none are given."""
    env: Mapping[str, str] = field(default_factory=dict)
    network: Network = field(default_factory=Network)
    overlay: Mapping[str, Artifact | None] = field(default_factory=dict)
    """Laid over the project first; None deletes."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Laid beside the harness, such as ``windtunnel_faults.py``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calling:
    """What came of one sandbox, and of further ones where a section ended the first."""

    called: tuple[Called, ...]
    """One for each section, in the order asked."""
    probe: Mapping[str, object]
    """What the faults were measured to do, in the words of their module."""
    result: ExecutionResult
    """Of the first sandbox."""


def explore_in(
    rig: Rig, place: Place, *, sections: Sequence[Section], seed: int = 0, calls: int = 8, seconds: float = 2.0,
    hostile: int = 0, stubs: Stubs | None = None, recorded: Mapping[str, Sequence[Call]] | None = None, jobs: int = 1,
) -> Calling:
    """Find inputs for these sections; see ``sections.order.explore``."""
    limits = limits_of(rig, place)
    place = replace(place, limits=limits)
    results: list[ExecutionResult] = []

    def run(some: Sequence[Section]) -> tuple[bytes, ExecutionResult]:
        order = explore(some, seed=seed, calls=calls, seconds=seconds, hostile=hostile, stubs=stubs, jobs=jobs,
                        recorded=recorded, memory_bytes=_share(limits, jobs), import_seconds=_import_seconds(limits))
        report, result = _run(rig, place, order, seed=seed, more=stubs.plugins if stubs is not None else {})
        results.append(result)
        return report, result

    told = {one.section.id: one for part in outlived(sections, run) for one in _found(part)}
    return Calling(called=tuple(told[section.id] for section in sections), probe={}, result=results[0])


def _found(part: Part[Section]) -> Iterable[Called]:
    if part.failed:
        return [Called(section=section, failed=part.failed) for section in part.asked]
    return read(part.report, part.asked)


def replay_in(
    rig: Rig, place: Place, *, calls: Sequence[Call], faults: Mapping[str, object] | None = None,
    seconds: float = 5.0, repeats: int = 1, seed: int = 0, jobs: int = 1,
) -> Calling:
    """Make these calls again; see ``sections.order.replay``."""
    limits = limits_of(rig, place)
    place = replace(place, limits=limits)
    heard: list[tuple[bytes, ExecutionResult]] = []

    def run(some: Sequence[Call]) -> tuple[bytes, ExecutionResult]:
        order = replay(some, faults=faults, seconds=seconds, repeats=repeats, seed=seed, jobs=jobs,
                       memory_bytes=_share(limits, jobs), import_seconds=_import_seconds(limits))
        heard.append(_run(rig, place, order, seed=seed, more={}))
        return heard[-1]

    told: dict[str, Called] = {}
    for one in (called for part in outlived(calls, run) for called in _again(part)):
        known = told.get(one.section.id)
        told[one.section.id] = one if known is None else _joined(known, one)
    sections = dict.fromkeys(call.section.id for call in calls)
    report, result = heard[0]
    return Calling(called=tuple(told[name] for name in sections), probe=probe_of(report), result=result)


def _again(part: Part[Call]) -> Iterable[Called]:
    """A call that ended its sandbox ended its process too, and is told as such."""
    if part.failed == ENDED_ALL:
        return [Called(section=call.section, ends=(Ended(call=call, how=Ending.ENDED_PROCESS, message=ENDED_ALL),))
                for call in part.asked]
    sections = {call.section.id: call.section for call in part.asked}
    if part.failed:
        return [Called(section=section, failed=part.failed) for section in sections.values()]
    return read(part.report, sections.values(), calls=part.asked)


def _joined(one: Called, other: Called) -> Called:
    """Calls of one section that were made in several sandboxes."""
    ends = (*one.ends, *other.ends)
    return replace(one, ends=ends, failed="" if ends else one.failed or other.failed)


def _import_seconds(limits: Limits) -> float:
    """For one module: longer where there is less than one core, since that is meant to be slow."""
    return IMPORT_SECONDS / max(0.01, min(1.0, limits.cores))


def run_program(
    rig: Rig, place: Place, *, program: str, order: bytes, files: Mapping[str, bytes], collect: str | None = None,
) -> tuple[bytes, ExecutionResult]:
    """Run another program of ours in the same place; what it printed, and how it ended with what was collected."""
    return _run(rig, place, order, seed=0, more=files, program=program, collect=collect)


def limits_of(rig: Rig, place: Place) -> Limits:
    """As asked for within the caps, or the usual ones of trials."""
    caps = replace(rig.caps, wall_seconds=rig.trial_seconds)
    return check_limits(place.limits, caps=caps) if place.limits is not None else trial_limits(None, caps=caps)


def _share(limits: Limits, jobs: int) -> int:
    """What one section's process may grow by, so that all that run at a time stay below the limit of the sandbox."""
    return limits.memory_bytes * 3 // (4 * jobs)


def _run(
    rig: Rig, place: Place, order: bytes, *, seed: int, more: Mapping[str, bytes], program: str = PROGRAM,
    collect: str | None = None,
) -> tuple[bytes, ExecutionResult]:
    """The report is heard as it comes, so that the limit of kept output does not cut it."""
    heard = bytearray()
    made = job_of(rig, place, order, seed=seed, more=more, started=program)
    job = replace(made, command=replace(made.command, collect=collect),
                  on_stdout=lambda data: heard.extend(data[:MOST_REPORT - len(heard)]))
    result = rig.sandbox.run(job)
    return bytes(heard), result


def job_of(
    rig: Rig, place: Place, order: bytes, *, seed: int, more: Mapping[str, bytes], started: str = PROGRAM,
) -> Job:
    """The harness with an order, as a sandbox runs it; ``more`` files lie beside it, of which one may be started."""
    project = check_project(place.project, private=rig.private)
    folder = Folder(project, search=which)
    program = folder.which("python3") or folder.which("python")
    if program is None:
        raise UsageError("project: 'python3' is not found (to install it: apt-get install python3)", field="project")
    limits = limits_of(rig, place)
    paths = tuple(folder.needs(program).paths)
    shared = {name: scripts()[name] for name in _SHARED}
    env = {**usual_env(Toolchain(run=()), cores=limits.cores), "PATH": BASE_ENV["PATH"],
           "PYTHONHASHSEED": str(seed % 2**32), "PYTHONDONTWRITEBYTECODE": "1", **place.env}
    command = Command(
        argv=(folder.inside(program), f"{OWN}/{started}"), stdin=order, env=env, cwd=PLACE, workspace=project,
        overlay=place.overlay, files={**more, **place.files, **shared, **harness()})
    return Job(command=command, limits=limits, language=_PROJECT, network=place.network, warm=False,
               toolchain=Toolchain(run=command.argv, paths=paths))
