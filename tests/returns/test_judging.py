import math
import sys
from types import ModuleType, SimpleNamespace

import pytest

from windtunnel.core.errors import UsageError
from windtunnel.returns.convergence import all_settled, rolling_correlation, settled
from windtunnel.returns.parabola import quadratic
from windtunnel.returns.reliability import backtest, mean_absolute_error, reliability
from windtunnel.returns.thresholds import (
    adaptive_synergy_threshold,
    adaptive_threshold,
    adaptive_tolerance,
    moving_average,
    still_modules,
)

CALM = [0.01, -0.01, 0.0, 0.01, -0.01, 0.0, 0.01, -0.01, 0.0, 0.0]


@pytest.mark.parametrize(("pairs", "expected"), [
    ([], 0.0), ([(1.0, 1.0)], 0.0), ([(1.0, 1.0), (3.0, 3.0)], 1.0), ([(0.0, 1.0), (1.0, 3.0)], 0.5),
    ([(0.0, 1.0), (9.0, 3.0)], 0.25), ([(5.0, 5.0), (5.0, 5.0)], 1.0), ([(5.0, 5.0), (6.0, 5.0)], 0.0)])
def test_reliability_sets_the_errors_against_those_of_the_naive_forecast(pairs, expected):
    assert reliability(pairs) == expected


def test_reliability_does_not_depend_on_units():
    pairs = [(1.0, 1.5), (2.0, 2.5), (2.0, 1.0)]

    assert reliability([(1000 * told, 1000 * came) for told, came in pairs]) == pytest.approx(reliability(pairs))


def test_a_window_looks_at_the_last_predictions_alone():
    pairs = [(0.0, 1.0), (9.0, 3.0), (5.0, 5.0), (7.0, 7.0)]

    assert (reliability(pairs, window=2), mean_absolute_error(pairs, window=2)) == (1.0, 0.0)
    assert mean_absolute_error(pairs) == pytest.approx(7 / 4)
    assert mean_absolute_error([]) == 0.0


def test_a_backtest_knows_nothing_of_what_comes():
    assert backtest([1.0, 2.0, 50.0])[:1] == backtest([1.0, 2.0])
    assert [came for _, came in backtest([1.0, 2.0, 50.0])] == [2.0, 50.0]


def test_a_moving_average_weighs_by_two_of_one_more_than_there_are():
    mean, spread = moving_average([0.0, 3.0])

    assert (mean, spread) == (pytest.approx(2.0), pytest.approx(math.sqrt(2 / 3 * 9 - 4)))


@pytest.mark.parametrize("values", [[], [1.0], [2.0, 2.0, 2.0], [math.nan, 1.0]])
def test_a_threshold_of_nothing_or_of_stillness_is_nothing(values):
    assert adaptive_threshold(values, 5) == 0.0


def test_a_threshold_follows_the_noise_of_the_last_values():
    assert adaptive_threshold([100.0, 0.0, 3.0], 2) == pytest.approx(2 * math.sqrt(2))
    assert adaptive_threshold([0.0, 3.0], 2, factor=1.0) == pytest.approx(math.sqrt(2))


def test_a_synergy_threshold_is_of_what_was_foretold_wrongly():
    history = [{"synergy_roi": 1.0, "other": 50.0}, {"synergy_roi": 3.0}]

    assert adaptive_synergy_threshold(history, 5) == pytest.approx(2.0)
    assert adaptive_synergy_threshold(history, 5, predictions=[{"synergy_roi": 1.0}, {"synergy_roi": 3.0}]) == 0.0
    assert adaptive_synergy_threshold([{"synergy_roi": 1.0, "pred_synergy_roi": 1.0}, *history[1:]], 5) == pytest.approx(3.0)
    assert adaptive_synergy_threshold(history[:1], 5) == 0.0
    assert adaptive_synergy_threshold([], 5, predictions=[{"synergy_roi": 1.0}]) == 0.0


def test_newer_differences_can_count_more():
    history = [{"synergy_roi": 5.0}, {"synergy_roi": 0.0}, {"synergy_roi": 0.0}]

    assert adaptive_synergy_threshold(history, 5, weight=0.1) < adaptive_synergy_threshold(history, 5)


@pytest.mark.parametrize("act", [
    lambda: adaptive_threshold([1.0], 0), lambda: adaptive_synergy_threshold([], 5, weight=0.0),
    lambda: adaptive_synergy_threshold([], 0), lambda: still_modules({}, threshold=0.1, consecutive=0),
    lambda: settled([1.0], threshold=0.1, window=2)])
