"""A simulation as people look at it: a heat map and a row for each section."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from datetime import UTC, datetime

from windtunnel.core.seen import CellState, HeatMap, Plot, SectionRow, SimulationReport
from windtunnel.core.simulation import Simulation, State


def heat_of(made: Simulation, *, most: int | None = None) -> HeatMap:
    """Sections by scenarios, those that break in most of them first."""
    cells = {(one.section, one.scenario): CellState(one.state) for one in made.outcomes}
    columns = [one.name for one in made.scenarios]
    rows = {section.id: tuple(cells.get((section.id, name), CellState.NOT_RUN) for name in columns)
            for section in made.sections}
    order = sorted(rows, key=lambda name: (-rows[name].count(CellState.BROKEN), -rows[name].count(CellState.SLOW)))
    return HeatMap(rows=tuple(order[:most]), columns=tuple(columns), cells=tuple(rows[name] for name in order[:most]))


def report_of(made: Simulation, *, plots: tuple[Plot, ...] = ()) -> SimulationReport:
    """All that stands in the page."""
    edges = (f"{one.section}: {one.words}" for one in made.edges)
    return SimulationReport(
        target=made.project, run=made.id, seed=made.seed, made=datetime.now(UTC).isoformat(timespec="seconds"),
        heat=heat_of(made), sections=tuple(_rows(made)), plots=plots, conditions=made.conditions,
        notes=(*edges, *made.notes))


def _rows(made: Simulation) -> Iterator[SectionRow]:
    blamed = {one.section: one for one in made.blames}
    for section in made.sections:
        told = [one for one in made.outcomes if one.section == section.id]
        seconds = [one.calm_seconds for one in told if one.calls]
        blame = blamed.get(section.id)
        yield SectionRow(
            name=section.name, file=section.path, calls=sum(one.calls for one in told),
            broken=sum(one.state is State.BROKEN for one in told), slow=sum(one.state is State.SLOW for one in told),
            seconds=statistics.median(seconds) if seconds else None,
            blamed=blame.conditions if blame is not None else (), how=blame.reason if blame is not None else "")
    for name, reason in (*made.skipped.items(), *made.unsteady.items()):
        file, _, short = name.partition(":")
        yield SectionRow(name=short, file=file, skipped=reason)
