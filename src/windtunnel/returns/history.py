"""The history of a run, and its form in ``roi_history.json``.

Version 2 is ``{"version": 2, "run": {"id", "seed", "started"}, "cycles": [{"time", "roi", "scenario", "modules",
"metrics", "resources"}], "predictions": {name: [[predicted, actual]]}, "scenario_synergy": {scenario: [{name:
value}]}, "scenario_roi_deltas": {scenario: value}}``. Everything but the version and the cycles may be missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from windtunnel.core.errors import UsageError
from windtunnel.core.series import Cycle, Run, finite, named
from windtunnel.returns.original import from_list, from_series

VERSION = 2
MOST_CYCLES = 100_000
MOST_NAMES = 10_000
_RUN, _CYCLE = frozenset({"id", "seed", "started"}), frozenset(
    {"time", "roi", "scenario", "modules", "metrics", "resources"})
_TOP = frozenset({"version", "run", "cycles", "predictions", "scenario_synergy", "scenario_roi_deltas"})


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """All that is known of a run's returns."""

    cycles: tuple[Cycle, ...] = ()
    run: Run = field(default_factory=Run)
    predictions: Mapping[str, tuple[tuple[float, float], ...]] = field(default_factory=dict)
    """What was foretold and what came, by metric; ``roi`` is one of them."""
    scenario_synergy: Mapping[str, tuple[Mapping[str, float], ...]] = field(default_factory=dict)
    scenario_roi_deltas: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a history beyond all reason."""
        if len(self.cycles) > MOST_CYCLES:
            raise UsageError(f"cycles: {len(self.cycles)} are more than {MOST_CYCLES}", field="cycles")

    def series(self, metric: str) -> list[float]:
        """The values of one metric in the order of the cycles that measured it; ``roi`` is one."""
        if metric == "roi":
            return [cycle.roi for cycle in self.cycles]
        return [cycle.metrics[metric] for cycle in self.cycles if metric in cycle.metrics]


def to_json(history: History) -> dict[str, object]:
    """As version 2."""
    return {
        "version": VERSION, "run": asdict(history.run), "cycles": [cycle_json(cycle) for cycle in history.cycles],
        "predictions": {name: [list(pair) for pair in pairs] for name, pairs in history.predictions.items()},
        "scenario_synergy": {name: [dict(row) for row in rows] for name, rows in history.scenario_synergy.items()},
        "scenario_roi_deltas": dict(history.scenario_roi_deltas)}


def cycle_json(cycle: Cycle) -> dict[str, object]:
    """One cycle, without what is empty."""
    told = {"time": cycle.time, "roi": cycle.roi, "scenario": cycle.scenario, "modules": dict(cycle.modules),
            "metrics": dict(cycle.metrics), "resources": dict(cycle.resources)}
    return {name: value for name, value in told.items() if value or name == "roi"}


def from_json(said: object) -> History:
    """Of version 2, or of the original's dictionary or list; ``UsageError`` says what is wrong where."""
    if isinstance(said, list):
        return _of_series(from_list(said))
    if not isinstance(said, dict):
        raise UsageError(f"a history is an object or a list, not {type(said).__name__}", field="history")
    if "version" not in said:
        return _of_series(from_series(said))
    if said["version"] != VERSION:
        raise UsageError(f"version: {str(said['version'])[:20]!r} is not {VERSION}", field="version")
    _known(said, _TOP, "history")
    cycles = _list(said.get("cycles", []), "cycles")
    return History(
        run=run_of(said.get("run", {})),
        cycles=tuple(cycle_of(each, f"cycles[{at}]") for at, each in enumerate(cycles)),
        predictions={name: _pairs(each, f"predictions.{name}")
                     for name, each in _object(said.get("predictions", {}), "predictions").items()},
        scenario_synergy={name: _rows(each, f"scenario_synergy.{name}")
                          for name, each in _object(said.get("scenario_synergy", {}), "scenario_synergy").items()},
        scenario_roi_deltas=_numbers(said.get("scenario_roi_deltas", {}), "scenario_roi_deltas"))


def run_of(said: object) -> Run:
    """Which run it is."""
    _known(found := _object(said, "run"), _RUN, "run")
    return Run(id=found.get("id", ""), seed=found.get("seed", 0), started=found.get("started", 0.0))


def cycle_of(said: object, where: str) -> Cycle:
    """One cycle; ``where`` it stands is named in what is refused."""
    _known(found := _object(said, where), _CYCLE, where)
    if "roi" not in found:
        raise UsageError(f"{where}: has no roi", field=where)
    try:
        return Cycle(
            roi=found["roi"], time=found.get("time", 0.0), scenario=found.get("scenario", ""),
            modules=_object(found.get("modules", {}), "modules"), metrics=_object(found.get("metrics", {}), "metrics"),
            resources=_object(found.get("resources", {}), "resources"))
    except UsageError as error:
        raise UsageError(f"{where}: {error}", field=where) from None


def _of_series(found: Mapping[str, Any]) -> History:
    return History(
        cycles=tuple(Cycle(roi=roi, metrics=metrics, modules=modules) for roi, metrics, modules in found["cycles"]),
        predictions=found["predictions"], scenario_synergy=found["scenario_synergy"],
        scenario_roi_deltas=found["scenario_roi_deltas"])


def _object(said: object, where: str) -> dict[str, Any]:
    if not isinstance(said, dict):
        raise UsageError(f"{where}: not an object but {type(said).__name__}", field=where)
    if len(said) > MOST_NAMES:
        raise UsageError(f"{where}: {len(said)} names are more than {MOST_NAMES}", field=where)
    for name in said:
        named(name, field=where)
    return said


def _list(said: object, where: str) -> list[Any]:
    if not isinstance(said, list):
        raise UsageError(f"{where}: not a list but {type(said).__name__}", field=where)
    if len(said) > MOST_CYCLES:
        raise UsageError(f"{where}: {len(said)} are more than {MOST_CYCLES}", field=where)
    return said


def _numbers(said: object, where: str) -> dict[str, float]:
    return {name: finite(value, field=f"{where}.{name}") for name, value in _object(said, where).items()}


def _rows(said: object, where: str) -> tuple[dict[str, float], ...]:
    return tuple(_numbers(row, where) for row in _list(said, where))


def _pairs(said: object, where: str) -> tuple[tuple[float, float], ...]:
    return tuple(_pair(each, where) for each in _list(said, where))


def _pair(said: object, where: str) -> tuple[float, float]:
    if not isinstance(said, list) or len(said) != 2:  # noqa: PLR2004 -- foretold and come
        raise UsageError(f"{where}: a prediction is a pair [predicted, actual]", field=where)
    return finite(said[0], field=where), finite(said[1], field=where)


def _known(said: Mapping[str, object], names: Iterable[str], where: str) -> None:
    foreign = sorted(set(said) - set(names))
    if foreign:
        raise UsageError(f"{where}: {foreign[0][:60]!r} is none of {', '.join(sorted(names))}", field=where)