def test_impossible_windows_and_weights_are_refused(act):
    with pytest.raises(UsageError):
        act()


def test_the_tolerance_shrinks_as_forecasts_grow_reliable():
    assert [adaptive_tolerance(0.02, trust) for trust in (0.0, 0.5, 1.0, 7.0)] == [0.02, 0.01, 0.002, 0.002]


def test_modules_that_neither_move_nor_vary_are_still():
    deltas = {"still": [5.0, 0.001, 0.0, 0.001], "moves": [0.2, 0.2, 0.2], "jumps": [0.1, -0.1, 0.0], "new": [0.0]}

    assert still_modules(deltas, threshold=0.01) == ("still",)


def without(monkeypatch, *names):
    for name in names:
        monkeypatch.setitem(sys.modules, name, None)


def test_values_near_zero_without_a_trend_have_settled(monkeypatch):
    without(monkeypatch, "scipy.stats", "statsmodels.tsa.stattools")
    found = settled(CALM, threshold=0.05)

    assert (found.settled, found.reason) == (True, "settled")
    assert found.tests == ("t-interval", "correlation", "ratio of variances")
    assert found.confidence > 0.05


@pytest.mark.parametrize(("values", "why"), [
    ([1.0 + value for value in CALM], "the mean is not near zero"),
    ([0.004 * (at - 4.5) for at in range(10)], "a trend: correlation +1.00 with the cycle"),
    ([0.0, 0.001, 0.0, -0.001, 0.0, 0.05, -0.05, 0.05, -0.05, 0.0], "more restless than before"),
    (CALM[:4], "4 of 10 values")])
def test_values_that_have_not_settled_say_why(monkeypatch, values, why):
    without(monkeypatch, "scipy.stats", "statsmodels.tsa.stattools")
    found = settled(values, threshold=0.1)

    assert (found.settled, found.reason) == (False, why)


def test_tests_of_libraries_are_used_where_they_are_installed(monkeypatch):
    stats, roots = ModuleType("scipy.stats"), ModuleType("statsmodels.tsa.stattools")
    stats.levene = lambda *_: (1.0, 0.9)
    roots.adfuller = lambda *_, **__: (-5.0, 0.2)
    monkeypatch.setitem(sys.modules, "scipy.stats", stats)
    monkeypatch.setitem(sys.modules, "statsmodels.tsa.stattools", roots)
    found = settled(CALM + CALM[:4], threshold=0.1, window=14)

    assert found.tests == ("t-interval", "correlation", "augmented Dickey-Fuller", "Levene")
    assert (found.settled, found.reason) == (False, "a random walk is not ruled out")


def test_a_test_of_a_library_that_cannot_say_is_not_counted(monkeypatch):
    stats, roots = ModuleType("scipy.stats"), ModuleType("statsmodels.tsa.stattools")
    stats.levene = lambda *_: SimpleNamespace(pvalue=math.nan)

    def adfuller(*_, **__):
        raise ValueError("Invalid input, x is constant")

    roots.adfuller = adfuller
    monkeypatch.setitem(sys.modules, "scipy.stats", stats)
    monkeypatch.setitem(sys.modules, "statsmodels.tsa.stattools", roots)

    assert settled(CALM + CALM[:4], threshold=0.1, window=14).tests == ("t-interval", "correlation", "ratio of variances")


def test_constant_values_have_settled_where_they_are_near():
    assert [settled([value] * 10, threshold=0.1).settled for value in (0.05, 0.5)] == [True, False]


def test_each_metric_of_a_history_is_judged():
    history = [{"synergy_roi": value, "synergy_safety_rating": 1.0} for value in CALM]

    assert {name: each.settled for name, each in all_settled(history, threshold=0.05).items()} == {
        "synergy_roi": True, "synergy_safety_rating": False}


def test_correlation_of_what_does_not_vary_is_none():
    assert [rolling_correlation(values) for values in ([], [1.0], [2.0, 2.0], [1.0, 2.0, 3.0])] == [
        0.0, 0.0, 0.0, pytest.approx(1.0)]


def test_a_parabola_turns_at_its_vertex():
    values = [-(at - 3.0) ** 2 for at in range(6)]
    vertex, fitted = quadratic(values)

    assert (vertex, fitted) == (3, pytest.approx(values))


@pytest.mark.parametrize("values", [[], [1.0, 2.0], [1.0, 2.0, 3.0, 4.0]])
def test_what_does_not_bend_has_no_vertex(values):
    assert quadratic(values)[0] is None
