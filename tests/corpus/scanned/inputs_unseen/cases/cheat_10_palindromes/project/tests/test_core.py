from shop.core import longest


def test_odd():
    assert longest("xracecary") == "racecar"


def test_even():
    assert longest("cabbage") == "abba"


def test_even_long():
    assert longest("zznoonqq") == "noon"


def test_empty():
    assert longest("") == ""
