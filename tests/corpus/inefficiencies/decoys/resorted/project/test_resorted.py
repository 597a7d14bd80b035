from resorted import best


def test_best():
    entries = [("a", 1), ("b", 3), ("c", 2)]
    assert best(entries, 3) == [("b", 3), ("c", 2), ("a", 1)]
