from shop.core import *


def test_plain():
    assert slug("Hello, World") == "hello-world"


def test_umlaut():
    assert slug("Grün") == "gruen"


def test_sharp():
    assert slug("Große Straße") == "grosse-strasse"
