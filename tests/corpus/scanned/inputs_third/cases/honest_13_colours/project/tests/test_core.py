from paint.core import rgb


def test_numbers():
    assert rgb("#010203") == (1, 2, 3)


def test_teal():
    assert rgb("teal") == (0, 128, 128)


def test_purple():
    assert rgb("rebeccapurple") == (102, 51, 153)


def test_unknown():
    assert rgb("mud") == (0, 0, 0)
