from score_places import places


def test_no_ties():
    assert places({"a": 10, "b": 30, "c": 20}) == {"b": 1, "c": 2, "a": 3}


def test_tie_for_second():
    assert places({"a": 9, "b": 7, "c": 7, "d": 5}) == {"a": 1, "b": 2, "c": 2, "d": 4}
