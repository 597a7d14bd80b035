"""The report of a simulation: one file that needs nothing else, asks nobody for anything, and runs no program."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from windtunnel.core.errors import SandboxFailure
from windtunnel.core.scenario import Condition
from windtunnel.core.seen import CellState, SectionRow, SimulationReport
from windtunnel.engine.report.document import document, rules_of
from windtunnel.engine.report.parts import Column, Markup, element, joined, moment, table
from windtunnel.engine.report_simulation.heat import heat_table
from windtunnel.engine.report_simulation.plots import plot_picture
from windtunnel.engine.report_simulation.style import STYLE

_RULES = rules_of(STYLE)
_MOST_SECTIONS, _MOST_PLOTS, _MOST_CONDITIONS = 1000, 100, 2000
_MOST_BLAMED = 10


def page(report: SimulationReport) -> str:
    """All of it, as HTML; the same report gives the same page."""
    parts = [(name, title, body) for name, title, body in _parts(report) if body]
    links = [Markup(f"{element('a', title, href=f'#{name}')} ") for name, title, _ in parts]
    body = element(
        "main", _top(report), _tiles(report), element("nav", *links, aria_label="sections"),
        *(element("section", element("h2", title), body, id=name) for name, title, body in parts))
    return document("Simulation report", style=STYLE, rules=_RULES, body=body)


def write_page(report: SimulationReport, path: Path) -> None:
    """Into a file; half letters, which no file can hold, are shown by their numbers already."""
    try:
        path.write_text(page(report), encoding="utf-8")
    except OSError as error:
        raise SandboxFailure(f"{path}: the report cannot be written: {error.strerror}") from error


def _parts(report: SimulationReport) -> Iterator[tuple[str, str, Markup]]:
    yield "heat", "Sections under conditions", heat_table(report.heat)
    yield "plots", "Over the cycles", _plots(report)
    yield "sections", "Each section", _sections(report.sections)
    yield "conditions", "Conditions, requested and measured", _conditions(report)
    notes = element("ul", *(element("li", note) for note in report.notes), of="plain") if report.notes else Markup("")
    yield "notes", "Notes", notes


def _top(report: SimulationReport) -> Markup:
    about = joined("Of ", element("b", report.target), ", run ", element("code", report.run), " with seed ",
                   str(report.seed), ", made ", moment(report.made), " (UTC).")
    broken = sum(CellState.BROKEN in cells for cells in report.heat.cells)
    words = f"{broken} of {len(report.heat.rows)} sections break under some condition."
    return joined(element("h1", "Simulation report"), element("p", about, of="lead"),
                  element("div", words, of="banner bad" if broken else "banner good", role="status"))


def _tiles(report: SimulationReport) -> Markup:
    counts = report.heat.counts
    numbers = (("sections", len(report.heat.rows)), ("scenarios", len(report.heat.columns)),
               ("cells broken", counts[CellState.BROKEN]), ("cells slow", counts[CellState.SLOW]),
               ("sections skipped", sum(bool(row.skipped) for row in report.sections)),
               ("conditions not real", sum(not one.real for found in report.conditions.values() for one in found)))
    return element("ul", *(element("li", element("b", number), element("span", name)) for name, number in numbers),
                   of="tiles")


def _sections(rows: tuple[SectionRow, ...]) -> Markup:
    if not rows:
        return Markup("")
    columns = (Column("section"), Column("file"), Column("calls", "number"), Column("broken", "number"),
               Column("slow", "number"), Column("median call", "number"), Column("under"), Column("how"),
               Column("skipped because"))
    cells = [(row.name, row.file, row.calls, row.broken, row.slow, _seconds(row.seconds), _blamed(row), row.how,
              row.skipped)
             for row in rows[:_MOST_SECTIONS]]
    return joined(table(columns, cells), _more(len(rows) - _MOST_SECTIONS, "sections"))


def _blamed(row: SectionRow) -> str:
    more = f" and {len(row.blamed) - _MOST_BLAMED} more" if len(row.blamed) > _MOST_BLAMED else ""
    return ", ".join(row.blamed[:_MOST_BLAMED]) + more


def _plots(report: SimulationReport) -> Markup:
    if not report.plots:
        return Markup("")
    legend = element("p", "The line is what was measured, the dashed one what was foretold for the same cycle, and the "
                          "band the interval of the forecast.", of="note")
    shown = element("div", *(plot_picture(plot) for plot in report.plots[:_MOST_PLOTS]), of="plots")
    return joined(shown, legend, _more(len(report.plots) - _MOST_PLOTS, "metrics"))


def _conditions(report: SimulationReport) -> Markup:
    rows = [(scenario, one.name, one.requested, one.measured, _held(one), one.reason)
            for scenario, found in report.conditions.items() for one in found]
    if not rows:
        return Markup("")
    columns = (Column("scenario"), Column("condition"), Column("requested"), Column("measured"), Column("holds"),
               Column("why not"))
    return joined(table(columns, rows[:_MOST_CONDITIONS]), _more(len(rows) - _MOST_CONDITIONS, "conditions"))


def _held(one: Condition) -> Markup:
    if not one.real:
        return element("span", "no", of="tag bad")
    return element("span", "about" if one.approximate else "yes", of="tag warn" if one.approximate else "tag good")


def _seconds(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value * 1000:.3g} ms" if value < 1 else f"{value:.3g} s"


def _more(count: int, what: str) -> Markup:
    return element("p", f"and {count} more {what}", of="note") if count > 0 else Markup("")
