import pytest
from value_bins import fullest, histogram


def test_counts():
    assert histogram([0, 1, 2, 5, 9], low=0, high=10, bins=2) == [3, 2]


def test_upper_edge_is_in_the_last_bin():
    assert histogram([0, 10], low=0, high=10, bins=5) == [1, 0, 0, 0, 1]


def test_outside():
    assert histogram([-1, 11], low=0, high=10, bins=2) == [0, 0]


def test_no_room():
    with pytest.raises(ValueError):
        histogram([], low=1, high=1, bins=3)


def test_fullest():
    assert fullest([1, 6, 7], low=0, high=10, bins=2) == 1
