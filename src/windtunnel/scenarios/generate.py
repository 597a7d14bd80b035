"""Presets generated as a covering array: each two values that may meet do meet in one of them."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable

from windtunnel.core.errors import UsageError
from windtunnel.core.scenario import Scenario
from windtunnel.scenarios.covering import covering_rows, one_round
from windtunnel.scenarios.factors import EXCLUSIONS, FACTORS, NONE, Factor
from windtunnel.scenarios.grid import Grid, Row, make_grid, open_pairs, strike
from windtunnel.scenarios.names import unique_names
from windtunnel.scenarios.preset import MOST_PRESETS, preset, scenario
from windtunnel.scenarios.readers import shown

MOST_SEED = 2**63


def generate_presets(count: int | None, *, seed: int) -> tuple[Scenario, ...]:
    """So many, or as many as it takes for all pairs; fewer are always the first of more."""
    if count is not None and (isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_PRESETS):
        raise UsageError(f"count: not a whole number from 1 to {MOST_PRESETS}: {shown(count)} (try 3)", field="count")
    if isinstance(seed, bool) or not isinstance(seed, int) or abs(seed) > MOST_SEED:
        raise UsageError(f"seed: not a whole number up to {MOST_SEED}: {shown(seed)} (try 0)", field="seed")
    rows = one_round(grid(), seed=seed) if count is None else covering_rows(grid(), seed=seed)
    return unique_names(scenario(fields_of(row)) for row in itertools.islice(rows, count))


def pairs_covered(presets: Iterable[Scenario]) -> tuple[int, int]:
    """How many pairs of values meet in these presets, and how many there are; the excluded are not counted.

    A preset counts with those of its values that are among the factors'; one with another value counts for the rest.
    """
    left = list(grid().partners)
    for one in presets:
        strike(left, _numbers(one))
    return grid().pairs - open_pairs(left), grid().pairs


@functools.cache
def grid() -> Grid:
    """The factors and what may meet."""
    return make_grid([len(factor.values) for factor in FACTORS], may_meet=_may_meet)


def fields_of(row: Row) -> dict[str, object]:
    """The preset of one row."""
    chosen = [(factor, factor.values[number - start])
              for factor, start, number in zip(FACTORS, grid().starts, row, strict=True)]
    made = {factor.field: value for factor, value in chosen
            if value is not None and factor.field != "FAILURE_MODES"}
    faults = [str(value) for factor, value in chosen if factor.field == "FAILURE_MODES" and value != NONE]
    return made | ({"FAILURE_MODES": faults} if faults else {})


def _may_meet(one: tuple[int, int], other: tuple[int, int]) -> bool:
    named = {FACTORS[factor].name: FACTORS[factor].values[value] for factor, value in (one, other)}
    return not any(exclusion.excluded(*(named[name] for name in exclusion.factors)) for exclusion in EXCLUSIONS
                   if set(exclusion.factors) == set(named))


def _numbers(one: Scenario) -> list[int]:
    """Which values of the factors the scenario has, numbered through."""
    fields = preset(one)
    found = ((start, _index(factor, fields)) for start, factor in zip(grid().starts, FACTORS, strict=True))
    return [start + index for start, index in found if index is not None]


def _index(factor: Factor, fields: dict[str, object]) -> int | None:
    """The first value of a factor also stands for a field that is not there, where that is the same."""
    if factor.field == "FAILURE_MODES":
        faults = fields.get("FAILURE_MODES", [])
        assert isinstance(faults, list)
        there = [at for at, value in enumerate(factor.values) if value in faults]
        return next(iter(there), 0)
    if factor.field not in fields:
        return 0 if not factor.values[0] else None
    return factor.values.index(fields[factor.field]) if fields[factor.field] in factor.values else None
