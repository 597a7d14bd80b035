import pytest

from stairs import ways


@pytest.mark.parametrize(("steps", "expected"), [(0, 1), (1, 1), (2, 2), (3, 4), (4, 7), (10, 274)])
def test_ways(steps, expected):
    assert ways(steps) == expected


def test_two_at_once():
    assert ways(5, 2) == 8
