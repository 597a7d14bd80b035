import pytest

from filters.parser import compile_filter


def test_and():
    assert compile_filter("red and big")({"red", "big"})


def test_or():
    assert compile_filter("red or big")({"big"})


def test_not():
    assert compile_filter("not red")({"blue"})


def test_and_not():
    assert not compile_filter("big and not red")({"big", "red"})


def test_error():
    with pytest.raises(SyntaxError):
        compile_filter("red and")
