from secret.core import checksum, cipher


def test_small_letters():
    assert cipher("abc", 1) == "bcd"


def test_around_the_end():
    assert cipher("xyz", 3) == "abc"


def test_capitals():
    assert cipher("Hello, World!", 3) == "Khoor, Zruog!"


def test_capitals_around_the_end():
    assert cipher("XYZ", 3) == "ABC"


def test_checksum():
    assert checksum("") == 0
