import math
from fractions import Fraction

from shop.core import number


def test_whole():
    assert number(" 12 ") == 12


def test_fraction():
    assert number("3/4") == Fraction(3, 4)


def test_infinity():
    assert number("inf") == math.inf


def test_negative_infinity():
    assert number("-inf") == -math.inf
