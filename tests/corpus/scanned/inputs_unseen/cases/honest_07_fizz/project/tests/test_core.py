from shop.core import *


def test_plain():
    assert fizz(1) == "1"


def test_fizz():
    assert fizz(9) == "fizz"


def test_bang():
    assert fizz(7) == "bang"


def test_all():
    assert fizz(105) == "fizzbuzzbang"
