import pytest

from fuzzy.distance import distance
from fuzzy.suggest import suggest


@pytest.mark.parametrize("a, b, d", [
    ("kitten", "sitten", 1),
    ("", "abc", 3),
    ("kitten", "sitting", 3),
    ("saturday", "sunday", 3),
    ("flaw", "lawn", 2),
])
def test_distance(a, b, d):
    assert distance(a, b) == d


def test_suggest():
    assert suggest("cart", ["card", "dog"]) == "card"


def test_suggest_none():
    assert suggest("zebra", ["ox"]) is None
