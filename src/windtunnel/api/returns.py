"""Doors to returns: a tracker of what cycles gain, whoever foretells metrics, and metrics that a user adds."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from windtunnel.api.predictions import OWN, PredictionManager
from windtunnel.core.errors import UsageError
from windtunnel.core.series import finite, finite_values, named
from windtunnel.returns import thresholds
from windtunnel.returns.cycles import cycle_now
from windtunnel.returns.forecasts import forecast
from windtunnel.returns.ledger import ROI, Ledger
from windtunnel.returns.parabola import quadratic
from windtunnel.returns.plugins import Folders, Plugin, load_plugins, plugin_folders
from windtunnel.returns.ranking import SYNERGY, Standing, rank_scenarios, synergy_name

__all__ = ["PredictionManager", "ROITracker", "discover_metrics_plugins", "load_metrics_plugins"]

_FAR = 3.0
"""Quartile ranges beyond the quartiles, from where on a gain is an outlier."""
_LEAST_TO_JUDGE = 8

Interval = tuple[float, float]


class Update(NamedTuple):
    """What ``ROITracker.update`` answers."""

    vertex: int | None
    """The cycle at which the parabola through the gains turns."""
    predictions: list[float]
    """That parabola, cycle by cycle."""
    should_stop: bool
    """Whether one more cycle is not expected to pay."""


class ROITracker(Ledger):
    """Follows what cycles gain, and says what comes next."""

    def __init__(
        self, window: int = 5, tolerance: float = 0.01, *, filter_outliers: bool = True,
    ) -> None:
        """``tolerance`` is the least gain that pays for a cycle; ``window`` how many cycles are recent.

        With ``filter_outliers`` the forecast of gains takes far outliers for the fence that they jumped (three
        quartile ranges beyond the quartiles, from eight cycles on); all gains stay in the history.
        """
        if window < 1:
            raise UsageError(f"window: {window} is not at least 1", field="window")
        if finite(tolerance, field="tolerance") <= 0:
            raise UsageError(f"tolerance: {tolerance} is not above zero", field="tolerance")
        super().__init__(cost=tolerance)
        self.window, self.filter_outliers = window, filter_outliers
        self.resource_metrics: list[dict[str, float]] = []
        self.scenario_metrics_delta: dict[str, dict[str, float]] = {}
        self.scenario_synergy_delta: dict[str, dict[str, float]] = {}

    @property
    def tolerance(self) -> float:
        """The least gain that pays for a cycle."""
        return self.cost

    @property
    def synergy_metrics_history(self) -> dict[str, list[float]]:
        """The part of ``metrics_history`` whose names begin with ``synergy_``."""
        return {name: values for name, values in self.metrics_history.items() if name.startswith(SYNERGY)}

    def update(
        self, prev_roi: float, roi: float, modules: Iterable[str] | Mapping[str, float] | None = None,
        resources: Mapping[str, float] | None = None, metrics: Mapping[str, float] | None = None, *,
        scenario: str = "",
    ) -> Update:
        """Record a cycle that took the value from ``prev_roi`` to ``roi``.

        Modules that are named share the gain in equal parts; given as a mapping, each has what it says.
        """
        gain = finite(roi, field="roi") - finite(prev_roi, field="prev_roi")
        cycle = cycle_now(gain, modules=modules, metrics=metrics, resources=resources, scenario=scenario)
        self.add(cycle)
        self.resource_metrics.append(dict(cycle.resources))
        return Update(*quadratic(self.roi_history), self.advice().stop)

    def register_metrics(self, *names: str) -> None:
        """Metrics to come; not measured so far."""
        self.register(*names)
        for name in names:
            self.predicted_metrics.setdefault(name, [])
            self.actual_metrics.setdefault(name, [])

    def diminishing(self) -> float:
        """The gain below which a cycle counts as none: ``tolerance · (1 + s)``, s of the last ``window`` gains."""
        recent = finite_values(self.roi_history)[-self.window:]
        mean = math.fsum(recent) / len(recent) if recent else 0.0
        spread = math.sqrt(math.fsum((gain - mean) ** 2 for gain in recent) / len(recent)) if recent else 0.0
        return self.cost * (1.0 + spread)

    def rankings(self) -> list[tuple[str, float]]:
        """Modules by the sum of their shares, the largest first."""
        return self.ranked()

    def scenario_rankings(self) -> list[Standing]:
        """Scenarios by the sum of their gains, the largest first; cycles without one go by the run's id."""
        return rank_scenarios([(self.run.id, self.history())])

    def forecast(self) -> tuple[float, Interval]:
        """The gain of the next cycle, and the interval it lies in with a chance of 95 %."""
        gains = finite_values(self.roi_history)
        return _told(_clipped(gains) if self.filter_outliers else gains)

    def forecast_metric(self, metric_name: str) -> tuple[float, Interval]:
        """The next value of a metric, and its interval."""
        return _told(self.series(metric_name))

    def forecast_synergy(self) -> tuple[float, Interval]:
        """The next ``synergy_roi``, and its interval."""
        return _told(self.series(synergy_name(ROI)))

    def predict_synergy(self, window: int | None = None) -> float:
        """The next ``synergy_roi``, from its last ``window`` values or all."""
        return self.predict_synergy_metric(ROI, window=window)

    def predict_synergy_metric(
        self, name: str, manager: PredictionManager | None = None, *, window: int | None = None,
    ) -> float:
        """The next ``synergy_<name>``: by the bots of a manager where one is given, else by our own forecast."""
        wanted = synergy_name(name)
        if manager is not None:
            return self.predict_metric_with_manager(manager, wanted)
        known = self.series(wanted)
        return forecast(known[-window:] if window else known).value

    def reliability(self, *, metric: str | None = None, window: int | None = None) -> float:
        """How far predictions can be relied on, from 0 to 1; 0.5 is no better than saying the value before."""
        return self.reliability_of(metric or ROI, window=window)

    def adaptive_tolerance(self) -> float:
        """``tolerance · max(0.1, 1 - reliability)``."""
        return thresholds.adaptive_tolerance(self.cost, self.reliability())

    def rolling_mae(self, window: int | None = None) -> float:
        """The mean absolute error of what was foretold of gains."""
        return self.error_of(window=window)

    def rolling_mae_metric(self, metric: str, window: int | None = None) -> float:
        """The same of a metric."""
        return self.error_of(metric, window=window)

    def record_prediction(self, predicted: float, actual: float) -> None:
        """A gain that was foretold, and what came."""
        self._record(ROI, predicted, actual)

    def record_metric_prediction(self, metric: str, predicted: float, actual: float) -> None:
        """The same of a metric."""
        self._record(named(metric, field="metric"), predicted, actual)

    def predict_metric_with_manager(
        self, manager: PredictionManager, metric: str, features: Iterable[float] | None = None, *,
        actual: float | None = None, bot_name: str | None = None,
    ) -> float:
        """What the manager's bots expect a metric to be next, on average.

        It is kept beside what comes: ``actual`` where that is known already, else the next value of the metric.
        """
        told = manager.predict(metric, features, asker=self, name=bot_name or OWN)
        if actual is not None:
            self._record(metric, told, actual)
            manager.judge(self, metric, actual)
        else:
            self.expect(metric, told)
        return told

    def predict_all_metrics(
        self, manager: PredictionManager, features: Iterable[float] | None = None, *, bot_name: str | None = None,
    ) -> dict[str, float]:
        """The same for every metric that was measured or registered."""
        values = list(features or ())
        return {name: self.predict_metric_with_manager(manager, name, values, bot_name=bot_name)
                for name in sorted({*self.metrics_history, *self.predicted_metrics})}

    def record_scenario_delta(
        self, name: str, delta: float, metrics_delta: Mapping[str, float] | None = None,
        synergy_delta: Mapping[str, float] | None = None,
    ) -> None:
        """What a scenario gained beside the run without it."""
        self.scenario_roi_deltas[named(name, field="scenario")] = finite(delta, field="delta")
        self.scenario_metrics_delta[name] = dict(metrics_delta or {})
        self.scenario_synergy_delta[name] = dict(synergy_delta or {})

    def record_scenario_synergy(self, name: str, synergy: Mapping[str, float]) -> None:
        """The ``synergy_<metric>`` values of one combined run under a scenario."""
        self.scenario_synergy.setdefault(named(name, field="scenario"), []).append(
            {synergy_name(key): finite(value, field=key) for key, value in synergy.items()})

    def get_scenario_synergy(self, name: str) -> list[dict[str, float]]:
        """All that was recorded so for a scenario."""
        return [dict(row) for row in self.scenario_synergy.get(name, [])]

    def worst_scenario(self) -> tuple[str, float]:
        """The scenario that gained least, and how much; ("", 0) before any."""
        return min(self.scenario_roi_deltas.items(), key=lambda each: each[1], default=("", 0.0))

    biggest_drop = worst_scenario

    def scenario_degradation(self) -> float:
        """What the worst scenario gained; below zero it lost."""
        return self.worst_scenario()[1]

    def merge_history(self, other: Ledger) -> None:
        """Append the cycles of another run to these."""
        for cycle in other.history().cycles:
            self.add(cycle)

    def save_history(self, path: str | os.PathLike[str]) -> None:
        """As ``roi_history.json``, or as SQLite where the name ends in .db, .sqlite or .sqlite3."""
        self.save(path)

    def load_history(self, path: str | os.PathLike[str]) -> None:
        """Read what this or the original wrote, in place of all that is known."""
        self.load(path)
        self.resource_metrics = [dict(cycle.resources) for cycle in self.history().cycles]
        self.scenario_metrics_delta, self.scenario_synergy_delta = {}, {}

    def _record(self, metric: str, predicted: float, actual: float) -> None:
        told, came = finite(predicted, field=metric), finite(actual, field=metric)
        lists = self._lists(metric)
        lists[0].insert(len(lists[1]), told)
        lists[1].append(came)


