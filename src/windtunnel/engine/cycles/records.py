"""A cycle as it stands in the journal, and the history that all of them make."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from windtunnel.core.metric import Direction
from windtunnel.core.scenario import Edge
from windtunnel.core.series import Aim, Cycle, Objective, Run
from windtunnel.core.simulation import Failing
from windtunnel.engine.cycles.tried import Looked, as_json
from windtunnel.returns.forecasts import forecast
from windtunnel.returns.history import History, cycle_json, cycle_of

OBJECTIVE = Objective(aims={
    "error_rate": Aim(direction=Direction.LOWER), "resilience": Aim(),
    "cpu_seconds": Aim(weight=0.1, direction=Direction.LOWER)})
"""What a cycle is worth where nobody says otherwise: fewer section runs that break, more that hold under faults, less
processor time."""
_LEAST_POINTS = 2
_MOST_FAILING = 20


def record_of(
    cycles: Sequence[Cycle], *, predicted: Mapping[str, float], looked: Looked | None = None,
    costly: Sequence[str] = (), failing: Sequence[Failing] = (), edges: Sequence[Edge] = (),
) -> dict[str, Any]:
    """What is written down of one iteration: a cycle for each scenario, what was foretold, all candidates, and edges.

    ``costly`` are the sections with most to gain in speed, ``failing`` those that are to be mended: the next cycle
    chooses among them.
    """
    looked = looked or Looked()
    return {"cycles": [cycle_json(one) for one in cycles], "predicted": dict(predicted), "kept": list(looked.kept),
            "tried": as_json(looked.tried), "notes": list(looked.notes), "costly": list(costly),
            "failing": [asdict(one) for one in failing[:_MOST_FAILING]],
            "edges": [asdict(one) for one in edges if one.breaks is not None]}


def failing_in(records: Sequence[Mapping[str, Any]]) -> tuple[Failing, ...]:
    """Sections that broke with no condition in the last cycle."""
    return tuple(Failing(**one) for record in records[-1:] for one in record.get("failing", ()))


def edges_in(record: Mapping[str, Any]) -> tuple[Edge, ...]:
    """Those that one iteration found; a journal of before they were searched for has none."""
    return tuple(Edge(**one) for one in record.get("edges", ()))


def cycles_in(records: Sequence[Mapping[str, Any]]) -> tuple[Cycle, ...]:
    """All of them, in order."""
    return tuple(cycle_of(one, "cycles") for record in records for one in record["cycles"])


def gains(records: Sequence[Mapping[str, Any]]) -> list[float]:
    """What each iteration added: the mean over its scenarios."""
    found = [[one.roi for one in cycles_in([record])] for record in records]
    return [math.fsum(some) / len(some) for some in found if some]


def metric_means(cycles: Sequence[Cycle]) -> dict[str, float]:
    """By metric: the mean over scenarios."""
    values: dict[str, list[float]] = {}
    for one in cycles:
        for name, value in one.metrics.items():
            values.setdefault(name, []).append(value)
    return {name: math.fsum(some) / len(some) for name, some in values.items()}


def foretold(records: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """What the next iteration is expected to measure, of all that has two values at least."""
    series: dict[str, list[float]] = {"roi": gains(records)}
    for record in records:
        for name, value in metric_means(cycles_in([record])).items():
            series.setdefault(name, []).append(value)
    return {name: forecast(some).value for name, some in series.items() if len(some) >= _LEAST_POINTS}


def history_of(records: Sequence[Mapping[str, Any]], *, run: Run) -> History:
    """For ``roi_history.json``: made anew from the journal each time, so that the two never differ."""
    pairs: dict[str, list[tuple[float, float]]] = {}
    for at, record in enumerate(records):
        came = {"roi": gains(records)[at], **metric_means(cycles_in([record]))}
        for name, value in record["predicted"].items():
            if name in came:
                pairs.setdefault(name, []).append((value, came[name]))
    return History(cycles=cycles_in(records), run=run,
                   predictions={name: tuple(some) for name, some in pairs.items()})
