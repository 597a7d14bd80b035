"""The table as text, as Markdown and as JSON, and its place in a page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.peers import wins
from benchmarks.rows import Row, Target

HEADINGS = ("what", "median", "slowest 1 %", "beside", "compared", "target", "met", "walls, notes")
COUNTED = ("runs", "changes", "faults", "mutants", "exit code")
"""Units of which there is no half."""
PART = "benchmarks"


def cells(row: Row) -> tuple[str, ...]:
    """One line of the table; a row that was not run says so where its number would be."""
    if row.missing is not None:
        return (row.name, f"not run: {row.missing}", "", "", "", _target(row), "", row.note)
    beside = f"{row.beside}: {_number(row.other, row.unit)}" if row.other is not None else ""
    met = {True: "yes", False: "no", None: ""}[row.met]
    return (row.name, _number(row.value, row.unit), _number(row.p99, row.unit), beside, _compared(row), _target(row),
            met, row.note)


def _number(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    digits = 0 if value >= 1000 or unit in COUNTED else 1 if value >= 10 else 2
    return f"{value:.{digits}f} {unit}"


def _compared(row: Row) -> str:
    if row.figure is None or row.of == "value":
        return ""
    return f"{row.figure:.2f} x" if row.of == "ratio" else f"{row.figure:+.1f} {row.unit}"


def _target(row: Row) -> str:
    wanted: Target | None = row.target
    if wanted is None:
        return ""
    bound = "at least" if wanted.least else "at most"
    unit = {"ratio": " x", "difference": f" {row.unit} more", "value": f" {row.unit}"}[row.of]
    return f"{bound} {wanted.limit:g}{unit}"


def text(rows: Sequence[Row]) -> str:
    """For a terminal: columns one below the other, the notes left out but for their first words."""
    lines = [HEADINGS, *((*cells(row)[:-1], row.note[:60]) for row in rows)]
    short = [line for line in lines if not line[1].startswith("not run")]
    widths = [max(len(line[column]) for line in short) for column in range(len(HEADINGS))]
    shown = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
             if line in short else f"{line[0].ljust(widths[0])}  {line[1]}" for line in lines]
    return "\n".join([*shown, *_peers_ahead(rows, bullet="* ")])


def markdown(rows: Sequence[Row], *, machine: Mapping[str, str], command: str) -> str:
    """For a page: how it was made, on what, the table, and where peers win."""
    facts = ", ".join(f"{name} {value}" for name, value in machine.items())
    lines = [f"Made by `{command}` on: {facts}.", "", *(_line(line) for line in (HEADINGS, ("---",) * len(HEADINGS)))]
    return "\n".join([*lines, *(_line(cells(row)) for row in rows), *_peers_ahead(rows, bullet="- ")])


def _line(line: Sequence[str]) -> str:
    return f"| {' | '.join(' '.join(cell.replace('|', '/').split()) for cell in line)} |"


def _peers_ahead(rows: Sequence[Row], *, bullet: str) -> list[str]:
    found = wins(list(rows))
    return ["", "Where a peer wins:", "", *(bullet + line for line in found)] if found else []


def as_json(rows: Sequence[Row], *, machine: Mapping[str, str], command: str) -> str:
    """For machines: every field, with what follows from them."""
    told = [asdict(row) | {"figure": row.figure, "met": row.met} for row in rows]
    return json.dumps({"command": command, "machine": machine, "rows": told, "wins": wins(list(rows))}, indent=2)


def write(page: Path, table: str, *, part: str = PART) -> None:
    """Put the table between the page's markers of this part; the text around them stays."""
    first, last = f"<!-- {part}: begin -->", f"<!-- {part}: end -->"
    before, begin, rest = page.read_text().partition(first)
    _, end, after = rest.partition(last)
    if not begin or not end:
        raise SystemExit(f"{page}: no place for the table (put {first} and {last} on lines of their own)")
    page.write_text(f"{before}{first}\n{table}\n{last}{after}")
