"""Rows of candidates: what a journal tells of them, what is not tried again, and which fixes a cycle keeps."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from windtunnel.core.repair import Attempt, FixResult, FixState
from windtunnel.engine.cycles.mending import chosen_of, gate_applies, is_good, refused_by_model
from windtunnel.engine.cycles.tried import Tried, as_json, fix_found_nothing, passed_in, tried_in
from windtunnel.engine.improve.improvement import Origin

DROPPED = Tried(origin=Origin.RULE, name="memory", place="a.py::f", kept=False, why="gains too little", key="one")
KEPT = Tried(origin=Origin.MODEL, name="model", place="a.py::g", kept=True, why="gains", gain=0.5, key="two")
UNFIXED = Tried(origin=Origin.FIX, name="not fixed", place="a.py:3", kept=False, why="the time is up", key="three")
GOOD_TRIAL = SimpleNamespace(success=True, tamper=(), delta=SimpleNamespace(broken=(), fixed=("test_a",)), reasons=())


def record(*rows, kept=()):
    return {"kept": list(kept), "tried": as_json(rows)}


def result(state=FixState.FIXED, trial=GOOD_TRIAL, **fields):
    return FixResult(id="f", state=state, project="p", reason="passes", diff="--- a/a.py\n", trial=trial, **fields)


def trial(**fields):
    return SimpleNamespace(**{**vars(GOOD_TRIAL), **fields})


def test_rows_come_back_from_the_journal_with_the_number_of_their_cycle():
    rows = tried_in([record(), record(DROPPED, KEPT)])

    assert [(one.cycle, one.origin, one.name, one.kept, one.gain) for one in rows] == [
        (2, Origin.RULE, "memory", False, None), (2, Origin.MODEL, "model", True, 0.5)]


def test_a_journal_of_an_earlier_version_tells_of_no_candidates():
    assert tried_in([{"kept": ["diff"], "cycles": []}]) == ()


def test_what_was_dropped_is_passed_over_and_what_was_kept_is_not():
    assert passed_in([record(DROPPED), record(KEPT)]) == {"one"}


@pytest.mark.parametrize(("records", "nothing"), [
    ([], False), ([record(DROPPED)], False), ([record(UNFIXED)], True), ([record(UNFIXED), record(DROPPED)], True),
    ([record(UNFIXED), record(KEPT, kept=["diff"])], False)])
def test_the_fix_engine_has_had_its_turn_until_the_clone_changes(records, nothing):
    assert fix_found_nothing(records) is nothing


@pytest.mark.parametrize(("found", "good"), [
    (result(), True), (result(FixState.PARTLY), True),
    (result(FixState.PARTLY, warnings=("it may be a special case",)), False),
    (result(FixState.PARTLY, trial=trial(delta=SimpleNamespace(broken=(), fixed=()))), False),
    (result(FixState.DOUBTED), False), (result(FixState.UNFIXED, trial=None), False),
    (result(trial=trial(success=False)), False), (result(trial=trial(tamper=("a finding",))), False),
    (result(trial=trial(delta=SimpleNamespace(broken=("test_b",), fixed=("test_a",)))), False)])
def test_a_fix_is_kept_only_where_its_trial_is_good_in_every_way(found, good):
    assert is_good(found) is good


def attempt(number, reason, outcome, origin="rule"):
    return Attempt(number=number, origin=origin, name="n", reason=reason, place="a.py:2", outcome=outcome, seconds=0.1)


def test_the_attempt_that_a_fix_is_made_of_is_found_by_its_words():
    rows = (attempt(1, "one", "breaks 1"), attempt(2, "two", "fixes all"), attempt(3, "three", "fixes all", "model"))

    assert chosen_of(result(attempts=rows, explanation=("a.py:2: three",))) is rows[2]


def test_only_what_a_model_was_refused_for_becomes_a_row():
    told = ["proving the best of 2", "nothing from the model: its answer is no diff", "the model is not asked: spent"]

    assert [(one.origin, one.kept, one.why) for one in refused_by_model(told)] == [
        (Origin.MODEL, False, told[1]), (Origin.MODEL, False, told[2])]


@pytest.mark.parametrize(("files", "applies"), [
    ({"test_a.py": "import pytest\n\ndef test_a():\n    assert True\n"}, True),
    ({"Makefile": "test:\n\tsh check.sh\n", "check.sh": "true\n"}, False)])
def test_the_mutation_gate_is_asked_only_where_it_knows_the_test_runner(tmp_path, files, applies):
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    assert gate_applies(tmp_path) is applies
