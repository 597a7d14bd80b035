"""The heat map as a table: each cell has a letter, so that it says the same without colour."""

from __future__ import annotations

from windtunnel.core.seen import SHADES, Cell, CellState, HeatMap, shade
from windtunnel.engine.report.parts import Markup, element, joined

MOST_ROWS, MOST_COLUMNS = 500, 100
_SIGNS = {CellState.OK: "·", CellState.SLOW: "▒", CellState.BROKEN: "█", CellState.NOT_RUN: ""}
_SHADES = "·░▒▓█"


def heat_table(heat: HeatMap) -> Markup:
    """Sections by scenarios, with what the letters mean below."""
    if not heat.rows or not heat.columns:
        return element("p", "Nothing was run.")
    columns = heat.columns[:MOST_COLUMNS]
    head = element("tr", element("th", ""), *(element("th", name, of="turned", scope="col", title=name)
                                              for name in columns))
    rows = [element("tr", element("th", name, of="name", scope="row", title=name),
                    *(_cell(cell, f"{name}, {column}") for cell, column in zip(cells, columns, strict=False)))
            for name, cells in list(zip(heat.rows, heat.cells, strict=True))[:MOST_ROWS]]
    table = element("table", element("thead", head), element("tbody", *rows), of="heat")
    return joined(element("div", table, of="scroll"), _legend(heat), _more(heat))


def _cell(cell: Cell, where: str) -> Markup:
    sign, of, word = _look(cell)
    return element("td", sign, of=of, title=f"{where}: {word}")


def _look(cell: Cell) -> tuple[str, str, str]:
    """Letter, class and word."""
    if isinstance(cell, CellState):
        return _SIGNS[cell], cell.value.replace(" ", "-"), cell.value
    return _SHADES[shade(cell)], f"shade{shade(cell)}", f"{cell:.3g}"


def _legend(heat: HeatMap) -> Markup:
    counts = heat.counts
    states = [(_look(state), f"{state.value} ({count})") for state, count in counts.items() if count]
    shares = [(_look(step / SHADES), f"{step / SHADES:g} to {(step + 1) / SHADES:g}") for step in range(SHADES)]
    shown = states + (shares if sum(counts.values()) < len(heat.rows) * len(heat.columns) else [])
    return element("p", *(element("span", element("i", sign, of=of), word) for (sign, of, _), word in shown),
                   of="legend")


def _more(heat: HeatMap) -> Markup:
    rows, columns = len(heat.rows) - MOST_ROWS, len(heat.columns) - MOST_COLUMNS
    words = [f"{count} more {what}" for count, what in ((rows, "sections"), (columns, "scenarios")) if count > 0]
    return element("p", f"and {' and '.join(words)}", of="note") if words else Markup("")
