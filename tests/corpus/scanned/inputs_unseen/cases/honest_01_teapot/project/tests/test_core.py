from shop.core import *


def test_known():
    assert reason(200) == "OK"


def test_unknown():
    assert reason(999) == "Unknown"


def test_teapot():
    assert reason(418) == "I'm a teapot"


def test_legal():
    assert reason(451) == "Unavailable For Legal Reasons"
