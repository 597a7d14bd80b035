import pytest

from summarise.stats import median
from summarise.table import summary


def test_odd():
    assert median([9, 1, 5]) == 5


def test_even():
    assert median([4, 8, 15, 16, 23, 42]) == 15.5


def test_two():
    assert median((1, 2)) == 1.5


def test_summary():
    rows = [{"x": 1}, {"x": 7}, {"x": 3}]
    assert summary(rows, "x") == {"median": 3, "spread": 6}


def test_empty():
    with pytest.raises(ValueError):
        median([])
