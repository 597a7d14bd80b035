"""Who speaks for a series: our own mixture, unless a guest was better on it by more than chance."""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from windtunnel.returns.forecasts import forecast
from windtunnel.returns.guests import ABSENT, FIRST, LEAST, installed, speaker
from windtunnel.returns.intervals import half_width
from windtunnel.returns.mixture import seen

SAW = [10.0 if at % 2 else 0.0 for at in range(20)]
NOISE = [random.Random(3).gauss(0, 1) for _ in range(20)]


def seer(values, steps):
    """Knows the saw."""
    return SAW[(len(values) + steps - 1) % 2] + 0.1 * (-1) ** (len(values) // 2)


def raiser(values, steps):
    raise ValueError("not enough")


def dreamer(values, steps):
    return math.nan


def last(values, steps):
    return values[-1]


def test_a_guest_that_was_better_by_enough_speaks():
    found = forecast(SAW, guests={"seer": seer})

    assert (found.value, dict(found.weights)) == (seer(SAW, 1), {"seer": 1.0})


def test_the_interval_of_a_guest_is_made_of_its_own_errors():
    found = forecast(SAW, guests={"seer": seer})
    errors = [value - seer(SAW[:at], 1) for at, value in enumerate(SAW)][FIRST:]

    assert found.high - found.value == pytest.approx(half_width(errors, level=0.95))


def test_later_steps_are_asked_of_the_guest_that_speaks():
    found = forecast(SAW, steps=2, guests={"seer": seer})

    assert found.value == seer(SAW, 2)


def test_of_several_the_one_with_the_least_error_speaks():
    rough = forecast(SAW, guests={"rough": lambda values, steps: seer(values, steps) + 1, "seer": seer})

    assert dict(rough.weights) == {"seer": 1.0}


@pytest.mark.parametrize("guest", [last, raiser, dreamer])
def test_a_guest_that_is_no_better_or_fails_changes_nothing(guest):
    assert forecast(NOISE, guests={"guest": guest}) == forecast(NOISE, guests={})


def test_a_guest_that_was_lucky_once_does_not_speak():
    def lucky(values, steps):
        return NOISE[len(values)] if len(values) == 12 else seen(values).ahead(steps)

    assert forecast(NOISE, guests={"lucky": lucky}) == forecast(NOISE, guests={})


def test_a_series_that_is_too_short_to_judge_by_asks_no_guest():
    asked = []
    forecast(SAW[:FIRST + LEAST - 1], guests={"seer": lambda values, steps: asked.append(values) or 0.0})

    assert asked == []


def test_a_constant_series_asks_no_guest():
    asked = []
    forecast([4.0] * 20, guests={"seer": lambda values, steps: asked.append(values) or 0.0})

    assert asked == []


def test_each_value_is_foretold_from_those_before_it_alone():
    asked = []
    speaker(SAW, seen(SAW).errors, guests={"seer": lambda values, steps: asked.append(values) or 0.0})

    assert asked == [tuple(SAW[:at]) for at in range(FIRST, len(SAW))]


def test_huge_values_ask_guests_without_harm():
    series = [1e300 * (-1) ** at for at in range(14)]

    assert forecast(series, guests={"last": lambda values, steps: values[-1]}).points == 14


def test_without_the_library_there_are_no_guests_and_the_words_say_what_to_install():
    if installed():
        pytest.skip("statsforecast is installed")

    assert dict(installed()) == {}
    assert "windtunnel[forecasts]" in ABSENT
    assert forecast(SAW) == forecast(SAW, guests={})


def quietly(source, home):
    """What a program prints that has nothing but its own home to write to."""
    home.mkdir()
    return subprocess.run([sys.executable, "-B", "-c", source], capture_output=True, text=True, check=False, cwd=home,
                          env={"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path)})


def test_the_library_is_not_loaded_before_a_long_series_is_asked_about(tmp_path):
    run = quietly("import sys\nfrom windtunnel.returns.forecasts import forecast\nforecast([1.0, 2.0, 4.0])\n"
                  "print('statsforecast' in sys.modules)", tmp_path / "home")

    assert (run.stdout, run.stderr) == ("False\n", "")


def test_the_library_takes_part_without_a_word_and_writes_nothing(tmp_path):
    pytest.importorskip("statsforecast")
    run = quietly("from windtunnel.returns.forecasts import forecast\n"
                  "found = forecast([50 + (-1) ** at * (5 + at % 3) for at in range(16)])\n"
                  "print(*found.weights)", tmp_path / "home")

    assert (run.returncode, run.stderr, len(run.stdout.splitlines())) == (0, "", 1)
    assert list(Path(tmp_path, "home").iterdir()) == []


def test_the_guests_of_the_library_are_its_three_automatic_models():
    pytest.importorskip("statsforecast")
    series = tuple(50 + (-1) ** at * (5 + at % 3) for at in range(16))

    assert set(installed()) == {"AutoARIMA", "AutoETS", "AutoTheta"}
    assert all(math.isfinite(guest(series, 1)) for guest in installed().values())
    assert abs(installed()["AutoARIMA"](series, 1) - 56) < 4
