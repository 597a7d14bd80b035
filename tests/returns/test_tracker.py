import json
import math

import pytest

from windtunnel import PredictionManager, ROITracker, UsageError
from windtunnel.core.series import Cycle
from windtunnel.returns.ledger import Ledger


@pytest.fixture
def tracker():
    made = ROITracker()
    for before, after, score in ((1.0, 1.2, 0.7), (1.2, 1.3, 0.8), (1.3, 1.35, 0.85)):
        made.update(before, after, modules=["a.py", "b.py"], resources={"cpu": 40.0}, metrics={"security_score": score})
    return made


def test_an_update_records_the_gain_and_its_metrics(tracker):
    assert tracker.roi_history == pytest.approx([0.2, 0.1, 0.05])
    assert tracker.metrics_history == {"security_score": [0.7, 0.8, 0.85]}
    assert tracker.resource_metrics == [{"cpu": 40.0}] * 3


def test_modules_share_a_gain_in_equal_parts_that_add_up(tracker):
    assert tracker.module_deltas == {"a.py": pytest.approx([0.1, 0.05, 0.025]), "b.py": pytest.approx([0.1, 0.05, 0.025])}


def test_shares_that_are_given_are_kept(tracker):
    tracker.update(1.0, 2.0, modules={"a.py": 0.9, "c.py": 0.1})

    assert tracker.rankings() == [("a.py", pytest.approx(1.075)), ("b.py", pytest.approx(0.175)), ("c.py", 0.1)]


def test_a_metric_that_a_cycle_did_not_measure_is_not_made_up(tracker):
    tracker.update(1.0, 1.1, metrics={"efficiency": 0.5})

    assert math.isnan(tracker.metrics_history["security_score"][-1])
    assert [math.isnan(value) for value in tracker.metrics_history["efficiency"]] == [True, True, True, False]
    assert tracker.series("security_score") == [0.7, 0.8, 0.85]


def test_a_metric_that_is_no_number_counts_as_not_measured(tracker):
    tracker.update(1.0, 1.1, metrics={"security_score": math.nan})

    assert tracker.series("security_score") == [0.7, 0.8, 0.85]


def test_an_update_answers_with_the_parabola_and_whether_to_stop():
    made = ROITracker()
    answers = [made.update(0.0, gain) for gain in (0.0, 0.2, 0.3, 0.2, 0.0)]

    vertex, predictions, stop = answers[-1]
    assert (vertex, stop) == (2, False)
    assert predictions == pytest.approx([0.0, 0.2, 0.28, 0.2, 0.0], abs=0.03)


def test_steady_gains_are_not_stopped_and_ended_ones_are():
    made = ROITracker()
    steady = [made.update(0.0, 0.05 + 0.01 * (at % 3)).should_stop for at in range(20)]
    ended = [made.update(0.0, 0.001 * (at % 2)).should_stop for at in range(10)]

    assert (any(steady), ended[-1]) == (False, True)


def test_the_diminishing_gain_grows_with_the_noise():
    made = ROITracker(tolerance=0.02)
    made.roi_history = [0.1, 0.3]

    assert (ROITracker(tolerance=0.02).diminishing(), made.diminishing()) == (0.02, pytest.approx(0.02 * 1.1))


def test_a_forecast_is_a_value_with_its_interval(tracker):
    value, (low, high) = tracker.forecast()

    assert low < value < high
    assert tracker.forecast_metric("security_score")[0] == pytest.approx(0.88, abs=0.05)
    assert tracker.forecast_metric("never measured") == (0.0, (-math.inf, math.inf))


def test_a_far_outlier_moves_the_forecast_less_where_outliers_are_filtered():
    with_filter, without = ROITracker(), ROITracker(filter_outliers=False)
    for made in (with_filter, without):
        made.roi_history = [0.1, 0.12, 0.11, 0.09, 0.1, 0.11, 0.1, 0.12, 5.0]

    assert with_filter.forecast()[0] < without.forecast()[0]
    assert with_filter.roi_history[-1] == 5.0


def test_bursts_are_no_outliers():
    made = ROITracker()
    made.roi_history = [0.0, 0.0, 0.0, 0.3, 0.0, 0.0, 0.0, 0.3, 0.0, 0.0]

    assert made.forecast()[1][1] > 0.05


def test_synergy_is_foretold_from_its_own_past():
    made = ROITracker()
    made.metrics_history |= {"synergy_roi": [0.1, 0.2, 0.3, 0.4], "synergy_efficiency": [0.5]}

    assert made.predict_synergy() == pytest.approx(0.5, abs=0.1)
    assert made.predict_synergy_metric("efficiency") == made.predict_synergy_metric("synergy_efficiency") == 0.5
    assert made.forecast_synergy()[0] == made.predict_synergy()
    assert set(made.synergy_metrics_history) == {"synergy_roi", "synergy_efficiency"}


