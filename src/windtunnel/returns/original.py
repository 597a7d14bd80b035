"""The histories that the original wrote: a list of gains, a dictionary of series, or the tables of an SQLite file.

Its series of metrics are as long as its list of gains, with the newest last; those that are shorter or longer are
aligned at their ends. A number that is none stands for a metric that was not measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from windtunnel.core.errors import UsageError
from windtunnel.core.series import finite, finite_values, named

MOST_VALUES = 100_000
_SERIES = ("metrics_history", "synergy_metrics_history")


def from_list(said: Sequence[object]) -> dict[str, Any]:
    """Of gains alone."""
    return from_series({"roi_history": said})


def from_series(said: Mapping[str, object]) -> dict[str, Any]:
    """Cycles as (gain, metrics, modules), and what stands beside them."""
    if not {"roi_history", "metrics_history", "module_deltas"} & set(said):
        raise UsageError("no version, roi_history, metrics_history or module_deltas: not a history of returns",
                         field="history")
    gains = [finite(value, field=f"roi_history[{at}]")
             for at, value in enumerate(_values(said.get("roi_history", []), "roi_history"))]
    metrics = {name: series for part in _SERIES for name, series in _named(said, part, _numbers).items()}
    modules = _named(said, "module_deltas", _numbers)
    count = max(len(gains), *(len(series) for series in (*metrics.values(), *modules.values())), 0)
    gains = [0.0] * (count - len(gains)) + gains
    at = [(_at(metrics, count - step), _at(modules, count - step)) for step in range(count)]
    return {
        "cycles": [(gain, *found) for gain, found in zip(gains, at, strict=True)],
        "predictions": _predictions(said),
        "scenario_synergy": _named(said, "scenario_synergy", _rows),
        "scenario_roi_deltas": _row(said.get("scenario_roi_deltas", {}), "scenario_roi_deltas")}


def _at(series: Mapping[str, Sequence[float]], from_end: int) -> dict[str, float]:
    return {name: values[-from_end] for name, values in series.items()
            if len(values) >= from_end and math.isfinite(values[-from_end])}


def _predictions(said: Mapping[str, object]) -> dict[str, tuple[tuple[float, float], ...]]:
    """Pairs of what was foretold and what came, as far as both are known."""
    predicted, actual = _named(said, "predicted_metrics", _numbers), _named(said, "actual_metrics", _numbers)
    predicted["roi"] = _numbers(said.get("predicted_roi", []), "predicted_roi")
    actual["roi"] = _numbers(said.get("actual_roi", []), "actual_roi")
    made = {name: tuple((told, came) for told, came in zip(values, actual.get(name, []), strict=False)
                        if math.isfinite(told) and math.isfinite(came)) for name, values in predicted.items()}
    return {name: pairs for name, pairs in made.items() if pairs}


def _named(said: Mapping[str, object], part: str, read: Callable[[object, str], Any]) -> dict[str, Any]:
    found = said.get(part, {})
    if not isinstance(found, dict):
        raise UsageError(f"{part}: not an object but {type(found).__name__}", field=part)
    return {named(name, field=part): read(values, f"{part}.{name}") for name, values in found.items()}


def _values(said: object, where: str) -> Sequence[object]:
    if not isinstance(said, list | tuple):
        raise UsageError(f"{where}: not a list but {type(said).__name__}", field=where)
    if len(said) > MOST_VALUES:
        raise UsageError(f"{where}: {len(said)} values are more than {MOST_VALUES}", field=where)
    return said


def _numbers(said: object, where: str) -> list[float]:
    return [_number(value, where) for value in _values(said, where)]


def _number(value: object, where: str) -> float:
    """The original wrote NaN and null where nothing was measured."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return math.nan
    return finite(value, field=where)


def _rows(said: object, where: str) -> tuple[dict[str, float], ...]:
    return tuple(_row(row, where) for row in _values(said, where))


def _row(said: object, where: str) -> dict[str, float]:
    if not isinstance(said, dict):
        raise UsageError(f"{where}: not an object but {type(said).__name__}", field=where)
    return {named(name, field=where): finite(value, field=where) for name, value in said.items() if _known([value])}


def _known(values: Iterable[Any]) -> bool:
    return bool(finite_values(values))
