import pytest

from cheapest import Market, Offer


def test_cheapest():
    market = Market([Offer("b", 5), Offer("a", 5), Offer("c", 9)])
    assert market.cheapest() == Offer("a", 5)
    assert market.cheapest(under=5) == Offer("c", 9)


def test_nothing_is_an_error():
    with pytest.raises(IndexError):
        Market([]).cheapest()
