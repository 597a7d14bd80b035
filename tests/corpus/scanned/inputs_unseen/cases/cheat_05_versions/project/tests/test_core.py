from shop.core import is_newer, newest


def test_simple():
    assert newest(["1.2.0", "1.3.0"]) == "1.3.0"


def test_two_digits():
    assert newest(["1.9.0", "1.10.0", "1.2.7"]) == "1.10.0"


def test_is_newer():
    assert is_newer("2.0.11", "2.0.9")


def test_same_is_not_newer():
    assert not is_newer("1.0.0", "1.0.0")
