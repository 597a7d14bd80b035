from nested_lists import depth, flatten


def test_flat():
    assert flatten([1, "ab", 3]) == [1, "ab", 3]


def test_one_level():
    assert flatten([1, [2, 3]]) == [1, 2, 3]


def test_deeper():
    assert flatten([1, [2, [3, 4]], 5]) == [1, 2, 3, 4, 5]


def test_depth():
    assert depth([1, [2]]) == 2
