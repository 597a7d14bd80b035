"""The name of a mutant, the function that holds it, and the lines it is asked for by."""

from __future__ import annotations

import pytest

from windtunnel.mutation.python import mutants

SOURCE = b"""\
import os

LIMIT = 3


def first(x, y=1):
    if x > LIMIT:
        return x + y
    return x + y


class Shape:
    sides = 4

    def area(self, scale=2):
        def inner(z):
            return z * scale
        return inner(self.sides)


def last(x):
    return x + 1
"""


def ids(source, **options):
    return [mutant.id for mutant in mutants(source, path="a.py", **options)]


def places(text, operator):
    return [(mutant.function, mutant.scope) for mutant in mutants(text.encode(), path="a.py", operators=[operator])]


def test_names_are_unique():
    found = ids(SOURCE)

    assert len(found) > 15
    assert len(set(found)) == len(found)


def test_the_same_line_twice_in_a_function_has_two_names():
    found = [mutant for mutant in mutants(SOURCE, path="a.py", operators=["arithmetic"]) if mutant.function == "first"]

    assert [mutant.original for mutant in found] == ["+", "+"]
    assert found[0].id != found[1].id


@pytest.mark.parametrize("at", range(SOURCE.count(b"\n") + 1))
def test_a_blank_line_anywhere_changes_no_name(at):
    lines = SOURCE.splitlines(keepends=True)

    assert ids(b"".join([*lines[:at], b"\n", *lines[at:]])) == ids(SOURCE)


def test_a_new_function_above_changes_no_name():
    new = b"def new(x, y=1):\n    return x + y\n\n\n"

    assert set(ids(SOURCE)) < set(ids(SOURCE.replace(b"def first", new + b"def first")))


def test_an_edit_in_one_function_changes_no_name_in_another():
    edited = SOURCE.replace(b"return x + 1", b"return x - 10")

    unchanged = [mutant.id for mutant in mutants(SOURCE, path="a.py") if mutant.function != "last"]

    assert [mutant.id for mutant in mutants(edited, path="a.py") if mutant.function != "last"] == unchanged


def test_another_path_gives_another_name():
    assert set(ids(SOURCE)).isdisjoint(mutant.id for mutant in mutants(SOURCE, path="b.py"))


@pytest.mark.parametrize("line", range(1, SOURCE.count(b"\n") + 1))
def test_the_mutants_of_a_line_are_those_of_the_file_that_touch_it(line):
    of_file = [mutant for mutant in mutants(SOURCE, path="a.py") if mutant.line <= line <= mutant.end_line]

    assert list(mutants(SOURCE, path="a.py", lines={line})) == of_file


def test_functions_of_one_name_keep_their_names_apart_whatever_lines_are_asked_for():
    source = b"def f(x):\n    return x + 1\n\n\ndef f(x):\n    return x + 1\n"
    second = [mutant for mutant in mutants(source, path="a.py") if mutant.line == 6]

    assert list(mutants(source, path="a.py", lines=[6])) == second


def test_mutants_come_in_the_order_of_the_text():
    starts = [mutant.start for mutant in mutants(SOURCE, path="a.py")]

    assert starts == sorted(starts)


@pytest.mark.parametrize(("text", "operator", "expected"), [
    ("x = a + b\n", "arithmetic", ("", "module")),
    ("class A:\n    x = a + b\n", "arithmetic", ("", "module")),
    ("f = lambda: a + b\n", "arithmetic", ("", "module")),
    ("x = [a + b for a in c]\n", "arithmetic", ("", "module")),
    ("def f():\n    return a + b\n", "arithmetic", ("f", "function")),
    ("async def f():\n    return a + b\n", "arithmetic", ("f", "function")),
    ("class A:\n    def f(self):\n        return a + b\n", "arithmetic", ("A.f", "function")),
    ("def f():\n    def g():\n        return a + b\n", "arithmetic", ("f.<locals>.g", "function")),
    ("def f():\n    class A:\n        x = a + b\n", "arithmetic", ("f", "function")),
    ("def f():\n    class A:\n        def g(self):\n            return a + b\n", "arithmetic",
     ("f.<locals>.A.g", "function")),
    ("def f():\n    return lambda: a + b\n", "arithmetic", ("f", "function")),
    ("def f(x=a + b):\n    return x\n", "arithmetic", ("", "module")),
    ("def f(x=1):\n    return x\n", "defaults", ("", "module")),
    ("@d(a + b)\ndef f(x):\n    return x\n", "arithmetic", ("", "module")),
    ("@d\ndef f(x):\n    return x\n", "decorators", ("", "module")),
    ("def f():\n    def g(x=1):\n        return x\n", "defaults", ("f", "function")),
])
def test_a_mutant_knows_the_function_whose_code_it_changes(text, operator, expected):
    assert places(text, operator) == [expected]


def test_the_name_of_a_function_is_the_one_that_the_interpreter_gives_it():
    text = "class A:\n    def f(self):\n        def g():\n            return 1\n        return g\n"
    namespace = {}
    exec(text, namespace)

    assert places(text, "constants") == [(namespace["A"]().f().__qualname__, "function")]
