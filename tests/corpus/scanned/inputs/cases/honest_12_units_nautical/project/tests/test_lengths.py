import pytest

from lengths.convert import convert


def test_km_to_m():
    assert convert(2, "km", "m") == 2000


def test_mile_to_feet():
    assert convert(1, "mi", "ft") == pytest.approx(5280)


def test_nautical_mile():
    assert convert(1, "nmi", "m") == 1852


def test_yards():
    assert convert(100, "yd", "m") == pytest.approx(91.44)


def test_unknown():
    with pytest.raises(ValueError):
        convert(1, "parsec", "m")
