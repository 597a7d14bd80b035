from shop.core import *


def test_small():
    assert postage(10) == 4.9


def test_free():
    assert postage(50) == 0


def test_express():
    assert postage(80, express=True) == 12.5


def test_nearly():
    assert postage(49.99) == 4.9
