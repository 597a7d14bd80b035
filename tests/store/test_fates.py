"""Fates that are kept, and those that are not."""

from __future__ import annotations

import pytest

from windtunnel.core.mutation import Estimate, Experience, Fate, Judged, Kept, Mutant, MutationResult, State
from windtunnel.store.fates import Fates, Score


def mutant(name, *, operator="arithmetic", function="add"):
    return Mutant(id=name, path="calc.py", operator=operator, line=2, column=4, end_line=2, end_column=5, original="+",
                  replacement="-", start=20, end=21, function=function, scope="function", description="+ → -")


def judged(name, fate, *, by="", footprint="f", **more):
    return Judged(mutant=mutant(name, **more), fate=fate, by=by, footprint=footprint)


def result(*found, **more):
    return MutationResult(state=State.JUDGED, judged=found, **more)


@pytest.fixture
def fates(tmp_path):
    made = Fates(tmp_path / "fates.db", clock=lambda: 1000.0)
    yield made
    made.close()


def test_a_fate_is_given_back_with_what_it_rests_on(fates):
    fates.keep("/p", "e", result(judged("a", Fate.KILLED, by="t", footprint="x")))

    assert fates.known("/p", "e") == {"a": Kept(fate=Fate.KILLED, footprint="x", by="t")}


@pytest.mark.parametrize(("project", "environment"), [("/q", "e"), ("/p", "f")])
def test_another_project_or_other_surroundings_know_nothing_of_it(fates, project, environment):
    fates.keep("/p", "e", result(judged("a", Fate.KILLED)))

    assert fates.known(project, environment) == {}


@pytest.mark.parametrize("fate", [Fate.TIMEOUT, Fate.FAILED, Fate.NOT_JUDGED, Fate.UNTESTED])
def test_what_may_be_otherwise_the_next_time_is_not_kept(fates, fate):
    fates.keep("/p", "e", result(judged("a", fate)))

    assert fates.known("/p", "e") == {}


def test_the_latest_fate_of_a_mutant_counts(fates):
    fates.keep("/p", "e", result(judged("a", Fate.KILLED)))
    fates.keep("/p", "e", result(judged("a", Fate.SURVIVED, footprint="y")))

    assert fates.known("/p", "e") == {"a": Kept(fate=Fate.SURVIVED, footprint="y")}


def test_experience_counts_survivors_by_operator_and_by_function(fates):
    fates.keep("/p", "e", result(judged("a", Fate.KILLED), judged("b", Fate.SURVIVED), judged(
        "c", Fate.SURVIVED, operator="strings", function="name")))

    assert fates.experience("/p") == Experience(
        operators={"arithmetic": (1, 2), "strings": (1, 1)}, functions={("calc.py", "add"): (1, 2), ("calc.py", "name"): (1, 1)})


def test_scores_are_kept_in_the_order_of_time(fates):
    fates.keep("/p", "e", result(judged("a", Fate.KILLED), judged("b", Fate.SURVIVED), judged("c", Fate.TIMEOUT)))
    fates.keep("/p", "e", result(judged("a", Fate.KILLED), estimate=Estimate(share=1.0, low=0.5, high=1.0, drawn=1)))

    assert fates.scores("/p") == [
        Score(time=1000.0, score=0.5, killed=1, survived=1, untested=0, others=1),
        Score(time=1000.0, score=1.0, killed=1, survived=0, untested=0, others=0, low=0.5, high=1.0)]


def test_a_run_that_judged_nothing_has_no_score_to_keep(fates):
    fates.keep("/p", "e", MutationResult(state=State.NO_TESTS))

    assert fates.scores("/p") == []
