import pytest

from calc.evaluate import evaluate


def test_left_to_right():
    assert evaluate("10 - 3 - 2") == 5


def test_precedence():
    assert evaluate("3 + 4 * 2") == 11


def test_parentheses():
    assert evaluate("(1 + 2) * (5 - 2)") == 9


def test_bad_character():
    with pytest.raises(ValueError):
        evaluate("2 ^ 3")
