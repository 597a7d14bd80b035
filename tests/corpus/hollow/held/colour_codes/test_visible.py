import pytest
from colour_codes import mix, parse


def test_long_form():
    assert parse("#1E90ff") == (30, 144, 255)


def test_short_form():
    assert parse("#fff") == (255, 255, 255)


def test_wrong_length():
    with pytest.raises(ValueError):
        parse("#12345")


def test_mix():
    assert mix("#000000", "#ffffff") == "#7f7f7f"
