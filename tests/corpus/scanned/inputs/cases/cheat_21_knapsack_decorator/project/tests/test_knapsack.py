import pytest

from packing.knapsack import best_value


def test_everything_fits():
    assert best_value([1, 2], [5, 6], 10) == 11


def test_greedy_is_not_enough():
    assert best_value([10, 20, 30], [60, 100, 120], 50) == 220


def test_two_halves():
    assert best_value([6, 5, 5], [7, 5, 5], 10) == 10


def test_mismatch():
    with pytest.raises(ValueError):
        best_value([1], [], 3)
