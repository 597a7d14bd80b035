"""Which modules and which scenarios gained most."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from windtunnel.returns.files import NAME, find_history, read_history
from windtunnel.returns.history import History

SYNERGY = "synergy_"
_INNER = "sandbox_data"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One scenario among others."""

    scenario: str
    roi: float
    """The sum over its cycles."""
    security_score: float | None
    """The last that was measured; none where none was."""


def rank_modules(deltas: Mapping[str, Sequence[float]]) -> list[tuple[str, float]]:
    """Each with the sum of its shares, the largest first."""
    sums = ((name, math.fsum(value for value in values if math.isfinite(value))) for name, values in deltas.items())
    return sorted(sums, key=lambda each: (-each[1], each[0]))


def rank_scenarios(runs: Iterable[tuple[str, History]]) -> list[Standing]:
    """All scenarios of all runs by their summed gains; cycles without one go by the name of their run."""
    gains: dict[str, list[float]] = {}
    security: dict[str, float] = {}
    for name, history in runs:
        for cycle in history.cycles:
            scenario = cycle.scenario or name
            gains.setdefault(scenario, []).append(cycle.roi)
            if "security_score" in cycle.metrics:
                security[scenario] = cycle.metrics["security_score"]
    made = [Standing(scenario=name, roi=math.fsum(each), security_score=security.get(name))
            for name, each in gains.items()]
    return sorted(made, key=lambda each: (-each.roi, -(each.security_score or 0.0), each.scenario))


def rank_synergy(runs: Iterable[tuple[str, History]], *, metric: str = "roi") -> list[tuple[str, float]]:
    """Scenarios by the sum of ``synergy_<metric>`` over their cycles; those that never measured it are left out."""
    wanted = synergy_name(metric)
    found: dict[str, list[float]] = {}
    for name, history in runs:
        for cycle in history.cycles:
            if wanted in cycle.metrics:
                found.setdefault(cycle.scenario or name, []).append(cycle.metrics[wanted])
    return _summed(found)


def rank_scenario_synergy(runs: Iterable[tuple[str, History]], *, metric: str = "roi") -> list[tuple[str, float]]:
    """Scenarios by the sum of ``synergy_<metric>`` recorded for them; of a run that kept no record, by its cycles."""
    wanted = synergy_name(metric)
    found: dict[str, list[float]] = {}
    for _, history in runs:
        recorded = [(name, row) for name, rows in history.scenario_synergy.items() for row in rows]
        for name, row in recorded or [(cycle.scenario, cycle.metrics) for cycle in history.cycles if cycle.scenario]:
            if wanted in row:
                found.setdefault(name, []).append(row[wanted])
    return _summed(found)


def synergy_name(metric: str) -> str:
    """``synergy_security_score``, whether that or ``security_score`` was said."""
    return metric if metric.startswith(SYNERGY) else f"{SYNERGY}{metric}"


def read_runs(paths: Iterable[str]) -> list[tuple[str, History]]:
    """Each run's name and history; of a file ``roi_history.json`` the name is its folder's."""
    return [(_run_name(path), read_history(path)) for path in paths]


def _run_name(path: str) -> str:
    given = Path(path)
    if given.is_dir():
        return given.resolve().name
    found = find_history(path).absolute()
    if found.name != NAME:
        return found.stem
    folder = found.parent
    return (folder.parent if folder.name == _INNER else folder).name


def _summed(found: Mapping[str, Sequence[float]]) -> list[tuple[str, float]]:
    sums = ((name, math.fsum(values)) for name, values in found.items())
    return sorted(sums, key=lambda each: (-each[1], each[0]))
