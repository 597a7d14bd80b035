import pytest

from query.core import find

DOCUMENT = {"title": "people", "rows": [{"name": "Ada", "age": 36}], "at": {"x": 1}}


def test_a_name():
    assert find(DOCUMENT, "title") == "people"


def test_two_names():
    assert find(DOCUMENT, "at.x") == 1


def test_a_number():
    assert find(DOCUMENT, "rows.0.name") == "Ada"


def test_the_last():
    assert find(DOCUMENT, "rows.-1.age") == 36


def test_missing():
    with pytest.raises(KeyError):
        find(DOCUMENT, "at.y")
