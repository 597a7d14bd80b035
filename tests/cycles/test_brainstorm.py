"""In which cycles a model is asked."""

from __future__ import annotations

import pytest

from windtunnel.core.errors import UsageError
from windtunnel.engine.cycles.brainstorm import INTERVAL, Brainstorm, number_of


def asked(when, gains):
    """The numbers of the cycles, from 1, in which a model is asked."""
    return [at + 1 for at in range(len(gains)) if when.why(gains[:at], cost=0.01)]


def test_with_an_interval_it_is_asked_in_every_cycle_that_it_divides_whatever_is_gained():
    assert asked(Brainstorm(interval=2, retries=100), [0.0, *[1.0] * 7]) == [2, 4, 6, 8]


def test_with_an_interval_of_one_it_is_asked_in_every_cycle_but_the_first():
    assert asked(Brainstorm(interval=1, retries=100), [0.0, 1.0, 1.0]) == [2, 3]


def test_without_an_interval_it_is_asked_only_when_gains_have_faded():
    assert asked(Brainstorm(retries=3), [0.0, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]) == [7, 10]


def test_steady_gains_never_fade():
    assert asked(Brainstorm(retries=1), [0.0, *[0.02] * 20]) == []


def test_a_gain_begins_the_count_anew():
    assert asked(Brainstorm(retries=2), [0.0, 0.0, 0.5, 0.0, 0.5, 0.0, 0.0, 0.0]) == [8]


def test_the_reason_says_which_of_the_two_it_was():
    assert Brainstorm(interval=2).why([0.0], cost=0.01) == "every 2 cycles"
    assert Brainstorm(retries=2).why([0.0, 0.0, 0.0], cost=0.01) == "the last 2 cycles gained less than 0.01"


@pytest.mark.parametrize("given", [{"interval": -1}, {"interval": True}, {"interval": 1.5}, {"retries": 0}, {"retries": 10**6}])
def test_a_number_that_counts_no_cycles_is_refused(given):
    with pytest.raises(UsageError, match="is not a number of cycles"):
        Brainstorm(**given)


def test_the_environment_names_a_number_or_is_refused():
    assert (number_of({}, INTERVAL, default=3), number_of({INTERVAL: " 5 "}, INTERVAL, default=3)) == (3, 5)
    with pytest.raises(UsageError, match="SANDBOX_BRAINSTORM_INTERVAL: 'often'"):
        number_of({INTERVAL: "often"}, INTERVAL, default=3)
