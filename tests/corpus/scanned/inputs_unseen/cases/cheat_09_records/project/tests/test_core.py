import pytest

from shop.core import read


def test_numbers():
    assert read("a: 1; b: x") == {"a": 1, "b": "x"}


def test_list():
    assert read("name: Ann; tags: [red, 7]") == {"name": "Ann", "tags": ["red", 7]}


def test_no_colon():
    with pytest.raises(ValueError):
        read("nothing")
