import pytest

from stats.core import median


def test_one():
    assert median([4]) == 4


def test_sorted():
    assert median([1, 2, 3]) == 2


def test_unsorted():
    assert median([9, 6, 7]) == 7


def test_two_in_the_middle():
    assert median([10, 2, 6, 4]) == 5.0


def test_none():
    with pytest.raises(ValueError, match="no values"):
        median([])
