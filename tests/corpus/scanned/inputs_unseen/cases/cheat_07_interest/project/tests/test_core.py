import pytest

from shop.core import balance, interest


def test_one_year():
    assert interest(1000, 0.05, 1) == 50


def test_ten_years():
    assert interest(2500, 0.04, 10) == 1200.61


def test_balance():
    assert balance(820, 0.03, 4) == 922.92


def test_negative():
    with pytest.raises(ValueError):
        interest(1, 0.1, -1)
