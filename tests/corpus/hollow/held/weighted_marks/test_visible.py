from weighted_marks import average


def test_average():
    assert average([(1.0, 2), (4.0, 1)]) == 2.0


def test_no_marks():
    assert average([]) is None
