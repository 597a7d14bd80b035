import itertools
import random

import pytest

from windtunnel.speedups.signed_rank import centre, chance, interval


def counted(differences):
    """The same by going through all choices of signs."""
    sizes = sorted({abs(one) for one in differences if one})
    known = [one for one in differences if one]
    ranks = [sum(abs(two) < abs(one) for two in known) + (sum(abs(two) == abs(one) for two in known) + 1) / 2 for one in known]
    observed = sum(rank for rank, one in zip(ranks, known, strict=True) if one > 0)
    sums = [sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign)
            for signs in itertools.product((0, 1), repeat=len(ranks))]
    return sum(one >= observed for one in sums) / len(sums) if sizes else 1.0


@pytest.mark.parametrize("seed", range(12))
def test_the_chance_is_that_of_all_choices_of_signs(seed):
    draw = random.Random(seed)
    differences = [draw.choice((draw.gauss(0.5, 1), 1.0, -1.0, 0.0)) for _ in range(10)]

    assert chance(differences) == pytest.approx(counted(differences))


def test_the_chance_of_all_above_zero_is_one_choice_of_all():
    assert chance([0.1, 0.2, 0.3, 0.4, 0.5]) == 1 / 32
    assert chance([-0.1, -0.2]) == 1.0
    assert chance([]) == 1.0


def test_the_centre_is_the_median_of_all_means_and_an_outlier_hardly_moves_it():
    assert centre([1.0, 2.0, 3.0]) == 2.0
    assert centre([1.0, 2.0, 3.0, 1000.0]) == 2.75


def test_the_interval_holds_the_centre_in_at_least_its_share_of_draws():
    draw, held = random.Random(5), 0
    for _ in range(300):
        low, high = interval([draw.gauss(0.0, 1.0) for _ in range(15)], outside=0.05)
        held += low <= 0.0 <= high

    assert held >= 275


def test_too_few_values_have_no_interval():
    assert interval([1.0, 2.0], outside=0.05) == (float("-inf"), float("inf"))
