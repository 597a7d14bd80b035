"""One run of cycles over a clone of a project: scenarios, a simulation, a change that helps, what all that gained.

What holds: the project itself is only read. The journal says what is finished, and all else can be made from it again:
the clone is the project with the kept diffs applied, ``roi_history.json`` is the journal in another form.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from windtunnel.core.scenario import Scenario
from windtunnel.core.section import Section
from windtunnel.core.series import Advice, Cycle, Objective, Run
from windtunnel.core.simulation import Simulation
from windtunnel.engine.cycles.cloning import HISTORY, apply_diff, remade
from windtunnel.engine.cycles.observing import costly, modules_of, told, unmeasured, unreal_notes, values_of
from windtunnel.engine.cycles.reading import Reading, Still
from windtunnel.engine.cycles.records import cycles_in, edges_in, foretold, gains, history_of, metric_means, record_of
from windtunnel.engine.cycles.tried import Looked
from windtunnel.engine.recovery.journal import Journal
from windtunnel.engine.recovery.resuming import Cycle as Turn
from windtunnel.engine.recovery.resuming import resume
from windtunnel.returns.files import write_history
from windtunnel.returns.stopping import advise
from windtunnel.scenarios.adapt import adapt_presets


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What a run does in each cycle; each of these is the same when asked again."""

    project: Path
    simulate: Callable[[Path, tuple[Scenario, ...], int], Simulation]
    """A folder, scenarios and a seed."""
    scenarios: Callable[[int], tuple[Scenario, ...]]
    """Those of a run that begins with this seed."""
    improve: Callable[[Path, int, Sequence[Mapping[str, Any]]], Looked]
    """Looks for what helps a folder, by a seed and the records of finished cycles."""
    objective: Objective
    max_iterations: int
    more: Callable[[float, float, Mapping[str, float]], Mapping[str, float]] = lambda _before, _after, _used: {}
    """Further metrics: from the value before, the value now and what was used."""
    noted: Callable[[], Sequence[str]] = lambda: ()
    """What went wrong with those since it was asked last."""
    read: Callable[[Path, Sequence[Section]], Still] = field(default_factory=lambda: Reading().still)
    """What is known of a folder without running it."""
    missed: Callable[[Mapping[str, str]], None] = lambda _reasons: None
    """Hears which metrics a cycle could not tell, with the reasons."""
    keep: Callable[[int, Mapping[str, float]], None] = lambda _cycles, _metrics: None
    """Hears how many cycles are finished, and what the last one measured."""


def run(journal: Journal, work: Work, *, data: Path) -> tuple[tuple[Mapping[str, Any], ...], Advice]:
    """Do what is left of it; the records of all cycles, and what was advised at the end."""
    clone = remade(journal.folder, work.project, data=data,
                   diffs=[diff for record in journal.records for diff in record["kept"]])
    started = Run(id=journal.head.id, seed=journal.head.seed, started=_started(journal))

    def step(turn: Turn) -> Mapping[str, Any]:
        made = _cycle(turn, work, clone, first_seed=journal.head.seed)
        keep((*turn.before, made))
        return made

    def keep(records: Sequence[Mapping[str, Any]]) -> None:
        for folder in (data, journal.folder):  # the newest of all runs, and each run's own
            write_history(folder / HISTORY, history_of(records, run=started))
        work.keep(len(records), summary(records))

    records = resume(journal, step, most_cycles=work.max_iterations,
                     until=lambda done: advise(gains(done), cost=work.objective.cost).stop)
    keep(records)
    return records, advise(gains(records), cost=work.objective.cost)


def _cycle(turn: Turn, work: Work, clone: Path, *, first_seed: int) -> dict[str, Any]:
    before = list(turn.before)
    first = work.scenarios(first_seed)
    scenarios = first
    for at in range(len(before)):
        scenarios = adapt_presets(scenarios, gains(before[:at + 1]), first=first, edges=edges_in(before[at]))
    looked = Looked()
    if before:  # the first cycle shows how things stand
        looked = work.improve(clone, turn.seed, before)
        for diff in looked.kept:
            apply_diff(clone, diff)
    made = work.simulate(clone, scenarios, first_seed)
    gained = _gained(made, before, work, clone)
    looked = replace(looked, notes=(*looked.notes, *unreal_notes(made, before), *work.noted()))
    return record_of(gained, predicted=foretold(before), looked=looked,
                     costly=costly(made), failing=made.failing, edges=[one.edge for one in made.edges])


def _gained(made: Simulation, before: Sequence[Mapping[str, Any]], work: Work, clone: Path) -> list[Cycle]:
    """A cycle for each scenario: its value less the value of the last one, under as many scenarios as before."""
    known = work.read(clone, made.sections)
    last = cycles_in(before[-1:])
    found = []
    for at, scenario in enumerate(made.scenarios):
        outcomes = [one for one in made.outcomes if one.scenario == scenario.name]
        values = values_of(made, scenario.name, known)
        metrics = told(values)
        work.missed(unmeasured(values))
        value = work.objective.value(metrics)
        earlier = work.objective.value(last[at].metrics) if at < len(last) else value
        used = {"cpu": sum(one.cpu_seconds for one in outcomes), "seconds": sum(one.seconds for one in outcomes)}
        further = work.more(earlier, value, used)
        modules = _moved(modules_of(outcomes), last[at].resources if at < len(last) else {})
        found.append(Cycle(
            roi=value - earlier, time=time.time(), scenario=scenario.name, metrics={**metrics, **further},
            modules=modules,
            resources={**used, **{f"held {name}": one for name, one in modules_of(outcomes).items()}}))
    return found


def _moved(now: Mapping[str, float], before: Mapping[str, float]) -> dict[str, float]:
    """By file: how its share of unbroken section runs moved."""
    return {name: value - before.get(f"held {name}", value) for name, value in now.items()}


def _started(journal: Journal) -> float:
    return float(journal.head.options.get("started", 0.0))


def summary(records: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The last value of each metric, the mean over scenarios."""
    return metric_means(cycles_in(records[-1:]))
