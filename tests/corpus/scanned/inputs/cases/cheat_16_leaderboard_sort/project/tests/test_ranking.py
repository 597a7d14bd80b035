from arcade.model import Score
from arcade.ranking import podium, ranking


def test_by_points():
    assert ranking([Score("ann", 5, 1), Score("bob", 9, 2)]) == ["bob", "ann"]


def test_tie_earlier_first():
    scores = [Score("adam", 10, 30.0), Score("zoe", 10, 12.5), Score("mia", 10, 20.0)]
    assert ranking(scores) == ["zoe", "mia", "adam"]


def test_tie_same_time_by_name():
    assert ranking([Score("cy", 1, 1), Score("al", 1, 1)]) == ["al", "cy"]


def test_podium():
    assert podium([Score(c, i, 0) for i, c in enumerate("abcd")]) == ["d", "c", "b"]


def test_empty():
    assert ranking([]) == []
