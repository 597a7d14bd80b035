from turned_image import turn, turn_right


def test_square():
    assert turn_right([[1, 2], [3, 4]]) == [[3, 1], [4, 2]]


def test_tall_image():
    assert turn_right([[1, 2], [3, 4], [5, 6]]) == [[5, 3, 1], [6, 4, 2]]


def test_four_quarters_change_nothing():
    assert turn([[1, 2], [3, 4]], 4) == [[1, 2], [3, 4]]
