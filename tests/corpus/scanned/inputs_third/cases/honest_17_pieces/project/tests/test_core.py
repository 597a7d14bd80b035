import pytest

from chess.core import worth


@pytest.fixture
def army():
    return "PPPP"


def test_pawns(army):
    assert worth(army) == 4


def test_rook():
    assert worth("RK") == 5


def test_queen(army):
    assert worth(army + "Q") == 13


def test_light_pieces():
    assert worth("NB") == 6