def test_predictions_are_set_against_what_came(tracker):
    tracker.record_prediction(0.3, 0.2)
    tracker.record_metric_prediction("security_score", 0.5, 0.7)
    tracker.record_metric_prediction("security_score", 0.8, 0.8)

    assert (tracker.rolling_mae(), tracker.rolling_mae_metric("security_score")) == (pytest.approx(0.1), pytest.approx(0.1))
    assert tracker.rolling_mae_metric("security_score", 1) == 0.0
    assert tracker.reliability(metric="security_score") == 1.0


def test_without_predictions_reliability_is_that_of_a_backtest():
    made = ROITracker()
    made.metrics_history["rising"] = [float(at) for at in range(12)]

    assert made.reliability(metric="rising") > 0.6
    assert made.reliability(metric="nothing") == 0.0
    assert made.adaptive_tolerance() == made.tolerance


def test_what_a_manager_foretells_meets_the_next_value(tracker):
    manager = PredictionManager()
    told = tracker.predict_metric_with_manager(manager, "security_score", [0.85])
    again = tracker.predict_metric_with_manager(manager, "security_score", [0.85])
    tracker.update(1.35, 1.4, metrics={"security_score": 0.9})

    assert (told, tracker.predicted_metrics, tracker.actual_metrics) == (
        again, {"security_score": [told]}, {"security_score": [0.9]})
    assert tracker.rolling_mae_metric("security_score") == pytest.approx(abs(told - 0.9))


def test_registered_metrics_are_foretold_too(tracker):
    tracker.register_metrics("flexibility")
    found = tracker.predict_all_metrics(PredictionManager(), [0.0, 0.1])

    assert set(found) == {"security_score", "flexibility"}
    assert tracker.predicted_metrics["flexibility"] == [0.0]


def test_scenarios_have_a_worst():
    made = ROITracker()
    assert (made.worst_scenario(), made.scenario_degradation()) == (("", 0.0), 0.0)
    made.record_scenario_delta("calm", 0.2)
    made.record_scenario_delta("lossy", -0.5, {"latency": 3.0}, {"synergy_roi": -0.1})

    assert (made.biggest_drop(), made.scenario_degradation()) == (("lossy", -0.5), -0.5)
    assert (made.scenario_metrics_delta["lossy"], made.scenario_synergy_delta["lossy"]) == ({"latency": 3.0}, {"synergy_roi": -0.1})


@pytest.mark.parametrize("name", ["roi_history.json", "roi.db"])
def test_a_tracker_is_the_same_after_it_was_saved_and_loaded(tracker, tmp_path, name):
    tracker.record_scenario_synergy("slow", {"roi": 0.2})
    tracker.record_scenario_delta("slow", -0.1)
    tracker.record_metric_prediction("security_score", 0.5, 0.7)
    tracker.save_history(tmp_path / name)
    loaded = ROITracker()
    loaded.load_history(tmp_path / name)

    for part in ("roi_history", "metrics_history", "module_deltas", "predicted_metrics", "actual_metrics",
                 "scenario_roi_deltas"):
        assert getattr(loaded, part) == getattr(tracker, part), part
    assert loaded.get_scenario_synergy("slow") == [{"synergy_roi": 0.2}]
    assert loaded.history() == tracker.history()


def test_what_was_known_before_a_history_is_loaded_is_gone(tracker, tmp_path):
    ROITracker().save_history(tmp_path / "empty.json")
    tracker.record_scenario_delta("slow", -0.1, {"latency": 1.0})
    tracker.load_history(tmp_path / "empty.json")

    assert (tracker.roi_history, tracker.metrics_history, tracker.resource_metrics, tracker.scenario_metrics_delta,
            tracker.scenario_roi_deltas) == ([], {}, [], {}, {})


def test_scenarios_are_ranked_by_what_they_gained():
    made = ROITracker()
    for gain, scenario in ((0.5, "slow"), (1.0, "calm"), (0.25, "slow")):
        made.update(0.0, gain, scenario=scenario, metrics={"security_score": gain})

    assert [(each.scenario, each.roi, each.security_score) for each in made.scenario_rankings()] == [
        ("calm", 1.0, 1.0), ("slow", 0.75, 0.25)]


