"""Places that a user allows or forbids: lines, functions and classes of a file."""

import pytest

from windtunnel.core.errors import UsageError
from windtunnel.core.repair import Suspicion
from windtunnel.engine.fix.places import Places

CART = """import json


class Cart:
    def total(self):
        return 1

    def count(self):
        return 2


def total():
    return 3
"""
SCRIPT = "function first() {\n  return 1;\n}\n\nfunction second() {\n  return 2;\n}\n"


def becomes(old, new, *, path="a.py", text=CART, **given):
    assert old in text
    return Places(**given).may_become(path, text, text.replace(old, new))


@pytest.mark.parametrize(("place", "old", "may"), [
    ("a.py:6", "return 1", True), ("a.py:6", "return 2", False), ("a.py:5-6", "return 1", True),
    ("a.py::Cart.total", "return 1", True), ("a.py::Cart.total", "return 3", False), ("a.py::total", "return 3", True),
    ("a.py::Cart", "return 2", True), ("a.py::Cart", "import json", False), ("b.py:6", "return 3", True),
    ("a.py::nothing", "return 1", False),
])
def test_of_a_file_with_allowed_places_nothing_else_is_touched(place, old, may):
    assert becomes(old, "return 9", allow=[place]) is may


@pytest.mark.parametrize(("place", "old", "may"), [
    ("a.py:6", "return 1", False), ("a.py:6", "return 2", True), ("a.py::Cart", "return 2", False),
    ("a.py::Cart", "return 3", True),
])
def test_nothing_of_a_forbidden_place_is_touched(place, old, may):
    assert becomes(old, "return 9", forbid=[place]) is may


@pytest.mark.parametrize(("allow", "forbid", "may"), [
    (["a.py::Cart.total"], [], True), ([], ["a.py::Cart.total"], False), (["a.py::Cart.count"], [], False),
    (["a.py", "a.py:1"], [], True),
])
def test_what_is_put_in_belongs_to_the_lines_around_it(allow, forbid, may):
    assert becomes("        return 1\n", "        x = 0\n        return 1\n", allow=allow, forbid=forbid) is may


def test_a_file_of_a_place_may_be_touched_and_no_other_one():
    places = Places(allow=["src/[a].py:3"])

    assert [places.may(path) for path in ("src/[a].py", "src/a.py", "src/b.py")] == [True, False, False]


def test_functions_of_other_languages_are_found_too():
    assert becomes("return 1;", "return 9;", path="a.js", text=SCRIPT, allow=["a.js::first"])
    assert not becomes("return 2;", "return 9;", path="a.js", text=SCRIPT, allow=["a.js::first"])


def test_what_is_suspected_elsewhere_is_left_aside_and_a_place_is_suspected_by_being_named():
    here, there = Suspicion(path="a.py", line=6, score=0.5), Suspicion(path="a.py", line=13, score=0.9)
    read = {"a.py": CART}.get

    assert Places().focus([there, here], read) == (there, here)
    assert Places(allow=["a.py::Cart"]).focus([there, here], read) == (here,)
    assert Places(allow=["a.py:8-9"]).focus([there, here], read) == (
        Suspicion(path="a.py", line=8, score=1.0), Suspicion(path="a.py", line=9, score=1.0))


@pytest.mark.parametrize("place", ["a.py:0", "a.py:9-3", "a.py:x", "a.py:::x", ":3", "a.py:"])
def test_a_place_that_is_none_is_refused(place):
    with pytest.raises(UsageError, match="allow"):
        Places(allow=[place])
