"""Requests in plain words: what is read out of them, and what is not."""

from __future__ import annotations

import pytest

from windtunnel.core.analysis import Part, Purpose
from windtunnel.core.errors import UsageError
from windtunnel.engine.plan.words import MOST_REQUEST, Wish, read

PARTS = (
    Part(folder="backend", ecosystem="python", name="shop"),
    Part(folder="frontend", ecosystem="node", name="web", scripts={"e2e": "playwright", "docs": "typedoc", "test": "x"}),
    Part(folder="tools/gen", ecosystem="go"),
)
N, B, L, T, F, A, S = (Purpose.INSTALL, Purpose.BUILD, Purpose.LINT, Purpose.TEST, Purpose.FORMAT, Purpose.AUDIT,
                       Purpose.START)


def wish(*purposes, parts=None, scripts=(), commands=()):
    return Wish(purposes=purposes, parts=None if parts is None else frozenset(parts), scripts=scripts, commands=commands)


@pytest.mark.parametrize(("request_", "wishes"), [
    ("Install dependencies and run tests", [wish(N), wish(T)]),
    ("Set up development environment and run all tests", [wish(N), wish(T)]),
    ("Run comprehensive tests", [wish(T)]),
    ("install, build and test the frontend", [wish(N, parts=[1]), wish(B, parts=[1]), wish(T, parts=[1])]),
    ("lint only the frontend", [wish(L, parts=[1])]),
    ("run the python tests", [wish(T, parts=[0])]),
    ("python and javascript tests", [wish(T, parts=[0, 1])]),
    ("run tests for python and javascript", [wish(T, parts=[0, 1])]),
    ("build the frontend and test the backend", [wish(B, parts=[1]), wish(T, parts=[0])]),
    ("test everything except the frontend", [wish(T, parts=[0, 2])]),
    ("run e2e then test", [wish(scripts=("e2e",)), wish(T)]),
    ("run `make gen` then run go tests", [wish(commands=("make gen",)), wish(T, parts=[2])]),
    ("run \"echo 'a, b and c'\"", [wish(commands=("echo 'a, b and c'",))]),
    ("run 'docs'", [wish(scripts=("docs",))]),
    ("go and run the tests", [wish(T)]),
    ("install the test dependencies", [wish(N)]),
    ("start by linting", [wish(L)]),
    ("run the app", [wish(S)]),
    ("check everything", [wish(B, L, T)]),
    ("do everything", [wish(N, B, L, T)]),
    ("type-check the code and format it", [wish(L), wish(F)]),
    ("look for known vulnerabilities", [wish(A)]),
])
def test_a_request_means(request_, wishes):
    assert list(read(request_, PARTS).wishes) == wishes


def test_what_must_not_be_done_is_told_apart():
    found = read("don't lint, run the tests without installing", PARTS)

    assert found.without == {Purpose.LINT, Purpose.INSTALL}
    assert [one.purposes for one in found.wishes] == [(Purpose.TEST,)]


def test_only_means_nothing_besides():
    assert read("only run the tests", PARTS).alone
    assert not read("run only the python tests", PARTS).alone


def test_deeds_and_words_that_are_not_known_are_told():
    found = read("test it, deploy it and frobnicate", PARTS)

    assert found.impossible == ("deploy",)
    assert found.unknown == ("frobnicate",)


@pytest.mark.parametrize("request_", ["", "  ", "deploy it", "what a nice day", "x" * (MOST_REQUEST + 1), "'''", "\ue0001"])
def test_a_request_that_says_nothing_is_refused_with_what_can_be_asked(request_):
    with pytest.raises(UsageError, match="request"):
        read(request_, PARTS)


def test_a_long_request_of_quotes_is_read_at_once():
    assert [wish.purposes for wish in read("test " + "`" * 3900, PARTS).wishes] == [(Purpose.TEST,)]
