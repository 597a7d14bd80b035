import itertools

from weighted_marks import average, passed


def test_many_marks():
    for marks in itertools.product(((1.0, 0), (2.0, 1), (5.0, 3), (3.3, 0.5)), repeat=3):
        weight = sum(one for _, one in marks)
        expected = round(sum(mark * one for mark, one in marks) / weight, 1) if weight else None
        assert average(list(marks)) == expected
        assert passed(list(marks)) == (expected is not None and expected <= 4.0)


def test_nothing_counts():
    assert average([(3.0, 0)]) is None
    assert not passed([(3.0, 0)])
    assert not passed([])


def test_a_mean_of_zero_is_a_mean():
    assert average([(0.0, 2)]) == 0.0
