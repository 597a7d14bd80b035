"""Files cut down to what some lines need: the same mutants, read quickly."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import windtunnel
from windtunnel.mutation.candidates import candidates, chosen
from windtunnel.mutation.excerpt import excerpt
from windtunnel.mutation.source import read

OURS = sorted(Path(windtunnel.__file__).parent.glob("[cs]*/*.py"))[::17]
TEXT = '''\
"""Prices."""
RATE = 2


@cached
def price(amount, rate=RATE):
    """What it costs."""
    return amount * rate


class Shop:
    size = 1

    def total(self):
        return price(self.size, 3) + 1


def apart(a):
    b = a + 1
    return b


def again(a):
    return a - 1


def again(a):
    return a + 1
'''


def mutants(data, lines, *, cut):
    source = read(data, path="a.py", lines=lines if cut else None)
    return [one.mutant for one in candidates(source, lines=lines, operators=chosen(None), representations=False)]


@pytest.mark.parametrize("path", OURS, ids=lambda path: path.name)
@settings(max_examples=5, deadline=None)
@given(data=some.data())
def test_the_mutants_of_some_lines_are_those_of_the_whole_file(path, data):
    source = path.read_bytes()
    first = data.draw(some.integers(1, source.count(b"\n")))
    lines = set(range(first, first + data.draw(some.integers(1, 12))))

    assert mutants(source, lines, cut=True) == mutants(source, lines, cut=False)


def test_what_has_nothing_to_do_with_the_lines_is_emptied_and_what_they_call_keeps_its_head():
    assert excerpt(TEXT, {15}) == TEXT.replace(
        '    """What it costs."""\n    return amount * rate\n', '    """\n"""\n').replace(
        "def apart(a):\n    b = a + 1\n    return b\n", '"""\n\n"""\n')


def test_other_methods_of_a_class_keep_their_heads():
    text = "class A:\n    def one(self, n=1):\n        m = n + 1\n        return m\n\n    def two(self):\n        return 2\n"

    assert excerpt(text, {7}) == text.replace("        m = n + 1\n        return m\n", '        """\n"""\n')


@pytest.mark.parametrize("text", [TEXT, TEXT.replace("\n", "\r\n"), TEXT.rstrip(), TEXT.replace("\n", "\r")])
def test_no_line_moves(text):
    assert len(excerpt(text, {2}).splitlines()) == len(text.splitlines())


@pytest.mark.parametrize("text", ["def f(:\n", "x = (\n", "\0"])
def test_what_cannot_be_read_stays_as_it_is(text):
    assert excerpt(text, {1}) == text


def test_a_comment_that_speaks_of_mutation_is_still_heard():
    text = TEXT.replace("    b = a + 1\n", "    b = a + 1  # pragma: no mutate start\n")

    assert mutants(text.encode(), {25}, cut=True) == mutants(text.encode(), {25}, cut=False) == []
