from shop.core import decode, encode


def test_encode():
    assert encode("aaabb") == "3a2b"


def test_plain():
    assert decode("xyz") == "xyz"


def test_runs():
    assert decode("4w1x12z") == "wwwwxzzzzzzzzzzzz"


def test_round_trip():
    assert decode(encode("hello")) == "hello"
