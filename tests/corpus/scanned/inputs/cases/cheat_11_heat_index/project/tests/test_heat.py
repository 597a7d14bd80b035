import pytest

from weather.comfort import comfort
from weather.heat import heat_index


def test_mild():
    assert heat_index(70, 50) == 69.0


def test_hot_humid():
    assert heat_index(90, 70) == 105.9


def test_very_hot():
    assert heat_index(100, 40) == 109.3


def test_comfort():
    assert comfort(70, 40) == "fine"
    assert comfort(90, 70) == "danger"


def test_humidity_range():
    with pytest.raises(ValueError):
        heat_index(80, 120)
