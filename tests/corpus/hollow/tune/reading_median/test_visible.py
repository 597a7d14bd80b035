import pytest
from reading_median import median, spread


def test_odd():
    assert median([3.0, 1.0, 2.0]) == 2.0


def test_even():
    assert median([1.0, 3.0, 5.0, 9.0]) == 4.0


def test_nothing():
    with pytest.raises(ValueError):
        median([])


def test_the_readings_keep_their_order():
    readings = [3.0, 1.0, 2.0]
    median(readings)
    assert readings == [3.0, 1.0, 2.0]


def test_spread():
    assert spread([1.0, 2.0, 4.0]) == 1.0
