"""What a run's cycles gained, kept in plain lists that anyone may read and set, newest last.

Every list of ``metrics_history`` that ``update`` fills is as long as ``roi_history``: a metric that a cycle did not
measure has NaN there, which forecasts, sums and files leave out.
"""

from __future__ import annotations

import math
import os
from dataclasses import replace

from windtunnel.core.series import Advice, Cycle, Forecast, Run, finite, finite_values, named
from windtunnel.returns.files import read_history, write_history
from windtunnel.returns.forecasts import forecast
from windtunnel.returns.history import History
from windtunnel.returns.ranking import rank_modules
from windtunnel.returns.reliability import Judged, backtest, mean_absolute_error, reliability
from windtunnel.returns.stopping import advise

ROI = "roi"


class Ledger:
    """Takes in cycles one by one; forecasts, ranks and advises."""

    def __init__(self, *, cost: float = 0.01, run: Run | None = None) -> None:
        """``cost`` is the least gain that pays for a cycle."""
        self.cost, self.run = cost, run or Run()
        self.roi_history: list[float] = []
        self.metrics_history: dict[str, list[float]] = {}
        self.module_deltas: dict[str, list[float]] = {}
        self.predicted_roi: list[float] = []
        self.actual_roi: list[float] = []
        self.predicted_metrics: dict[str, list[float]] = {}
        self.actual_metrics: dict[str, list[float]] = {}
        self.scenario_synergy: dict[str, list[dict[str, float]]] = {}
        self.scenario_roi_deltas: dict[str, float] = {}
        self._cycles: list[Cycle] = []
        """What the lists do not hold: when, where, with which modules and resources."""

    def add(self, cycle: Cycle) -> None:
        """One more cycle; what had been foretold of it has come."""
        self.register(*cycle.metrics)
        self.roi_history.append(cycle.roi)
        for name, values in self.metrics_history.items():
            values.append(cycle.metrics.get(name, math.nan))
        for name, share in cycle.modules.items():
            self.module_deltas.setdefault(name, []).append(share)
        for name, value in {**cycle.metrics, ROI: cycle.roi}.items():
            self._come(name, value)
        self._cycles.append(cycle)

    def register(self, *names: str) -> None:
        """Metrics that will be measured; the cycles so far did not."""
        for name in names:
            self.metrics_history.setdefault(named(name, field="metrics"), [math.nan] * len(self.roi_history))

    def foretell(self, metric: str = ROI, *, steps: int = 1, level: float = 0.95) -> Forecast:
        """What a metric is expected to be next; ``roi`` is what a cycle adds."""
        return forecast(self.series(metric), steps=steps, level=level)

    def series(self, metric: str = ROI) -> list[float]:
        """The values of a metric that were measured."""
        return finite_values(self.roi_history if metric == ROI else self.metrics_history.get(metric, []))

    def expect(self, metric: str, value: float) -> None:
        """Remember what is foretold of a metric's next value; said again before that came, it replaces the first."""
        told, came = self._lists(metric)
        del told[len(came):]
        told.append(finite(value, field=metric))

    def pairs(self, metric: str = ROI) -> tuple[tuple[float, float], ...]:
        """What was foretold of a metric and what came."""
        return tuple((told, came) for told, came in zip(*self._lists(metric, make=False), strict=False)
                     if math.isfinite(told) and math.isfinite(came))

    def judged(self, metric: str = ROI, *, window: int | None = None) -> Judged:
        """By what was foretold; where nothing was, by our own forecast over the values so far."""
        recorded = self.pairs(metric)
        pairs = recorded or backtest(self.series(metric))
        return Judged(metric=metric, recorded=bool(recorded), pairs=len(pairs[-window:] if window else pairs),
                      error=mean_absolute_error(pairs, window=window), reliability=reliability(pairs, window=window))

    def reliability_of(self, metric: str = ROI, *, window: int | None = None) -> float:
        """How far predictions of a metric can be relied on, from 0 to 1."""
        return self.judged(metric, window=window).reliability

    def error_of(self, metric: str = ROI, *, window: int | None = None) -> float:
        """The mean absolute error of what was foretold."""
        return mean_absolute_error(self.pairs(metric), window=window)

    def advice(self) -> Advice:
        """Whether one more cycle is expected to pay."""
        return advise(self.roi_history, cost=self.cost)

    def faded(self) -> tuple[str, ...]:
        """Modules of which nothing worth a cycle is expected any more."""
        return tuple(sorted(name for name, gains in self.module_deltas.items() if advise(gains, cost=self.cost).stop))

    def ranked(self) -> list[tuple[str, float]]:
        """Modules by the sum of their shares, the largest first."""
        return rank_modules(self.module_deltas)

    def history(self) -> History:
        """As it is written; series of different lengths are aligned at their ends."""
        count = max(len(self.roi_history), *(len(each) for each in self.metrics_history.values()), 0)
        told = {ROI: self.pairs(), **{name: self.pairs(name) for name in self.predicted_metrics}}
        return History(
            run=self.run, cycles=tuple(self._cycle(count - at) for at in range(count)),
            predictions={name: pairs for name, pairs in told.items() if pairs},
            scenario_synergy={name: tuple(rows) for name, rows in self.scenario_synergy.items()},
            scenario_roi_deltas=dict(self.scenario_roi_deltas))

    def save(self, path: str | os.PathLike[str]) -> None:
        """As JSON, or as SQLite where the name ends so; whole or not at all."""
        write_history(path, self.history())

    def load(self, path: str | os.PathLike[str]) -> None:
        """Take the place of all that is known with what a file holds."""
        history = read_history(path)
        Ledger.__init__(self, cost=self.cost, run=history.run)
        for cycle in history.cycles:
            self.add(cycle)
        for name, pairs in history.predictions.items():
            told, came = self._lists(name)
            told[:], came[:] = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        self.scenario_synergy = {name: [dict(row) for row in rows] for name, rows in history.scenario_synergy.items()}
        self.scenario_roi_deltas = dict(history.scenario_roi_deltas)

    def _come(self, metric: str, value: float) -> None:
        told, came = self._lists(metric, make=False)
        if len(told) > len(came):
            self._lists(metric)[1].append(value)

    def _lists(self, metric: str, *, make: bool = True) -> tuple[list[float], list[float]]:
        if metric == ROI:
            return self.predicted_roi, self.actual_roi
        if not make:
            return self.predicted_metrics.get(metric, []), self.actual_metrics.get(metric, [])
        return self.predicted_metrics.setdefault(metric, []), self.actual_metrics.setdefault(metric, [])

    def _cycle(self, from_end: int) -> Cycle:
        """The cycle so far from the end, by the lists, which may have been set since it was added."""
        known = self._cycles[-from_end] if from_end <= len(self._cycles) else Cycle(roi=0.0)
        roi = self.roi_history[-from_end] if from_end <= len(self.roi_history) else 0.0
        metrics = {name: values[-from_end] for name, values in self.metrics_history.items()
                   if len(values) >= from_end and math.isfinite(values[-from_end])}
        modules = known.modules or {name: values[-from_end] for name, values in self.module_deltas.items()
                                    if not self._cycles and len(values) >= from_end}
        return replace(known, roi=roi, metrics=metrics, modules=modules)
