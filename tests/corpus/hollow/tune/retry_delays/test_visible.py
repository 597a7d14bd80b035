import pytest
from retry_delays import delays, total


def test_doubling():
    assert delays(4) == [1.0, 2.0, 4.0]


def test_never_more_than_the_most():
    assert delays(8) == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]


def test_one_try_waits_for_nothing():
    assert total(1) == 0


def test_no_try():
    with pytest.raises(ValueError):
        delays(0)
