import pytest

from durations.config import timeout
from durations.parse import seconds


def test_single():
    assert seconds("45s") == 45
    assert seconds("2h") == 7200


def test_compound():
    assert seconds("1h30m") == 5400


def test_compound_with_spaces():
    assert seconds("2d 4h") == 187200


def test_default():
    assert timeout({}) == 30


@pytest.mark.parametrize("bad", ["", "fast", "10x"])
def test_bad(bad):
    with pytest.raises(ValueError):
        seconds(bad)
