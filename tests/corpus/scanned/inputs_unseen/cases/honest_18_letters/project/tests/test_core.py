from shop.core import *


def test_short():
    assert points("at") == 2


def test_kite():
    assert points("kite") == 8


def test_quiz():
    assert points("Quiz") == 22
