import pytest
from settings_lines import parse, switched_on


def test_lines():
    assert parse("a = 1\n\nb=two words\n") == {"a": "1", "b": "two words"}


def test_comments():
    assert parse("# all of it\na = 1 # one") == {"a": "1"}


def test_quotes():
    assert parse('a = " x "') == {"a": " x "}


def test_hash_in_quotes():
    assert parse('colour = "#fff"') == {"colour": "#fff"}


def test_no_value():
    with pytest.raises(ValueError):
        parse("a")


def test_switch():
    assert switched_on("debug = Yes", "debug")
