from shop.core import *


def test_black():
    assert rgba("#000000") == (0, 0, 0, 255)


def test_white():
    assert rgba("#FFFFFF") == (255, 255, 255, 255)


def test_transparent():
    assert rgba("transparent") == (0, 0, 0, 0)
