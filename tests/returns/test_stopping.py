import math
import random

import pytest

from windtunnel.core.errors import UsageError
from windtunnel.returns.stopping import LEAST_CYCLES, advise


def noisy(mean, spread, count, seed=1):
    chance = random.Random(seed)
    return [chance.gauss(mean, spread) for _ in range(count)]


def test_steady_gains_go_on():
    found = advise(noisy(0.05, 0.02, 30))

    assert not found.stop
    assert found.expected == pytest.approx(0.05, abs=0.01)


def test_gains_that_ended_are_seen_within_ten_cycles():
    gains = noisy(0.05, 0.02, 20)

    assert not advise(gains).stop
    assert advise(gains + noisy(0.0, 0.02, 10, seed=2)).stop


def test_gains_that_fade_away_stop():
    gains = [0.1 * math.exp(-at / 5) for at in range(20)]

    assert [advise(gains[:count]).stop for count in (9, 20)] == [False, True]


def test_bursts_get_longer_patience_than_smooth_gains():
    bursts = [0.3 if at % 5 == 0 else 0.0 for at in range(21)]
    smooth = [0.06] * 21

    assert not advise([*bursts, *[0.0] * 12]).stop
    assert advise([*smooth, *[0.0] * 12]).stop


def test_bursts_that_ended_are_seen_at_last():
    assert advise([0.3 if at % 5 == 0 else 0.0 for at in range(21)] + [0.0] * 40).stop


def test_gains_that_grow_go_on():
    assert not advise([0.002 * at for at in range(20)]).stop


def test_nothing_at_all_stops_in_the_end():
    assert [advise([0.0] * count).stop for count in (10, 60)] == [False, True]


def test_gains_that_do_not_pay_for_their_cost_stop():
    gains = noisy(0.05, 0.01, 20)

    assert [advise(gains, cost=cost).stop for cost in (0.01, 0.2)] == [False, True]


def test_a_few_cycles_are_too_few_to_tell():
    found = advise([0.0] * (LEAST_CYCLES - 1))

    assert (found.stop, found.reason) == (False, "7 cycles are too few to tell (at least 8)")


def test_no_cycles_are_answered_too():
    found = advise([])

    assert (found.stop, found.expected, found.drought) == (False, 0.0, 0)


def test_gains_that_are_no_numbers_count_as_none():
    assert advise([math.nan, math.inf, *[0.05] * 10]) == advise([0.0, 0.0, *[0.05] * 10])


def test_the_drought_counts_cycles_since_the_last_gain_that_paid():
    assert advise([0.05] * 10 + [0.001] * 3).drought == 3


@pytest.mark.parametrize("gains", [[1e200, -1e200] * 10, [0.0] * 10 + [1e300], [1e-300] * 10])
@pytest.mark.parametrize("cost", [1e-300, 0.01, 1e300])
def test_gains_and_costs_of_any_size_are_answered(gains, cost):
    found = advise(gains, cost=cost)

    assert 0 <= found.dried <= 1
    assert math.isfinite(found.expected)


@pytest.mark.parametrize("wrong", [{"cost": 0.0}, {"cost": -1.0}, {"cost": math.nan}, {"doubt": 0.0}, {"doubt": 1.0}])
def test_impossible_costs_and_doubts_are_refused(wrong):
    with pytest.raises(UsageError, match=next(iter(wrong))):
        advise([0.1], **wrong)


def test_one_cycle_is_one_cycle():
    assert advise([0.5]).reason == "1 cycle is too few to tell (at least 8)"
