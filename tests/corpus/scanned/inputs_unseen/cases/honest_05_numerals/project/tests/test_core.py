from shop.core import *


def test_plain():
    assert roman(2016) == "MMXVI"


def test_four():
    assert roman(4) == "IV"


def test_many():
    assert roman(1994) == "MCMXCIV"


def test_three():
    assert roman(3) == "III"
