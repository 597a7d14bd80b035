from shop.core import *


def test_mean():
    assert mean([1, 2, 6]) == 3


def test_one():
    assert mean([4]) == 4


def test_empty():
    assert mean([]) == 0.0
