import pytest
from letter_template import fill, names


def test_fill():
    assert fill("Dear {name}, {n} days", {"name": "Ann", "n": 3}) == "Dear Ann, 3 days"


def test_missing():
    with pytest.raises(KeyError):
        fill("Dear {name}", {})


def test_braces():
    assert fill("a {{b}} c", {}) == "a {b} c"


def test_braces_in_values():
    assert fill("{a} {b}", {"a": "{b}", "b": "x"}) == "{b} x"


def test_names():
    assert names("{a} {b} {{c}}") == {"a", "b"}
