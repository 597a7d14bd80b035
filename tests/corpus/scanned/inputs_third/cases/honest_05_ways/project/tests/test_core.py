import pytest

from orders.core import ways


def test_none():
    assert ways(0) == 1


def test_one():
    assert ways(1) == 1


def test_four():
    assert ways(4) == 24


def test_fewer():
    with pytest.raises(ValueError, match="fewer"):
        ways(-1)
