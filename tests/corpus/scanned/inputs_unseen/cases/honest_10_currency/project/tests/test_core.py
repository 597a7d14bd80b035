from shop.core import *


def test_given():
    assert price(3, "CHF") == "3.00 CHF"


def test_default():
    assert price(2.5) == "2.50 EUR"


def test_rounds():
    assert price(1.239, "SEK") == "1.24 SEK"