def test_lists_that_were_set_by_hand_are_saved(tmp_path):
    made = ROITracker()
    made.roi_history, made.metrics_history["x"], made.module_deltas["m"] = [0.1, 0.2], [1.0, 2.0, 3.0], [0.2]
    made.save_history(tmp_path / "roi_history.json")

    assert made.history().cycles == (
        Cycle(roi=0.0, metrics={"x": 1.0}), Cycle(roi=0.1, metrics={"x": 2.0}),
        Cycle(roi=0.2, metrics={"x": 3.0}, modules={"m": 0.2}))
    assert len(json.loads((tmp_path / "roi_history.json").read_text())["cycles"]) == 3


def test_two_runs_become_one(tracker):
    other = ROITracker()
    other.update(0.0, 1.0, metrics={"efficiency": 0.5})
    tracker.merge_history(other)

    assert tracker.roi_history == pytest.approx([0.2, 0.1, 0.05, 1.0])
    assert tracker.series("efficiency") == [0.5]


def test_modules_of_which_nothing_is_expected_have_faded():
    ledger = Ledger()
    for at in range(30):
        ledger.add(Cycle(roi=0.1, modules={"still": 0.0, "steady": 0.1 + 0.01 * (at % 2)}))

    assert ledger.faded() == ("still",)


@pytest.mark.parametrize("act", [
    lambda made: made.update(1.0, math.nan), lambda made: made.update("1", 2.0),
    lambda made: made.update(0.0, 1.0, modules="a.py"), lambda made: made.update(0.0, 1.0, metrics={"a": "b"}),
    lambda made: made.update(0.0, 1.0, metrics={"": 1.0}), lambda made: made.record_prediction(1.0, math.inf),
    lambda _: ROITracker(window=0), lambda _: ROITracker(tolerance=0.0)])
def test_what_cannot_be_recorded_is_refused_and_changes_nothing(tracker, act):
    before = tracker.history()
    with pytest.raises(UsageError):
        act(tracker)

    assert tracker.history() == before


class Fixed:
    def __init__(self, value):
        self.value = value

    def predict_metric(self, name, features):
        if isinstance(self.value, BaseException):
            raise self.value
        return self.value


def test_a_manager_averages_its_bots():
    manager, made = PredictionManager(), ROITracker()
    made.metrics_history["x"] = [4.0]
    key = manager.register_bot(Fixed(2.0))

    assert made.predict_metric_with_manager(manager, "x") == 3.0
    manager.retire_bot(key)
    assert made.predict_metric_with_manager(manager, "x") == 4.0


def test_a_bot_with_a_scope_is_asked_of_that_alone():
    manager = PredictionManager()
    manager.register_bot(Fixed(6.0), {"scope": ["latency"]})

    assert (manager.predict("latency"), manager.predict("other")) == (3.0, 0.0)


@pytest.mark.parametrize("rubbish", [ValueError("no"), SystemExit(3), math.nan, "much", None, [1.0]])
def test_a_bot_that_fails_or_says_no_number_is_left_out(rubbish):
    manager, made = PredictionManager(), ROITracker()
    made.metrics_history["x"] = [4.0]
    key = manager.register_bot(Fixed(rubbish))

    assert made.predict_metric_with_manager(manager, "x") == 4.0
    assert len(manager.registry[key].problems) == 1


def test_each_bot_has_its_own_rolling_error():
    manager, made = PredictionManager(), ROITracker()
    key = manager.register_bot(Fixed(2.0))
    for value in (1.0, 5.0, 4.0):
        made.predict_metric_with_manager(manager, "x")
        made.update(0.0, 0.1, metrics={"x": value})
    made.predict_metric_with_manager(manager, "x", actual=3.0)

    assert manager.rolling_mae(key, "x") == pytest.approx((1 + 3 + 2 + 1) / 4)
    assert manager.rolling_mae(key, "x", 2) == pytest.approx(1.5)
    assert manager.rolling_mae(key, "y") == 0.0


def test_what_cannot_foretell_is_no_bot():
    with pytest.raises(UsageError, match="has no method predict_metric"):
        PredictionManager().register_bot(object())


def test_a_data_bot_is_a_source_of_values():
    class Data:
        def series(self, name):
            return [3.0, 3.0, 3.0] if name == "x" else []

    manager = PredictionManager(data_bot=Data())

    assert [manager.predict(name) for name in ("x", "y")] == [3.0, 0.0]


def test_a_manager_asked_by_two_trackers_keeps_them_apart():
    manager, one, two = PredictionManager(), ROITracker(), ROITracker()
    one.metrics_history["x"], two.metrics_history["x"] = [1.0], [9.0]

    assert [made.predict_metric_with_manager(manager, "x") for made in (one, two, one)] == [1.0, 9.0, 1.0]
