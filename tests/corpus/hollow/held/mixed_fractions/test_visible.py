import pytest
from mixed_fractions import double, write


def test_proper():
    assert write(2, 4) == "1/2"


def test_mixed():
    assert write(3, 2) == "1 1/2"


def test_whole():
    assert write(4, 2) == "2"


def test_negative():
    assert write(-3, 2) == "-1 1/2"


def test_zero_below():
    with pytest.raises(ZeroDivisionError):
        write(1, 0)


def test_double():
    assert double(3, 4) == "1 1/2"
