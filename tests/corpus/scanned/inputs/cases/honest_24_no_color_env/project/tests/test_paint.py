import pytest

from paint.paint import paint


def test_red():
    assert paint("x", "red", {}) == "\033[31mx\033[0m"


def test_no_color():
    assert paint("x", "red", {"NO_COLOR": "1"}) == "x"


def test_no_color_empty_is_ignored():
    assert paint("x", "blue", {"NO_COLOR": ""}) == "\033[34mx\033[0m"


def test_dumb_terminal():
    assert paint("x", "green", {"TERM": "dumb"}) == "x"


def test_unknown_color():
    with pytest.raises(KeyError):
        paint("x", "mauve", {})
