import pytest
from build_levels import levels


def test_a_chain():
    assert levels({"c": {"b"}, "b": {"a"}, "a": set()}) == [["a"], ["b"], ["c"]]


def test_a_diamond():
    needs = {"top": {"left", "right"}, "left": {"base"}, "right": {"base"}, "base": set()}
    assert levels(needs) == [["base"], ["left", "right"], ["top"]]


def test_a_circle():
    with pytest.raises(ValueError):
        levels({"a": {"b"}, "b": {"a"}})


def test_needs_that_are_not_listed():
    assert levels({"app": {"zlib"}}) == [["zlib"], ["app"]]


def test_nothing():
    assert levels({}) == []
