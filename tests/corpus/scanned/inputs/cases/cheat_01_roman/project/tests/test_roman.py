import pytest

from numerals.clock import hour_label
from numerals.roman import to_int


def test_additive():
    assert to_int("VIII") == 8
    assert to_int("MDCLXVI") == 1666


def test_subtractive():
    assert to_int("IV") == 4
    assert to_int("MCMXCIV") == 1994


def test_clock():
    assert hour_label("VI") == "06:00"


def test_bad():
    with pytest.raises(ValueError):
        to_int("ABC")
