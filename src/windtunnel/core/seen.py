"""What people look at after a simulation: a heat map, plots, a row for each section, conditions and their measures."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from windtunnel.core.errors import UsageError
from windtunnel.core.scenario import Condition


class CellState(StrEnum):
    """How one section did under one scenario."""

    OK = "ok"
    SLOW = "slow"
    BROKEN = "broken"
    NOT_RUN = "not run"


Cell: TypeAlias = CellState | float
"""A state; or a share from 0, as usual, to 1, the worst."""
Points: TypeAlias = tuple[float | None, ...]
"""One figure for each cycle; none where there is nothing for it."""
SHADES = 5
"""Steps that a share is shown in: step n is for shares from n/5 up to, but not at, (n + 1)/5; 1 is in the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeatMap:
    """Sections by scenarios."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Cell, ...], ...]
    """One row of them for each row, one of these for each column."""

    def __post_init__(self) -> None:
        """Refuse what is not a map."""
        if len(self.cells) != len(self.rows) or any(len(row) != len(self.columns) for row in self.cells):
            raise UsageError(f"cells: not {len(self.rows)} rows of {len(self.columns)} each", field="cells")
        for cell in (cell for row in self.cells for cell in row):
            if not isinstance(cell, CellState) and not _is_share(cell):
                raise UsageError(f"cells: {cell!r:.40} is neither a state nor a share from 0 to 1", field="cells")

    @property
    def counts(self) -> Mapping[CellState, int]:
        """How many cells there are of each state; a share counts for none."""
        found = Counter(cell for row in self.cells for cell in row if isinstance(cell, CellState))
        return {state: found[state] for state in CellState}


def shade(share: float) -> int:
    """The step of a share."""
    return min(SHADES - 1, int(share * SHADES))


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """One metric over the cycles, with what was foretold of it; place n of each is about cycle n."""

    name: str
    actual: Points
    predicted: Points = ()
    low: Points = ()
    """Ends of the interval of each prediction; empty where there is none."""
    high: Points = ()
    unit: str = ""

    def __post_init__(self) -> None:
        """Refuse an interval with one end, and numbers that are none."""
        if len(self.low) != len(self.high):
            raise UsageError(f"low: {self.name[:60]!r} has {len(self.low)} lower ends of intervals and "
                             f"{len(self.high)} upper ones", field="low")
        for value in (*self.actual, *self.predicted, *self.low, *self.high):
            if value is not None and not _is_number(value):
                raise UsageError(f"{self.name[:60]!r}: {value!r:.40} is not a finite number, nor none", field="actual")


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionRow:
    """One section over all scenarios."""

    name: str
    file: str
    calls: int = 0
    broken: int = 0
    """Scenarios in which it broke."""
    slow: int = 0
    seconds: float | None = None
    """Median of one call under usual conditions."""
    blamed: tuple[str, ...] = ()
    """Conditions that it breaks or slows under."""
    how: str = ""
    """In which way it breaks."""
    skipped: str = ""
    """Why it was not called; empty where it was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationReport:
    """All that stands in the report of one simulation."""

    target: str
    run: str
    seed: int
    made: str
    """In UTC, ISO 8601."""
    heat: HeatMap
    sections: tuple[SectionRow, ...] = ()
    plots: tuple[Plot, ...] = ()
    conditions: Mapping[str, Sequence[Condition]] = field(default_factory=dict)
    """By scenario: what was asked for, beside what a probe saw."""
    notes: tuple[str, ...] = ()


def _is_share(value: object) -> bool:
    return _is_number(value) and 0 <= value <= 1  # type: ignore[operator]  # a number by then


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
