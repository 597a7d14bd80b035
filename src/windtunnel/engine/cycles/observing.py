"""What a simulation shows of a project under one scenario, as metrics.

A section run counts as one call: it returned where the section is not broken. What a section costs is its median call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from windtunnel.core.errors import WindtunnelError
from windtunnel.core.metric import Observation, Prices, UnderFault
from windtunnel.core.section import Section, SectionKind
from windtunnel.core.simulation import Outcome, Simulation, State
from windtunnel.engine.analyze import analyze
from windtunnel.metrics.discrepancies.compare import find_discrepancies, read_files
from windtunnel.metrics.table import measure_all

_UNSAFE = ("never returned", "ended the process")
_MOST_SOURCE, _MOST_FILES = 256 * 1024, 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Still:
    """What is known of a project without running it."""

    sources: tuple[str, ...] = ()
    maintainability: float | None = None
    discrepancies: int | None = None
    prices: Prices = field(default_factory=Prices)


def still(root: Path, sections: Sequence[Section], *, prices: Prices | None = None) -> Still:
    """Read the project; what cannot be read is not known."""
    paths = sorted({one.path for one in sections if one.kind is not SectionKind.TEST})[:_MOST_FILES]
    texts = [text for path in paths if (text := _text(root / path))]
    try:
        index = analyze(root, cache_dir=None).metrics.maintainability
    except WindtunnelError:
        index = None
    return Still(sources=tuple(texts), maintainability=index, prices=prices or Prices(),
                 discrepancies=len(find_discrepancies(read_files(root))))


def metrics_of(made: Simulation, scenario: str, known: Still) -> dict[str, float]:
    """All metrics of the project under one scenario that can be told."""
    told = measure_all(observation([one for one in made.outcomes if one.scenario == scenario], made, known))
    return {name: one.value for name, one in told.items() if one.value is not None}


def observation(outcomes: Sequence[Outcome], made: Simulation, known: Still) -> Observation:
    """Of these section runs."""
    run = [one for one in outcomes if one.state is not State.NOT_RUN]
    broken = [one for one in run if one.state is State.BROKEN]
    paths = {one.path for one in made.sections}
    return Observation(
        calls=len(run), raised=len(broken), unsafe=sum(one.reason.startswith(_UNSAFE) for one in broken),
        call_seconds=tuple(one.seconds for one in run), wall_seconds=sum(one.seconds for one in run),
        cpu_seconds=sum(one.cpu_seconds for one in run), faults=_faults(run, made),
        modules=len(paths | {name.partition(":")[0] for name in made.skipped}), modules_called=len(paths),
        functions=len(made.sections) + len(made.skipped), functions_returned=len(made.sections),
        sources=known.sources, maintainability=known.maintainability, discrepancies=known.discrepancies,
        prices=known.prices)


def modules_of(outcomes: Sequence[Outcome]) -> Mapping[str, float]:
    """By file: the share of its section runs that were not broken."""
    runs: dict[str, list[bool]] = {}
    for one in outcomes:
        if one.state is not State.NOT_RUN:
            runs.setdefault(one.section.partition(":")[0], []).append(one.state is not State.BROKEN)
    return {name: sum(some) / len(some) for name, some in runs.items()}


def _faults(run: Sequence[Outcome], made: Simulation) -> tuple[UnderFault, ...]:
    named = {one.name: one for one in made.scenarios}
    found: dict[str, list[bool]] = {}
    for one in run:
        for fault in sorted(named[one.scenario].faults):
            found.setdefault(str(fault), []).append(one.state is not State.BROKEN)
    return tuple(UnderFault(fault=name, calls=len(some), returned=sum(some)) for name, some in found.items())


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_MOST_SOURCE).decode("utf-8", "replace")
    except OSError:
        return ""
