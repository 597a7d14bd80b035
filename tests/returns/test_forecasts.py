import math
import random

import pytest

from windtunnel.core.errors import UsageError
from windtunnel.returns.experts import EXPERTS, Damped, Drift, Mean, Naive, RecentMedian, Smoothing, Theta
from windtunnel.returns.forecasts import MOST_POINTS, forecast
from windtunnel.returns.intervals import half_width
from windtunnel.returns.mixture import seen


def told(make, values, steps=1):
    expert = make()
    for value in values:
        expert.see(value)
    return expert.ahead(steps)


@pytest.mark.parametrize(("make", "expected"), [
    (Naive, 8.0), (Drift, 10.0), (RecentMedian, 5.0), (Mean, 5.0)])
def test_the_simple_experts_say_what_their_formulas_say(make, expected):
    assert told(make, [2.0, 4.0, 6.0, 8.0]) == expected


def test_smoothing_takes_the_constant_that_erred_least():
    assert told(Smoothing, [1.0, 2.0, 3.0, 4.0]) == 4.0
    assert told(Smoothing, [5.0, 6.0, 4.0, 6.0, 4.0, 6.0, 4.0]) == pytest.approx(5.0, abs=0.4)


def test_theta_adds_half_of_the_slope_for_each_step():
    assert told(Theta, [1.0, 2.0, 3.0, 4.0], steps=2) == pytest.approx(5.0)


def test_a_damped_trend_goes_on_ever_more_slowly():
    one, two, three = (told(Damped, [float(at) for at in range(12)], steps) for steps in (1, 2, 3))

    assert two - one > three - two > 0


def test_a_straight_line_is_followed():
    found = forecast([float(at) for at in range(1, 16)], guests={})

    assert found.value == pytest.approx(16.0, abs=0.3)
    assert found.weights["drift"] == max(found.weights.values())


def test_the_weights_of_the_experts_add_up():
    found = forecast([3.0, 1.0, 4.0, 1.0, 5.0, 9.0])

    assert set(found.weights) == set(EXPERTS)
    assert math.fsum(found.weights.values()) == pytest.approx(1.0)


def test_an_empty_series_is_foretold_to_be_nothing_without_an_interval():
    found = forecast([])

    assert (found.value, found.low, found.high, found.points, dict(found.weights)) == (0.0, None, None, 0, {})


def test_one_value_stays_without_an_interval():
    found = forecast([7.5])

    assert (found.value, found.low, found.high, found.points) == (7.5, None, None, 1)


def test_two_values_have_a_wide_interval():
    found = forecast([1.0, 2.0])

    assert found.low < 1.0
    assert found.high > 2.0
    assert found.high - found.low == pytest.approx(2 * 12.706, rel=1e-3)


def test_a_constant_series_stays_without_a_spread():
    found = forecast([4.0] * 6)

    assert (found.value, found.low, found.high) == (4.0, 4.0, 4.0)


def test_what_is_no_finite_number_is_left_out_and_counted():
    found = forecast([1.0, math.nan, 2.0, math.inf, 3.0, None, "4", 10**400])

    assert (found.points, found.skipped) == (3, 5)
    assert (found.value, found.low) == (forecast([1.0, 2.0, 3.0]).value, forecast([1.0, 2.0, 3.0]).low)


def test_huge_values_give_finite_answers():
    found = forecast([1e300, -1e300, 1e300, 5e299])

    assert all(math.isfinite(value) for value in (found.value, found.low, found.high))


def test_a_forecast_stays_within_the_range_of_its_metric():
    found = forecast([95.0, 97.0, 99.0, 100.0], least=0.0, most=100.0)

    assert found.value <= 100.0
    assert found.high == 100.0


def test_later_steps_have_wider_intervals():
    series = [1.0, 3.0, 2.0, 4.0, 3.0, 5.0]
    near, far = forecast(series), forecast(series, steps=4)

    assert far.high - far.low == pytest.approx(2 * (near.high - near.low))


def test_a_forecast_does_not_depend_on_units():
    series = [1.0, 3.0, 2.0, 4.0, 3.0, 5.0]
    plain, scaled = forecast(series), forecast([1000 * value - 50 for value in series])

    assert scaled.value == pytest.approx(1000 * plain.value - 50)
    assert scaled.high - scaled.low == pytest.approx(1000 * (plain.high - plain.low))


def test_only_the_last_values_of_a_long_series_are_looked_at():
    chance = random.Random(1)
    series = [chance.gauss(0, 1) for _ in range(MOST_POINTS)]

    assert forecast([1e6] * 50 + series, guests={}).value == forecast(series, guests={}).value


@pytest.mark.parametrize("wrong", [{"steps": 0}, {"steps": 10**6}, {"level": 0.0}, {"level": 1.0}])
def test_impossible_questions_are_refused(wrong):
    with pytest.raises(UsageError, match=next(iter(wrong))):
        forecast([1.0, 2.0], **wrong)


def test_of_many_errors_the_interval_is_their_own_quantile():
    errors = [float(at) for at in range(1, 20)]

    assert half_width(errors, level=0.95) == 19.0


def test_intervals_that_were_too_narrow_widen():
    calm = [1.0, -1.0] * 20
    wild = [*calm, *([5.0, -5.0] * 5)]

    assert half_width(wild, level=0.9) >= 5.0 > half_width(calm, level=0.9)


def test_the_errors_of_a_mixture_are_those_of_its_own_forecasts():
    values = [1.0, 4.0, 2.0, 8.0]

    assert seen(values).errors[-1] == pytest.approx(values[-1] - seen(values[:-1]).ahead(1))


@pytest.mark.parametrize("series", [[1e308, -1e308, 1e308], [1.7e308] * 5])
def test_values_whose_sums_are_no_numbers_are_refused(series):
    with pytest.raises(UsageError, match="is not from -1e\\+300 to 1e\\+300"):
        forecast(series)
