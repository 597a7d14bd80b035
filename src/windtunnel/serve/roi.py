"""Series of a scenario run, as they were and as they were foretold: ``/roi`` and ``/metrics/NAME``.

What holds: the file that a run left is read as what somebody else wrote: bounded, a plain file and no link, numbers and
nothing else; what cannot be read is refused by name.
"""

from __future__ import annotations

import json
import math
import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from windtunnel.core.errors import NotFound, UsageError
from windtunnel.core.seen import Points
from windtunnel.returns.history import History, from_json
from windtunnel.store.runs import MOST_RUNS, RunStore, ScenarioRun

ROI = "roi"
"""The name of the returns themselves among the series."""
FILE = "roi_history.json"
_MOST_BYTES = 16 * 1024**2
_MOST_POINTS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One series; place n of both is about cycle n, and none where there is nothing for it."""

    actual: Points
    predicted: Points


class Series(Protocol):
    """Where series come from."""

    @property
    def names(self) -> Sequence[str]:
        """Of the metrics, without ``roi``."""

    def __call__(self, name: str) -> Pair | None:
        """The one of this name; none where there is none."""


class HistorySeries:
    """Those of ``roi_history.json`` as a dict: ``roi_history``, ``metrics_history``, ``predicted_metrics`` and so on.

    Where ``actual_roi`` or ``actual_metrics`` stand beside what was predicted, those two belong together; else the
    history is what came, and predictions are of its last cycles.
    """

    def __init__(self, told: object) -> None:
        """Refuse what is of another form."""
        given: Mapping[str, Any] = {"roi_history": told} if isinstance(told, list) else _mapping(told, "the file")
        self._pairs = {name: _pair(values, *_forecast(given, name)) for name, values in _histories(given).items()}

    @property
    def names(self) -> tuple[str, ...]:
        """Of the metrics."""
        return tuple(name for name in self._pairs if name != ROI)

    def __call__(self, name: str) -> Pair | None:
        """The one of this name."""
        return self._pairs.get(name)


def series_in(folder: Path) -> Series:
    """Those of the run in this folder."""
    try:
        descriptor = os.open(folder / FILE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        raise NotFound(f"run: it has no {FILE} yet (windtunnel metrics --runs lists runs)", field="run") from None
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or found.st_size > _MOST_BYTES:
            raise UsageError(f"{FILE}: not a plain file of at most {_MOST_BYTES} bytes", field="run")
        data = os.read(descriptor, _MOST_BYTES)
    finally:
        os.close(descriptor)
    try:
        told = json.loads(data, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{FILE}: not JSON: {str(error)[:200]}", field="run") from None
    versioned = isinstance(told, dict) and "version" in told
    return HistorySeries(_unversioned(from_json(told)) if versioned else told)


def _unversioned(history: History) -> dict[str, object]:
    """Series of what each cycle had; where something was foretold, that and what came of it."""
    names = sorted({name for cycle in history.cycles for name in cycle.metrics})
    foretold = {name: [pair[0] for pair in pairs] for name, pairs in history.predictions.items()}
    came = {name: [pair[1] for pair in pairs] for name, pairs in history.predictions.items()}
    return {"roi_history": history.series(ROI), "metrics_history": {name: history.series(name) for name in names},
            "predicted_roi": foretold.pop(ROI, []), "actual_roi": came.pop(ROI, []), "predicted_metrics": foretold,
            "actual_metrics": came}


def run_of(runs: RunStore, *, owner: str, name: str | None) -> ScenarioRun:
    """One's own run of this id, or one's newest that has a history: one that failed at once hides no older ones."""
    if name:
        return runs.get(name, owner=owner)
    own = runs.all(owner=owner, limit=MOST_RUNS)
    found = next((run for run in own if (Path(run.folder) / FILE).is_file()), None)
    if found is None:
        raise NotFound(f"run: none of your {len(own)} runs has a {FILE} yet (windtunnel metrics --runs lists them)"
                       if own else "run: there is none of yours yet", field="run")
    return found


def plain_roi(run: ScenarioRun, series: Series) -> dict[str, object]:
    """The answer of ``/roi``: what each cycle returned, what was foretold, and which metrics there are."""
    return {**plain_pair(run, ROI, series(ROI) or Pair(actual=(), predicted=())), "metrics": list(series.names)}


def plain_metric(run: ScenarioRun, name: str, series: Series) -> dict[str, object]:
    """The answer of ``/metrics/NAME``."""
    found = series(name)
    if found is None:
        raise NotFound("metric: none of that name in this run (GET /roi names them)", field="metric")
    return plain_pair(run, name, found)


def plain_pair(run: ScenarioRun, name: str, pair: Pair) -> dict[str, object]:
    """As JSON."""
    return {"run": run.id, "name": name, "actual": list(pair.actual), "predicted": list(pair.predicted)}


def _histories(given: Mapping[str, Any]) -> dict[str, Points]:
    metrics = _mapping(given.get("metrics_history", {}), "metrics_history")
    return {ROI: _points(given.get("roi_history", []), "roi_history")} | {
        str(name): _points(values, f"metrics_history.{name}"[:80]) for name, values in metrics.items() if name != ROI}


def _forecast(given: Mapping[str, Any], name: str) -> tuple[Points, Points]:
    """What was predicted, and what came of it where that stands beside."""
    return _told(given, "predicted", name), _told(given, "actual", name)


def _told(given: Mapping[str, Any], word: str, name: str) -> Points:
    if name == ROI:
        return _points(given.get(f"{word}_roi", []), f"{word}_roi")
    metrics = _mapping(given.get(f"{word}_metrics", {}), f"{word}_metrics")
    return _points(metrics.get(name, []), f"{word}_metrics.{name}"[:80])


def _pair(history: Points, predicted: Points, beside: Points) -> Pair:
    actual = beside if beside and len(beside) == len(predicted) else history
    none: Points = (None,)
    return Pair(actual=actual + none * (len(predicted) - len(actual)),
                predicted=none * (len(actual) - len(predicted)) + predicted)


def _mapping(value: object, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise UsageError(f"{FILE}: {name} is not an object", field="run")
    return value


def _points(value: object, name: str) -> Points:
    if not isinstance(value, list) or len(value) > _MOST_POINTS:
        raise UsageError(f"{FILE}: {name} is not a list of at most {_MOST_POINTS} numbers", field="run")
    return tuple(_point(one, name) for one in value)


def _point(value: object, name: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError(f"{FILE}: {name} holds {value!r:.40}, which is not a number", field="run")
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None
