"""Which mutants come first, and what a part of them says of all."""

from __future__ import annotations

import random

import pytest

from windtunnel.core.mutation import Estimate, Experience, Fate, Judged, Mutant
from windtunnel.engine.mutation_order import dealt, draw, estimate, survival, wilson


def mutant(name, *, operator="arithmetic", function="add"):
    return Mutant(id=name, path="calc.py", operator=operator, line=2, column=4, end_line=2, end_column=5, original="+",
                  replacement="-", start=20, end=21, function=function, scope="function", description="+ → -")


MANY = [mutant(str(number), operator="strings" if number % 3 else "arithmetic") for number in range(30)]


def test_a_draw_has_each_once_and_is_the_same_each_time():
    assert (sorted(draw(MANY)), draw(MANY)) == (list(range(30)), draw(list(MANY)))


def test_every_second_one_is_the_likeliest_survivor_that_is_left():
    experience = Experience(operators={"strings": (9, 10), "arithmetic": (0, 10)})

    order = dealt(MANY, experience)

    assert sorted(order) == list(range(30))
    assert sum(MANY[number].operator == "strings" for number in order[:15]) > sum(
        MANY[number].operator == "strings" for number in order[15:])


def test_survival_is_the_mean_of_what_operator_and_function_show():
    experience = Experience(operators={"arithmetic": (1, 2)}, functions={("calc.py", "add"): (4, 4)})

    assert survival(mutant("a"), experience) == pytest.approx((2 / 4 + 5 / 6) / 2)


def test_without_any_evidence_it_is_one_half():
    assert survival(mutant("a"), Experience()) == 0.5


@pytest.mark.parametrize(("hits", "tries", "expected"), [
    (5, 10, (0.2366, 0.7634)), (0, 10, (0.0, 0.2775)), (10, 10, (0.7225, 1.0)), (81, 263, (0.2553, 0.3662))])
def test_the_interval_is_the_one_in_the_books(hits, tries, expected):
    assert wilson(hits, tries) == pytest.approx(expected, abs=1e-4)


def test_the_interval_holds_the_true_share_about_as_often_as_it_says():
    chance = random.Random(7)
    held = 0
    for _ in range(1000):
        hits = sum(chance.random() < 0.7 for _ in range(40))
        low, high = wilson(hits, 40)
        held += low <= 0.7 <= high

    assert 930 <= held <= 980


def test_where_all_were_judged_there_is_nothing_to_estimate():
    assert estimate([Judged(mutant=one, fate=Fate.KILLED) for one in MANY]) is None


def test_the_estimate_takes_the_draw_as_far_as_it_was_judged():
    order = draw(MANY)
    found = [Judged(mutant=one, fate=Fate.NOT_JUDGED) for one in MANY]
    for at, number in enumerate(order[:10]):
        found[number] = Judged(mutant=MANY[number], fate=Fate.KILLED if at < 6 else Fate.SURVIVED)
    found[order[20]] = Judged(mutant=MANY[order[20]], fate=Fate.SURVIVED)

    low, high = wilson(6, 10)
    assert estimate(found) == Estimate(share=0.6, low=low, high=high, drawn=10)


def test_where_nothing_of_the_draw_says_anything_there_is_no_estimate():
    assert estimate([Judged(mutant=one, fate=Fate.NOT_JUDGED) for one in MANY]) is None
