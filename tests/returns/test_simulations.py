import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks import simulate_discrepancies, simulate_forecasts, simulate_stop
from benchmarks.ground import SMALL, Ground

from windtunnel.returns.guests import installed


def test_forecasts_of_short_series_beat_the_naive_one_and_keep_their_intervals():
    found = simulate_forecasts.measure(simulate_forecasts.TUNING, runs=150)["all"]

    assert found.error < 0.97 * found.naive
    assert 0.93 <= found.covered <= 0.97


@pytest.mark.parametrize("name", ["constant .04 sd .02", "bursty, 25 % gain .2"])
def test_gains_that_go_on_are_seldom_stopped(name):
    assert simulate_stop.measure(simulate_stop.TUNING[name], runs=12, seed=5).stopped <= 0.1


@pytest.mark.parametrize("name", ["saturating sd .005", "hard plateau"])
def test_gains_that_end_are_seen(name):
    found = simulate_stop.measure(simulate_stop.TUNING[name], runs=15, seed=5)

    assert (found.stopped, found.early) == (1.0, 0.0)
    assert found.delay < 12


def test_the_chance_of_a_pause_is_that_of_counting():
    assert simulate_stop.longest_drought(0.5, cycles=3, drought=2) == pytest.approx(3 / 8)
    assert simulate_stop.longest_drought(0.2, cycles=10, drought=10) == pytest.approx(0.8**10)


def test_the_rows_of_the_benchmarks_name_what_was_aimed_at(tmp_path):
    ground = Ground(folder=tmp_path, scale=SMALL)
    made = [*simulate_forecasts.rows(ground), *simulate_stop.rows(ground)]

    assert [row.name for row in made if row.target] == [
        "scaled error of a forecast, 4 to 18 points", "coverage of 95 % intervals", "forecasts of 50 metrics",
        "false stops, constant .05 sd .02", "false stops, constant .05 sd .05", "false stops, accelerating",
        "false stops, bursty, 20 % gain .3", "cycles after the knee, saturating sd .005",
        "cycles after the knee, saturating sd .02", "cycles after the knee, hard plateau"]
    assert [row.failed for row in made] == [False] * len(made)


def test_longer_series_with_statsforecast_are_a_row_of_their_own_or_say_that_it_is_not_there():
    row = simulate_forecasts.guests_row(runs=1)

    assert row.missing == "statsforecast is not installed" if not installed() else row.value > 0


def test_comparing_again_costs_less_than_the_first_time(tmp_path):
    (row,) = simulate_discrepancies.rows(Ground(folder=tmp_path, scale=SMALL))

    assert row.value < row.other
