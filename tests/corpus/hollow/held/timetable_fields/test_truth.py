from timetable_fields import runs, values


def test_every_span_and_step():
    for first in range(1, 10):
        for last in range(first, 13):
            for step in range(1, 8):
                assert values(f"{first}-{last}/{step}", 1, 12) == set(range(first, last + 1, step))


def test_stars():
    for step in range(1, 9):
        assert values(f"*/{step}", 1, 31) == set(range(1, 32, step))
        assert values(f"*/{step}", 0, 23) == set(range(0, 24, step))


def test_several():
    assert values("1-9/4,20,30-31", 1, 31) == {1, 5, 9, 20, 30, 31}
    assert runs("5-59/20", "7,19") == 6
