"""Proposals as the least that differs, and lines as statements: without a sandbox."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some
from judging import proposal

from windtunnel.core.repair import Suspicion
from windtunnel.engine.fix.judge_texts import Bodies, encoded, splices
from windtunnel.engine.fix.observe_places import Ran, lines_of, suspicions

CODE = b"""import os
A = 1


@os.fspath
def act(a,
        b=2):
    if (a
            and b):
        return [
            a,
        ]
    with open(a) as file: return file


class Many:
    x = 3

    def one(self):
        match self:
            case 1:
                return 1
        return 2
"""


@given(some.binary(max_size=60), some.text(max_size=60))
def test_a_splice_gives_back_the_text(old, new):
    (_, start, end, text), = splices(proposal(new, path="a.py"), lambda _: old)

    assert old[:start] + text.encode("latin-1") + old[end:] == encoded(new)


@given(some.text(alphabet="ab\n", max_size=30), some.text(alphabet="ab\n", max_size=30))
def test_a_splice_is_as_small_as_its_ends_allow(old, new):
    (_, start, end, text), = splices(proposal(new, path="a.py"), lambda _: old.encode())

    assert not (text and start < end and (text[0] == old[start] or text[-1] == old[end - 1]))


def test_a_text_is_written_in_the_encoding_that_it_names():
    text = "# coding: latin-1\nx = 'é'\n"

    assert (encoded(text), encoded("x = 'é'\n"), encoded("# coding: nothing-like-it\n")) == (
        text.encode("latin-1"), "x = 'é'\n".encode(), b"# coding: nothing-like-it\n")


@pytest.mark.parametrize(("what", "inside"), [(b"and b", True), (b"return 2", True), (b"b=2", False), (b"A = 1", False), (b"x = 3", False), (b"def one", False)])
def test_what_lies_in_the_body_of_a_function_is_known(what, inside):
    at = CODE.index(what)

    assert Bodies(lambda _: CODE).hold(("a.py", at, at + len(what), "")) is inside


def test_nothing_is_known_of_a_file_that_cannot_be_read():
    assert (Bodies(lambda _: None).hold(("a.py", 0, 1, "")), Bodies(lambda _: b"def (").hold(("a.py", 0, 1, "")), lines_of(b"x = (").first) == (False, False, {})


def test_each_line_belongs_to_its_innermost_statement():
    found = lines_of(CODE)

    assert [found.first.get(line) for line in range(1, 24)] == [
        1, 2, None, None, None, 6, 6, 8, 8, 10, 10, 10, 13, None, None, 16, 17, None, 19, 20, None, 22, 23]
    assert (found.loading, found.definitions) == ({2, 6, 17}, {5: 6, 19: 19})


def test_a_statement_that_fewer_passing_tests_ran_is_more_suspicious():
    source = b"def act(a):\n    if a:\n        return 1\n    return 2\n"
    ran = [Ran(failed=True, lines={"a.py": frozenset({2, 3})}), Ran(failed=False, lines={"a.py": frozenset({2, 4})})]

    assert suspicions(ran, lambda _: source) == (
        Suspicion(path="a.py", line=3, score=1.0, failing=1, passing=0), Suspicion(path="a.py", line=2, score=0.707107, failing=1, passing=1))


def test_a_test_that_ran_nothing_is_still_counted_as_failing():
    ran = [Ran(failed=True, lines={"a.py": frozenset({1})}), Ran(failed=True)]

    assert suspicions(ran, lambda _: b"x = 1\n") == (Suspicion(path="a.py", line=1, score=0.707107, failing=1, passing=0),)


def test_nothing_is_suspicious_where_nothing_fails():
    assert suspicions([Ran(failed=False, lines={"a.py": frozenset({1})})], lambda _: b"x = 1\n") == ()
