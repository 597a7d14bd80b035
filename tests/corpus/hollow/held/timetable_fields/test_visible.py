import pytest
from timetable_fields import runs, values


def test_list():
    assert values("1,3,5", 0, 59) == {1, 3, 5}


def test_step():
    assert values("*/15", 0, 59) == {0, 15, 30, 45}


def test_span():
    assert values("8-10", 0, 23) == {8, 9, 10}


def test_step_begins_at_the_span():
    assert values("9-15/2", 0, 23) == {9, 11, 13, 15}


def test_outside():
    with pytest.raises(ValueError):
        values("8-24", 0, 23)


def test_runs():
    assert runs("*/30", "8-9") == 4


def test_everything():
    assert values("*", 1, 12) == set(range(1, 13))


def test_single_value():
    assert values("7", 0, 23) == {7}
