"""A heat map for the terminal: sections by scenarios, in letters that say the same without colour."""

from __future__ import annotations

import shutil
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from windtunnel.cli.render import clean, colour
from windtunnel.core.seen import SHADES, Cell, CellState, HeatMap, shade

_LOOKS = {CellState.OK: ("·", "green"), CellState.SLOW: ("▒", "yellow"), CellState.BROKEN: ("█", "red"),
          CellState.NOT_RUN: (" ", "grey")}
_SHADES = (("·", "green"), ("░", "green"), ("▒", "yellow"), ("▓", "yellow"), ("█", "red"))
_LEAST_NAME, _MOST_NAME = 8, 40
_MOST_ROWS = 40
_LEAST_WIDTH = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class _Room:
    """How much of a map fits."""

    name: int
    """Letters for the name of a row."""
    cell: int
    """For a digit and the space before it."""
    columns: int


def heat_lines(heat: HeatMap, *, width: int | None = None, most_rows: int = _MOST_ROWS) -> Iterator[str]:
    """The map, the names of its columns, and what the letters mean; no line is wider than the terminal."""
    wide = max(_LEAST_WIDTH, width or shutil.get_terminal_size().columns)
    room = _room(heat, wide)
    yield from (colour(line, "bold") for line in _head(room))
    for name, cells in list(zip(heat.rows, heat.cells, strict=True))[:most_rows]:
        yield fit(clean(name), room.name) + "".join(_cell(cell, room.cell) for cell in cells[:room.columns])
    if len(heat.rows) > most_rows:
        yield colour(f"and {len(heat.rows) - most_rows} more rows", "grey")
    yield ""
    digits = len(str(room.columns))
    yield from (fit(f" {at + 1:>{digits}}  {clean(name)}", wide).rstrip()
                for at, name in enumerate(heat.columns[:room.columns]))
    if len(heat.columns) > room.columns:
        yield colour(f"and {len(heat.columns) - room.columns} more columns", "grey")
    yield fit(_legend(heat), wide).rstrip()


def _head(room: _Room) -> Iterator[str]:
    """The numbers of the columns, their digits one below the other, so that more columns fit."""
    digits = len(str(room.columns))
    for place in range(digits):
        numbers = (str(at + 1).rjust(digits)[place].rjust(room.cell) for at in range(room.columns))
        yield (" " * room.name + "".join(numbers)).rstrip()


def _room(heat: HeatMap, wide: int) -> _Room:
    longest = max((breadth(clean(name)) for name in heat.rows), default=0)
    cell = 2
    wanted = min(longest, _MOST_NAME)
    name = max(min(_LEAST_NAME, wide // 2), min(wanted, wide - cell * len(heat.columns)))
    return _Room(name=name, cell=cell, columns=min(len(heat.columns), (wide - name) // cell))


def _cell(cell: Cell, width: int) -> str:
    sign, name = _LOOKS[cell] if isinstance(cell, CellState) else _SHADES[shade(cell)]
    return " " * (width - 1) + colour(sign, name)


def _legend(heat: HeatMap) -> str:
    counts = heat.counts
    shares = sum(counts.values()) < len(heat.rows) * len(heat.columns)
    states = [f"{'blank' if sign == ' ' else sign} {state} ({counts[state]})"
              for state, (sign, _) in _LOOKS.items() if counts[state] or not shares]
    steps = [f"{sign} {at / SHADES:g} to {(at + 1) / SHADES:g}" for at, (sign, _) in enumerate(_SHADES)]
    return "  ".join([*states, *(steps if shares else [])])


def breadth(text: str) -> int:
    """Columns that a terminal needs for it."""
    return sum(_breadth(char) for char in text)


def _breadth(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def fit(text: str, width: int) -> str:
    """Cut or filled up to so many columns; what is cut says so."""
    if breadth(text) <= width:
        return text + " " * (width - breadth(text))
    kept, used = "", 0
    for char in text:
        if used + _breadth(char) > width - 1:
            break
        kept, used = kept + char, used + _breadth(char)
    return kept + "…" + " " * (width - 1 - used)
