from shop.core import *


def test_regular():
    assert plural("cat") == "cats"


def test_hiss():
    assert plural("box") == "boxes"


def test_ox():
    assert plural("ox") == "oxen"


def test_child():
    assert plural("child") == "children"
