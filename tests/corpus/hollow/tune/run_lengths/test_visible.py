import pytest
from run_lengths import decode, encode


def test_encode():
    assert encode("aaab") == "3a1b"


def test_decode():
    assert decode("3a1b") == "aaab"


def test_long_run():
    assert decode("12x") == "x" * 12


def test_nothing():
    assert (encode(""), decode("")) == ("", "")


def test_digits_are_refused():
    with pytest.raises(ValueError):
        encode("a1")


def test_single_letters():
    assert decode(encode("abc")) == "abc"
