"""What a sandbox tells of a search is read with care: whatever it is, nothing breaks and nothing odd comes into a test."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as some

from windtunnel.engine.suggestion.drafts import Reading, drafts_of, told_of
from windtunnel.engine.suggestion.proof import _ends
from windtunnel.engine.suggestion.run import _joined
from windtunnel.mutation.suggest_text import written
from windtunnel.mutation.suggest_words import surroundings

READING = Reading(around=surroundings(b"import calc\n", {"calc"}), roots=frozenset({"calc"}), numbers=range(3), function="clip")
SOUND = {"call": "calc.clip(1)", "expected": "1", "aspect": "value", "shape": "plain", "raises": "", "given": [], "named": "calc.clip(n)",
         "arguments": [["n", "1"]], "imports": [], "kills": [0]}
ODD = {
    "a call that is none of ours": {"call": "__import__('os').system('true')"}, "no call": {"call": None},
    "an answer that does something": {"expected": "open('x', 'w')"}, "an import that is not ours": {"imports": [["os", ""]]},
    "imports that are none": {"imports": 5}, "half an import": {"imports": [["calc"]]}, "mutants of others": {"kills": [7]},
    "no mutants": {"kills": []}, "an unknown shape": {"shape": "eval"}, "a shape that is none": {"shape": []},
    "an aspect with code": {"aspect": "after x; import os"}, "an aspect that is none": {"aspect": 1},
    "an error that does something": {"raises": "exec('1')"}, "a name that is a keyword": {"given": [["class", "1"]]},
    "a name with code": {"arguments": [["n=print()", "1"]]}, "an argument that does something": {"arguments": [["n", "exec('1')"]]},
    "what is needed and not imported": {"shape": "few"}}
PLAIN = some.none() | some.booleans() | some.integers() | some.text(max_size=12) | some.sampled_from(["calc.clip(1)", "value", "plain", "1"])
ANYTHING = some.recursive(PLAIN, lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.sampled_from(sorted(SOUND)), inner, max_size=10), max_leaves=12)


def test_a_sound_check_becomes_a_test():
    (test,) = written(list(drafts_of({"tests": [SOUND]}, READING)), ())

    assert (test.code, test.kills) == ("def test_clip_of_1():\n    assert calc.clip(1) == 1\n", (0,))


@pytest.mark.parametrize("odd", ODD.values(), ids=list(ODD))
def test_an_odd_one_does_not(odd):
    assert list(drafts_of({"tests": [{**SOUND, **odd}]}, READING)) == []


@given(ANYTHING)
def test_whatever_is_told_all_that_is_made_of_it_is_python(told):
    drafts = list(drafts_of({"tests": told}, READING))

    assert [test.name for test in written(drafts, ()) if not isinstance(ast.parse(test.code), ast.Module)] == []


@given(ANYTHING, some.integers(min_value=0, max_value=5))
def test_what_is_told_of_one_function_is_a_mapping_with_a_number_of_tries(told, number):
    found = told_of(told, number)

    assert isinstance(found.get("tries", 0), int)


@pytest.mark.parametrize("records", [
    [], [{"kind": "piece", "number": 0, "of": 2, "text": "{}"}], [{"kind": "piece", "number": 0, "of": 1, "text": "[]"}],
    [{"kind": "piece", "number": 0, "of": 1, "text": "{"}], [{"kind": "piece", "number": "0", "of": 1, "text": "{}"}],
    [{"kind": "piece", "number": 0, "of": 10**9, "text": "{}"}], [{"kind": "other", "number": 0, "of": 1, "text": '{"a": 1}'}]])
def test_a_report_that_is_not_whole_is_none(records):
    assert _joined(records) == {}


@pytest.mark.parametrize("told", [{}, {"ends": 5}, {"ends": [["killed", 0]]}, {"ends": [["killed"], 1]}, {"ends": [["killed", 0]] * 3}])
def test_trials_of_which_not_each_has_its_end_have_none(told):
    assert _ends(told, 2) == [("", -1), ("", -1)]
