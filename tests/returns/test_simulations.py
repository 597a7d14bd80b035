import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks import simulate_forecasts, simulate_stop


def test_forecasts_of_short_series_beat_the_naive_one_and_keep_their_intervals():
    found = simulate_forecasts.measure(simulate_forecasts.TUNING, runs=150)["all"]

    assert found.error < 0.97 * found.naive
    assert 0.93 <= found.covered <= 0.97


@pytest.mark.parametrize("name", ["constant .04 sd .02", "bursty, 25 % gain .2"])
def test_gains_that_go_on_are_seldom_stopped(name):
    assert simulate_stop.measure(simulate_stop.TUNING[name], runs=25, seed=5).stopped <= 0.08


@pytest.mark.parametrize("name", ["saturating sd .005", "hard plateau"])
def test_gains_that_end_are_seen(name):
    found = simulate_stop.measure(simulate_stop.TUNING[name], runs=15, seed=5)

    assert (found.stopped, found.early) == (1.0, 0.0)
    assert found.delay < 12


def test_the_chance_of_a_pause_is_that_of_counting():
    assert simulate_stop.longest_drought(0.5, cycles=3, drought=2) == pytest.approx(3 / 8)
    assert simulate_stop.longest_drought(0.2, cycles=10, drought=10) == pytest.approx(0.8**10)
