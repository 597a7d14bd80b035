import pytest

from board.core import height, turned


@pytest.fixture
def square():
    return [[1, 2], [3, 4]]


@pytest.fixture
def wide():
    return ["abc"]


def test_a_square(square):
    assert turned(square) == [[3, 1], [4, 2]]


def test_a_row_becomes_a_column(wide):
    assert turned(wide) == [["a"], ["b"], ["c"]]


def test_nothing():
    assert turned([]) == []


def test_height(square):
    assert height(square) == 2


def test_one():
    assert turned([[7]]) == [[7]]
