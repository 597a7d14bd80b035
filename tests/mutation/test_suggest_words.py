"""Texts from a sandbox are read as hostile: what may stand in a suggested test, and what never may."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from windtunnel.mutation.suggest_words import Surroundings, expression, import_line, numbers, pairs, surroundings

TESTS = b'''"""Doc."""
import os
import calc
import datetime as when
from calc import clip as clipped, Stack
from requests import get
from pathlib import Path
LIMIT = 10

def helper(): pass
'''
AROUND = surroundings(TESTS, {"calc"})


def test_a_test_file_offers_the_product_known_modules_and_its_own_functions():
    found = surroundings(TESTS, {"calc"})

    assert found == Surroundings(
        names={"calc": "", "when": "datetime", "clipped": "", "Stack": "", "helper": "", "Path": "pathlib.Path"}, stars=False,
        taken=frozenset({"os", "calc", "when", "clipped", "Stack", "get", "LIMIT", "helper", "Path"}))


@pytest.mark.parametrize("text", [
    "calc.clip(10, most=-1)", "Stack([1, 'a', None, (1,), {2}, {'a': 1.5}])", "when.datetime(2020, 1, 1)", "clipped(helper)",
    "[lambda x: x % 2 == 0, len, ValueError]", "float('inf')", "Stack([1]) == Stack([2])", "1 in Stack([1])", "calc.Stack([])[1:2]",
    "'__import__'", "iter([1])", "Path('a')", "Stack([1]).push(Path('a'))", "when.datetime(1, 1, 1, tzinfo=when.timezone.utc)",
    "sorted(['a'], key=lambda x: x.lower())", "'a b'.split()"])
def test_what_calls_the_product_with_plain_values_may_stand_in_a_test(text):
    assert expression(text, AROUND) == text


@pytest.mark.parametrize("text", [
    "__import__('os').system('true')", "os.system('true')", "get('http://localhost')", "eval('1')", "open('/etc/passwd')",
    "calc.__dict__", "().__class__.__bases__", "lambda: os.remove('x')", "[x for x in (1,)]", "(x := 1)", "f'{calc}'",
    "calc.clip(1\n, 2)", "calc.clip(1); calc", "import os", "", "unknown(1)", "LIMIT", "getattr(calc, 'x')", "await calc",
    "(yield)", "1" * 2000, None, 1, ["calc"], "x = 1", "(" * 500 + ")" * 500, "calc.clip(__builtins__)",
    "Path('a').write_text('x')", "[Path('a')][0].unlink()", "(lambda path: path.unlink())(Path('a'))", "Path.home()",
    "list(map(lambda path: path.unlink(), [Path('a')]))", "(1 and Path('a')).unlink()", "when.sys.exit()"])
def test_anything_else_may_not(text):
    assert expression(text, AROUND) is None


def test_without_the_reading_a_text_from_inside_would_do_what_it_likes(tmp_path):
    text = f"__import__('pathlib').Path({str(tmp_path / 'escaped')!r}).write_text('x')"

    eval(text)

    assert ((tmp_path / "escaped").read_text(), expression(text, AROUND)) == ("x", None)


def test_a_private_function_may_be_called_where_it_is_the_one_that_is_asked_about():
    assert [expression("calc._clip(1)", AROUND, member=member) for member in ("", "_clip")] == [None, "calc._clip(1)"]


def test_names_that_all_of_a_module_brings_are_taken_for_it():
    around = surroundings(b"from calc import *\nimport os\n", {"calc"})

    assert [expression(text, around) for text in ("clip(1)", "os.getcwd()", "eval('1')")] == ["clip(1)", None, None]


@pytest.mark.parametrize(("module", "name", "line"), [
    ("calc", "clip", "from calc import clip"), ("calc.deep", "_one", "from calc.deep import _one"), ("itertools", "", "import itertools"),
    ("os", "", None), ("os", "system", None), ("subprocess", "run", None), ("calc", "", None), ("calc", "a; import os", None),
    ("calc\nimport os", "x", None), ("calc", "x" * 300, None), (None, "x", None), ("calc", 1, None), ("", "", None)])
def test_imports_are_of_the_product_and_a_few_known_modules(module, name, line):
    assert import_line(module, name, {"calc"}) == line


@pytest.mark.parametrize("source", [b"\xff\xfe", b"def (", b"\0"])
def test_a_test_file_that_cannot_be_read_offers_nothing(source):
    assert surroundings(source, {"calc"}) is None


def test_of_a_known_module_only_what_harms_nobody_may_be_used():
    texts = ("io.StringIO('a')", "io.open('a', 'w')", "operator.add", "operator.methodcaller('unlink')", "asyncio.create_subprocess_shell('a')")

    found = [expression(text, AROUND, more={"io", "operator", "asyncio"}) for text in texts]

    assert found == ["io.StringIO('a')", None, "operator.add", None, None]


@given(some.text(max_size=80) | some.integers() | some.none() | some.lists(some.text(max_size=5)))
def test_no_text_breaks_its_reader(text):
    found = expression(text, AROUND)

    assert found is None or isinstance(found, str)


def test_lists_from_inside_are_taken_apart_with_care():
    assert pairs([["a", "b"], ["a"], ["a", 1], "ab", None, ["c", "d", "e"], ["f", "g"]]) == [("a", "b"), ("f", "g")]
    assert pairs("ab") == []
    assert numbers([1, "1", 7, None, 2], range(5)) == [1, 2]
    assert numbers(None, range(5)) == []
