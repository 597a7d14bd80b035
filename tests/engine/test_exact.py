"""The hash of all that is to be done: whatever differs gives another."""

import io
from dataclasses import replace
from pathlib import Path

import pytest

from windtunnel.core.change import FileChange
from windtunnel.core.limits import Limits
from windtunnel.core.result import Level
from windtunnel.engine import particulars
from windtunnel.engine.exact import digest
from windtunnel.engine.run import Snippet
from windtunnel.engine.trial import Trial

KEY = b"k" * 32
SNIPPET = Snippet(code="print(1)", language="python", args=["a"] * 300, files={f"f{at}": "x" for at in range(300)}, env_vars={"A": "1"}, stages=["true"] * 300)
TRIAL = Trial(project="/p", changes=(FileChange("a", "create", "1"),), env={"A": "1"}, secrets={"test": {"TOKEN": "s"}})


@pytest.mark.parametrize("other", [
    {"code": "print(2)"}, {"code": b"print(1)"}, {"args": ["a"] * 299 + ["b"]}, {"files": {**SNIPPET.files, "f299": "y"}}, {"env_vars": {"A": "2"}},
    {"stages": ["true"] * 299 + ["rm"]}, {"limits": Limits()}, {"stdin": b"x"}, {"read_only": False}, {"workspace": "/w"}, {"spill": "/s"},
    {"profile": True}, {"network_enabled": True}, {"allow_hosts": []}, {"live_stdin": io.BytesIO()}, {"warm": False},
], ids=lambda other: next(iter(other)))
def test_a_run_that_differs_anywhere_has_another_hash(other):
    assert digest(replace(SNIPPET, **other), key=KEY) != digest(SNIPPET, key=KEY)


@pytest.mark.parametrize("other", [
    {"changes": (FileChange("a", "create", "2"),)}, {"env": {"A": "2"}}, {"secrets": {"test": {"TOKEN": "t"}}}, {"secrets": {"lint": {"TOKEN": "s"}}}, {"test": "make"},
], ids=str)
def test_a_trial_that_differs_anywhere_has_another_hash(other):
    assert digest(replace(TRIAL, **other), key=KEY) != digest(TRIAL, key=KEY)


@pytest.mark.parametrize(("one", "other"), [
    (["ab"], ["a", "b"]), ({"a": 1}, [["a", 1]]), ("1", 1), (None, "None"), (b"x", "x"), (Path("x"), "x"), (Level.VM, "vm"), ({"a"}, ["a"]), (True, 1)])
def test_no_two_different_values_look_alike(one, other):
    assert digest(one, key=KEY) != digest(other, key=KEY)


def test_the_order_of_a_table_does_not_matter():
    assert digest({"a": 1, "b": 2}, key=KEY) == digest({"b": 2, "a": 1}, key=KEY)


def test_who_listens_does_not_matter_and_broken_letters_do_no_harm():
    one, other = (replace(SNIPPET, code="\ud800", on_stdout=listener) for listener in (print, [].append))

    assert digest(one, key=KEY) == digest(other, key=KEY)


def test_a_hash_is_worth_nothing_under_another_key():
    assert digest(SNIPPET, key=KEY) != digest(SNIPPET, key=b"l" * 32)


def test_what_is_written_down_of_two_runs_is_the_same_where_only_the_hash_tells_them_apart():
    other = replace(SNIPPET, env_vars={"A": "2"}, args=["a"] * 299 + ["b"])

    assert particulars.of_snippet(other) == particulars.of_snippet(SNIPPET)
    assert digest(other, key=KEY) != digest(SNIPPET, key=KEY)
