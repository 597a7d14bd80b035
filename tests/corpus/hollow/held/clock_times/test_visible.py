import pytest
from clock_times import earlier, minutes


def test_morning():
    assert minutes("7:30") == 450


def test_evening():
    assert minutes("7 pm") == minutes("19:00") == 1140


def test_noon():
    assert minutes("12 pm") == 720


def test_midnight():
    assert minutes("12:05 am") == 5


def test_nonsense():
    with pytest.raises(ValueError):
        minutes("noon")


def test_earlier():
    assert earlier("9 am", "10 am")
