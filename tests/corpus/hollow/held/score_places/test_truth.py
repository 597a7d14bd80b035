import itertools

from score_places import medals, places


def test_all_small_competitions():
    for size in range(1, 6):
        for values in itertools.product((1, 2, 5), repeat=size):
            scores = dict(zip("abcde", values))
            assert places(scores) == {name: 1 + sum(other > score for other in values) for name, score in scores.items()}


def test_medals():
    assert medals({"a": 4, "b": 4, "c": 4}) == {"gold": ["a", "b", "c"], "silver": [], "bronze": []}
    assert medals({"a": 4, "b": 2, "c": 4, "d": 2}) == {"gold": ["a", "c"], "silver": [], "bronze": ["b", "d"]}
