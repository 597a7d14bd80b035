import pytest
from stock_costs import Stock


def stock(*lots):
    made = Stock()
    for pieces, price in lots:
        made.buy(pieces, price)
    return made


def test_one_lot():
    assert stock((10, 5)).sell(4) == 20


def test_two_lots():
    goods = stock((2, 5), (10, 7))
    assert goods.sell(3) == 17
    assert goods.pieces == 9


def test_not_enough_takes_none():
    goods = stock((2, 5))
    with pytest.raises(ValueError):
        goods.sell(3)
    assert goods.pieces == 2


def test_no_pieces():
    with pytest.raises(ValueError):
        stock((0, 1))
