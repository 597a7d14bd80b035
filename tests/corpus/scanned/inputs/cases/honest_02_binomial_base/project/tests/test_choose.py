import pytest

from choose.binomial import choose
from choose.triangle import row


def test_one():
    assert choose(7, 1) == 7


def test_none():
    assert choose(5, 0) == 1


def test_all():
    assert choose(4, 4) == 1


def test_middle():
    assert choose(5, 2) == 10


def test_outside():
    assert choose(3, 5) == 0


def test_row():
    assert row(4) == [1, 4, 6, 4, 1]


def test_negative():
    with pytest.raises(ValueError):
        choose(-1, 0)
