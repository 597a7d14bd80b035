"""The door to whoever foretells metrics."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any
from weakref import WeakKeyDictionary

from windtunnel.core.errors import UsageError
from windtunnel.core.randomness import fresh_id
from windtunnel.core.series import finite, named
from windtunnel.returns.bots import Entry, ForecastBot
from windtunnel.returns.ledger import Ledger
from windtunnel.returns.plugins import PluginFailed, within

OWN = "roi_tracker"
"""The name that a tracker asks under."""
_BOT_SECONDS = 5.0


class PredictionManager:
    """Knows bots that foretell metrics; a bot of its own, which uses our forecast, is always among them."""

    def __init__(self, data_bot: object | None = None) -> None:
        """``data_bot`` may have a method ``series(metric)`` that returns a metric's values so far."""
        self.registry: dict[str, Entry] = {}
        self.assignments: dict[str, list[str]] = {}
        self._waiting: WeakKeyDictionary[Ledger, dict[str, tuple[int, dict[str, float]]]] = WeakKeyDictionary()
        """What each bot said of an asker's metrics, and how many values of them were known then."""
        self._own = ForecastBot()
        series = getattr(data_bot, "series", None)
        if callable(series):
            self._own.watch(series)
        self.register_bot(self._own, {})

    def register_bot(self, bot: Any, profile: Mapping[str, Iterable[str]] | None = None) -> str:  # noqa: ANN401 -- anything with predict_metric
        """Make a bot known; its id. ``profile`` says what it is for, as {"scope": ["security_score"]}."""
        if not callable(getattr(bot, "predict_metric", None)):
            raise UsageError(f"bot: {type(bot).__name__} has no method predict_metric(name, features)", field="bot")
        made = Entry(id=fresh_id(), bot=bot, profile=dict(profile or getattr(bot, "prediction_profile", {})))
        self.registry[made.id] = made
        self.assignments.clear()
        return made.id

    def retire_bot(self, bot_id: str) -> None:
        """Forget a bot."""
        self.registry.pop(bot_id, None)
        self.assignments.clear()

    def assign_prediction_bots(self, bot: Any) -> list[str]:  # noqa: ANN401 -- whoever asks
        """The ids of those who foretell for whoever asks, by its ``prediction_profile`` where it has one."""
        if isinstance(bot, Ledger):
            self._own.watch(bot.series)
        profile = getattr(bot, "prediction_profile", {})
        found = [entry.id for entry in self.registry.values() if entry.serves(profile)]
        self.assignments[getattr(bot, "name", OWN)] = found
        return list(found)

    def get_prediction_bots_for(self, bot_name: str) -> list[str]:
        """The ids that were assigned to this name."""
        return list(self.assignments.get(bot_name, ()))

    def predict(
        self, metric: str, features: Iterable[float] | None = None, *, asker: object = None, name: str = OWN,
    ) -> float:
        """The mean of what the assigned bots that serve this metric say; 0 where none says a number."""
        self._judge_earlier(asker, metric)
        assigned = self.assign_prediction_bots(asker)
        chosen = [entry for key in self.get_prediction_bots_for(name) or assigned
                  if (entry := self.registry.get(key)) and entry.serves({"scope": (metric,)})]
        given = list(features or ())
        said = {entry.id: value for entry in chosen if (value := _said(entry, metric, given)) is not None}
        if isinstance(asker, Ledger):
            self._waiting.setdefault(asker, {})[metric] = (len(asker.series(metric)), said)
        return math.fsum(said.values()) / len(said) if said else 0.0

    def judge(self, asker: Ledger, metric: str, actual: float) -> None:
        """What came of the metric that was foretold last; each bot's error is remembered."""
        _, said = self._waiting.get(asker, {}).pop(metric, (0, {}))
        for key, value in said.items():
            self.record_error(key, metric, predicted=value, actual=actual)

    def _judge_earlier(self, asker: object, metric: str) -> None:
        """By the value that the asker measured since."""
        if isinstance(asker, Ledger) and metric in self._waiting.get(asker, {}):
            at, values = self._waiting[asker][metric][0], asker.series(metric)
            if len(values) > at:
                self.judge(asker, metric, values[at])

    def record_error(self, bot_id: str, metric: str, *, predicted: float, actual: float) -> None:
        """How far off one bot was; nothing where it is known no more."""
        error = finite(predicted, field="predicted") - finite(actual, field="actual")
        if bot_id in self.registry:
            self.registry[bot_id].missed(named(metric, field="metric"), error)

    def rolling_mae(self, bot_id: str, metric: str, window: int | None = None) -> float:
        """The mean absolute error of one bot's predictions of a metric."""
        return self.registry[bot_id].rolling_mae(metric, window)


def _said(entry: Entry, metric: str, features: list[float]) -> float | None:
    """What one bot says; a bot that fails is left out, and its entry says how."""
    if isinstance(entry.bot, ForecastBot):
        return entry.bot.predict_metric(metric, features)
    try:
        return finite(within(_BOT_SECONDS, lambda: entry.bot.predict_metric(metric, features)), field=metric)
    except (PluginFailed, TimeoutError, UsageError) as failure:
        entry.problems.append(f"{metric}: {failure}")
        return None
