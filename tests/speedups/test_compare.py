import math
import random

import pytest

from windtunnel.core.errors import UsageError
from windtunnel.speedups.compare import Answer, Comparison, Terms


def decided(gain, *, noise, seed):
    """A comparison over times that resemble those before them, with outliers, as those of busy machines do."""
    draw, comparison, level = random.Random(seed), Comparison(seed=seed), 0.0
    while comparison.standing.answer is Answer.MORE:
        times = {}
        for side in ("before", "after") if comparison.before_first() else ("after", "before"):
            level = 0.9 * level + draw.gauss(0.0, noise)
            spike = draw.expovariate(3.0) if draw.random() < 0.05 else 0.0
            times[side] = math.exp(level + spike) * (1.0 - gain if side == "after" else 1.0)
        comparison.add(times["before"], times["after"])
    return comparison.standing


def test_the_same_code_is_not_kept():
    kept = [decided(0.0, noise=noise, seed=seed).answer is Answer.KEEP for noise in (0.01, 0.05) for seed in range(150)]

    assert sum(kept) <= 2


def test_a_gain_of_five_percent_is_nearly_always_kept_within_40_pairs():
    found = [decided(0.05, noise=0.015, seed=1000 + seed) for seed in range(100)]

    assert sum(one.answer is Answer.KEEP for one in found) >= 90
    assert max(one.pairs for one in found) <= 40


def test_slower_code_is_reverted_at_the_first_look():
    assert [(one.answer, one.pairs) for one in (decided(-0.3, noise=0.01, seed=1),)] == [(Answer.REVERT, 12)]


def test_a_real_gain_that_is_not_worthwhile_is_not_kept():
    kept = [decided(0.008, noise=0.002, seed=2000 + seed).answer is Answer.KEEP for seed in range(30)]

    assert sum(kept) == 0


def test_nothing_is_said_before_the_first_look():
    comparison = Comparison(seed=3)

    answers = {comparison.add(2.0, 1.0).answer for _ in range(11)}

    assert answers == {Answer.MORE}
    assert comparison.add(2.0, 1.0).answer is Answer.KEEP
    assert comparison.standing.gain == pytest.approx(0.5)


def test_the_order_of_pairs_comes_from_the_seed():
    one, other, third = (Comparison(seed=seed) for seed in (7, 7, 8))

    orders = [[each.before_first() for _ in range(40)] for each in (one, other, third)]

    assert orders[0] == orders[1] != orders[2]
    assert 8 < sum(orders[0]) < 32


@pytest.mark.parametrize("times", [(0.0, 1.0), (1.0, -1.0), (math.nan, 1.0), (1.0, math.inf)])
def test_what_is_no_time_is_refused(times):
    with pytest.raises(UsageError, match="not a time above 0"):
        Comparison().add(*times)


def test_a_pair_after_the_decision_is_refused():
    comparison = Comparison(Terms(looks=(12,)))
    for _ in range(12):
        comparison.add(1.0, 1.0)

    with pytest.raises(UsageError, match="decided already: revert"):
        comparison.add(1.0, 1.0)


@pytest.mark.parametrize(("terms", "field"), [
    ({"worthwhile": 0.0}, "worthwhile"), ({"worthwhile": True}, "worthwhile"), ({"false_accepts": 2}, "false_accepts"),
    ({"looks": ()}, "looks"), ({"looks": (20, 10)}, "looks"), ({"looks": (0,)}, "looks"), ({"looks": (9999,)}, "looks")])
def test_terms_that_bound_nothing_are_refused(terms, field):
    with pytest.raises(UsageError) as refused:
        Terms(**terms)

    assert refused.value.field == field
