from marks.core import average


def test_some():
    assert average([1, 2, 3]) == 2.0


def test_none():
    assert average([]) == 0.0


def test_one():
    assert average([4]) == 4.0
