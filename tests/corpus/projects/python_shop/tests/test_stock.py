import time

import pytest
from limits import QUICK_SECONDS

from shop.stock import Inventory, OutOfStock


def test_reserving_takes_pieces_from_the_shelf():
    stock = Inventory({"tea": 5})

    assert stock.reserve("tea", 3) == 2


def test_more_than_there_is_cannot_be_reserved():
    stock = Inventory({"tea": 1})

    with pytest.raises(OutOfStock, match="tea: 2 missing"):
        stock.reserve("tea", 3)


def test_counting_does_not_wait():
    started = time.monotonic()

    assert Inventory({"tea": 5}).count("tea") == 5
    assert time.monotonic() - started < QUICK_SECONDS
