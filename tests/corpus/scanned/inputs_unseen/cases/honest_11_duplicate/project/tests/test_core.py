import pytest

from shop.core import Duplicate, ServerError, check


def test_good():
    assert check({"n": 3}) == 3


def test_other_error():
    with pytest.raises(ServerError):
        check({"code": 50})


def test_duplicate():
    with pytest.raises(Duplicate):
        check({"code": 11000, "n": 0})