def load_metrics_plugins(path: Folders, *, tell: Callable[[str], None] | None = None) -> list[Plugin]:
    """The plugins of a folder, or of several; ``tell`` hears why others are left out, else a warning says so."""
    return load_plugins(path, tell=tell or _warn)


def discover_metrics_plugins(
    environment: Mapping[str, str] | None = None, *, tell: Callable[[str], None] | None = None,
) -> list[Plugin]:
    """Those of ``SANDBOX_METRICS_PLUGIN_DIR`` and of the ``plugin_dirs`` in ``SANDBOX_METRICS_FILE``."""
    return load_plugins(plugin_folders(os.environ if environment is None else environment), tell=tell or _warn)


def _warn(line: str) -> None:
    warnings.warn(line, stacklevel=4)


def _told(series: Sequence[float]) -> tuple[float, Interval]:
    """Without a spread, the interval is everything."""
    found = forecast(series)
    return found.value, (-math.inf if found.low is None else found.low, math.inf if found.high is None else found.high)


def _clipped(gains: Sequence[float]) -> list[float]:
    """Far outliers as the fences that they jumped; where half of all gains are alike there are no fences."""
    if len(gains) < _LEAST_TO_JUDGE:
        return list(gains)
    ranked = sorted(gains)
    low, high = ranked[len(ranked) // 4], ranked[(3 * len(ranked)) // 4]
    reach = _FAR * (high - low)
    if reach == 0:
        return list(gains)
    return [min(high + reach, max(low - reach, gain)) for gain in gains]
