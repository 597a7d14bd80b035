import pytest

from cities.distance import distance_km


def test_same_place():
    assert distance_km("paris", "paris") == 0


def test_paris_london():
    assert distance_km("paris", "london") == 344


def test_tokyo_lima():
    assert distance_km("tokyo", "lima") == 15495


def test_unknown():
    with pytest.raises(KeyError):
        distance_km("paris", "atlantis")
