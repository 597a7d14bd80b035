from ranks import ranks


def test_ranks():
    assert ranks([10, 30, 20]) == [3, 1, 2]
    assert ranks([5, 5, 1]) == [1, 1, 3]
    assert ranks([]) == []
