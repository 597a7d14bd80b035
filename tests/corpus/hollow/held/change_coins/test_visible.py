import pytest
from change_coins import coins, count


def test_usual_coins():
    assert coins(68, (1, 2, 5, 10, 20, 50)) == [50, 10, 5, 2, 1]


def test_nothing():
    assert coins(0, (1, 2)) == []


def test_cannot_be_made():
    with pytest.raises(ValueError):
        coins(3, (2,))


def test_the_largest_is_not_always_best():
    assert coins(6, (1, 3, 4)) == [3, 3]


def test_count():
    assert count(9, (1, 5)) == 5
