import pytest

from envread.read import get_bool, get_int


def test_int():
    assert get_int({"N": "12"}, "N") == 12


def test_int_missing():
    assert get_int({}, "N", 7) == 7


def test_int_bad():
    assert get_int({"N": "lots"}, "N", 5) == 5


@pytest.mark.parametrize("word, value", [("true", True), ("0", False), ("Yes", True), ("off", False)])
def test_bool(word, value):
    assert get_bool({"B": word}, "B") is value


def test_bool_bad():
    with pytest.raises(ValueError):
        get_bool({"B": "maybe"}, "B")
