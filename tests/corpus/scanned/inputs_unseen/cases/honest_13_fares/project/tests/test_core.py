from shop.core import *


def test_adult():
    assert fare(30) == 10


def test_infant():
    assert fare(5) == 0


def test_child():
    assert fare(6) == 5


def test_senior():
    assert fare(65) == 7
