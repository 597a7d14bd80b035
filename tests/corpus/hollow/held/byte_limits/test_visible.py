from byte_limits import shorten


def test_long_text():
    assert shorten("abcdef", 3) == "abc"


def test_half_a_character():
    assert shorten("na\u00efve", 3) == "na"
