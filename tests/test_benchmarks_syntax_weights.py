from __future__ import annotations

import pytest
from benchmarks.repair_syntax import Broken
from benchmarks.repair_syntax_seeds import LEARNED, faults

from windtunnel.repair.syntax.fault import compile_fault

pytest.importorskip("numpy", reason="the order is learned with numpy")

from benchmarks.repair_syntax_weights import Choice, choice_of, fitted, written


def test_a_seeded_fault_is_one_edit_that_does_not_compile():
    made = list(faults(LEARNED, count=12, seed=3))

    assert [one.kind for one, _ in made if compile_fault(one.broken) is None] == []
    assert [one.kind for one, (start, end, new) in made if one.good[:start] + new + one.good[end:] != one.broken] == []


def test_the_same_seed_gives_the_same_faults():
    assert list(faults(LEARNED, count=3, seed=5)) == list(faults(LEARNED, count=3, seed=5))


def test_some_candidate_of_a_fault_is_known_to_be_right():
    good = "def f(x):\n    return x\n"
    one = Broken(file="a", kind="missing_colon", good=good, broken=good.replace(":", ""))

    choice = choice_of(one, (8, 9, ""))

    assert (choice.right, choice.missed) == ([True], "")


def test_what_right_candidates_have_weighs_more_and_trees_never_speak_for_one():
    rows = [{"score": 1.0, "tree odd": 0.0}, {"score": 1.0, "kind a": 1.0, "tree good": 1.0}, {"score": 2.0, "kind b": 1.0}]

    learned = fitted([Choice("", rows, [False, True, False])] * 20, start={"score": 1.0})

    assert learned["kind a"] > 0.5
    assert learned["kind b"] < 0
    assert "tree good" not in learned


def test_the_table_is_a_line_for_each_feature():
    assert written({"score": 1.0, "kind missing ,": -0.256}) == "-0.26 kind missing ,\n1.00 score\n"
