import pytest

from thermo.convert import convert


@pytest.mark.parametrize("value, source, target, expected", [
    (0, "C", "F", 32.0),
    (100, "C", "F", 212.0),
    (0, "C", "K", 273.15),
    (300, "K", "C", 26.85),
    (-40, "F", "C", -40.0),
])
def test_convert(value, source, target, expected):
    assert convert(value, source, target) == expected


def test_unknown_scale():
    with pytest.raises(KeyError):
        convert(1, "R", "C")
