import pytest

from shop.core import Basket


@pytest.fixture
def basket():
    return Basket()


def test_empty(basket):
    assert basket.total() == 0


def test_two_are_paid(basket):
    assert basket.add("pen", 2.0).add("ink", 3.0).total() == 5.0


def test_cheapest_of_three_is_free(basket):
    basket.add("lamp", 12.5).add("cord", 7.5).add("bulb", 3.25)
    assert basket.total() == 20.0


def test_two_groups_of_three(basket):
    for price in (9, 8, 7, 6, 5, 4):
        basket.add("x", price)
    assert basket.total() == 30 - 2 - 1 + 1
