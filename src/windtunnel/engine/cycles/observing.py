"""What a simulation shows of a project under one scenario, as metrics.

A section run counts as one call: it returned where the section is not broken. What a section costs is its median call.
A section that breaks with no condition by a mistake of its own is a call that raised, under every scenario.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from windtunnel.core.metric import Observation, UnderFault, Value, missing
from windtunnel.core.simulation import Outcome, Simulation, State
from windtunnel.engine.cycles.reading import Still
from windtunnel.metrics.table import measure_all

_UNSAFE = ("never returned", "ended the process")
_MOST_COSTLY = 20
_UNREAL = "is not real here"


def metrics_of(made: Simulation, scenario: str, known: Still) -> dict[str, float]:
    """All metrics of the project under one scenario that can be told."""
    return told(values_of(made, scenario, known))


def told(values: Mapping[str, Value]) -> dict[str, float]:
    """Those that were measured."""
    return {name: one.value for name, one in values.items() if one.value is not None}


def unmeasured(values: Mapping[str, Value]) -> dict[str, str]:
    """The others, each with the reason why it cannot be told."""
    return {name: one.reason for name, one in values.items() if one.value is None}


def values_of(made: Simulation, scenario: str, known: Still) -> dict[str, Value]:
    """Every metric under one scenario; what a tool did not tell has the tool's own reason."""
    values = measure_all(observation([one for one in made.outcomes if one.scenario == scenario], made, known))
    covered = made.covered.reason if made.covered is not None else ""
    for name, why in (("security_score", known.unscanned), ("coverage", covered)):
        if why and values[name].value is None:
            values[name] = missing(why)
    return values


def observation(outcomes: Sequence[Outcome], made: Simulation, known: Still) -> Observation:
    """Of these section runs."""
    run = [one for one in outcomes if one.state is not State.NOT_RUN]
    broken = [one for one in run if one.state is State.BROKEN]
    paths = {one.path for one in made.sections}
    return Observation(
        calls=len(run) + len(made.failing), raised=len(broken) + len(made.failing),
        unsafe=sum(one.reason.startswith(_UNSAFE) for one in broken),
        call_seconds=tuple(one.seconds for one in run), wall_seconds=sum(one.seconds for one in run),
        cpu_seconds=sum(one.cpu_seconds for one in run), faults=_faults(run, made),
        modules=len(paths | {name.partition(":")[0] for name in made.skipped}), modules_called=len(paths),
        functions=len(made.sections) + len(made.skipped), functions_returned=len(made.sections),
        line_coverage=made.covered.line_share if made.covered is not None else None,
        branch_coverage=made.covered.branch_share if made.covered is not None else None,
        token_entropy=known.token_entropy, maintainability=known.maintainability, complexities=known.complexities,
        discrepancies=known.discrepancies, findings=known.findings, prices=known.prices)


def modules_of(outcomes: Sequence[Outcome]) -> Mapping[str, float]:
    """By file: the share of its section runs that were not broken."""
    runs: dict[str, list[bool]] = {}
    for one in outcomes:
        if one.state is not State.NOT_RUN:
            runs.setdefault(one.section.partition(":")[0], []).append(one.state is not State.BROKEN)
    return {name: sum(some) / len(some) for name, some in runs.items()}


def costly(made: Simulation) -> tuple[str, ...]:
    """Sections by the processor time of their median call, the mean over scenarios; the most costly first."""
    spent: dict[str, list[float]] = {}
    for one in made.outcomes:
        if one.state is not State.NOT_RUN:
            spent.setdefault(one.section, []).append(one.cpu_seconds)
    means = {name: sum(some) / len(some) for name, some in spent.items()}
    return tuple(sorted(means, key=lambda name: (-means[name], name))[:_MOST_COSTLY])


def unreal_notes(made: Simulation, before: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """What of each scenario could not be made real, with the reason; what a cycle before told of is not told again."""
    known = {note.partition(_UNREAL)[0] for record in before for note in record.get("notes", ()) if _UNREAL in note}
    rows = [(f"{scenario}: {one.name} ", one) for scenario, some in made.conditions.items()
            for one in some if not one.real]
    return tuple(f"{head}{_UNREAL}: {one.requested}: {one.reason}"[:300] for head, one in rows if head not in known)


def _faults(run: Sequence[Outcome], made: Simulation) -> tuple[UnderFault, ...]:
    named = {one.name: one for one in made.scenarios}
    found: dict[str, list[bool]] = {}
    for one in run:
        for fault in sorted(named[one.scenario].faults):
            found.setdefault(str(fault), []).append(one.state is not State.BROKEN)
    return tuple(UnderFault(fault=name, calls=len(some), returned=sum(some)) for name, some in found.items())
