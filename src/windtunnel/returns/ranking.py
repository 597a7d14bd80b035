"""Which modules and which scenarios gained most."""

from __future__ import annotations

import math
from collections import Counter
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
    """Each run once, with its name and history.

    The name is the last part of its path, with as many parts before it as tell it from the other runs; of a file
    ``roi_history.json`` the path is its folder's. Histories are of the same run where they have the same id, or are the
    same file; of two of one run the longer counts.
    """
    found: dict[object, tuple[str, History]] = {}
    for path in paths:
        history = read_history(path)
        run = history.run.id or _identity(path)
        if run not in found or len(found[run][1].cycles) < len(history.cycles):
            found[run] = (path, history)
    names = _apart([_parts(path) for path, _ in found.values()], [path for path, _ in found.values()])
    return [(name, history) for name, (_, history) in zip(names, found.values(), strict=True)]


def _identity(path: str) -> tuple[int, int]:
    about = find_history(path).stat()
    return about.st_dev, about.st_ino


def _parts(path: str) -> tuple[str, ...]:
    given = Path(path)
    if given.is_dir():
        return given.resolve().parts
    found = find_history(path).absolute()
    if found.name != NAME:
        return found.with_suffix("").parts
    folder = found.parent
    return (folder.parent if folder.name == _INNER else folder).parts


def _apart(runs: Sequence[tuple[str, ...]], paths: Sequence[str]) -> list[str]:
    """A name for each; where even whole paths are alike (``h.json`` and ``h.db``), that of the file."""
    twice = {parts for parts, count in Counter(runs).items() if count > 1}
    whole = [find_history(path).absolute().parts if parts in twice else parts
             for parts, path in zip(runs, paths, strict=True)]
    lengths = [1] * len(whole)
    for _ in range(max(map(len, whole), default=0)):
        names = ["/".join(parts[-length:]) for parts, length in zip(whole, lengths, strict=True)]
        counts = Counter(names)
        lengths = [length + (counts[name] > 1) for name, length in zip(names, lengths, strict=True)]
    return ["/".join(parts[-length:]).replace("//", "/") for parts, length in zip(whole, lengths, strict=True)]


def _summed(found: Mapping[str, Sequence[float]]) -> list[tuple[str, float]]:
    sums = ((name, math.fsum(values)) for name, values in found.items())
    return sorted(sums, key=lambda each: (-each[1], each[0]))
