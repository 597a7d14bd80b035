import pytest

from forecast.predict import next_value
from forecast.smoothing import smooth


def test_half():
    assert next_value([4, 8, 6]) == 6.0


def test_smooth_quick():
    assert smooth([10, 20, 30], 0.8) == pytest.approx([10, 18, 27.6])


def test_next_quick():
    assert next_value([10, 20, 30], 0.8) == 27.6


def test_empty():
    with pytest.raises(ValueError):
        smooth([], 0.3)
