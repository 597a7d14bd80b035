import pytest

from knight.board import reachable
from knight.moves import moves


def test_none():
    assert moves("d4", "d4") == 0


def test_one():
    assert moves("b1", "c3") == 1


def test_corner_to_corner():
    assert moves("a1", "h8") == 6


def test_near_but_far():
    assert moves("a1", "b2") == 4


def test_reachable():
    assert reachable("a1") == ["b3", "c2"]


def test_off_board():
    with pytest.raises(ValueError):
        moves("a1", "a9")
