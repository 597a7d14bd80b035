import pytest
from packed_numbers import pack, unpack


def test_small():
    assert pack(5) == b"\x05"


def test_two_bytes():
    assert pack(300) == b"\xac\x02"


def test_first_number_of_two_bytes():
    assert pack(128) == b"\x80\x01"


def test_unpack():
    assert unpack(b"\xac\x02rest") == (300, 2)


def test_too_short():
    with pytest.raises(ValueError):
        unpack(b"\x80")


def test_negative():
    with pytest.raises(ValueError):
        pack(-1)
