from times.core import offset


def test_east():
    assert offset("2024-01-01T10:00:00+02:30") == 150


def test_west():
    assert offset("2024-01-01T10:00:00-05:00") == -300


def test_greenwich():
    assert offset("2024-01-01T10:00:00Z") == 0
