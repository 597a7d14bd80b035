"""Shares add up, equals are equal, and who changes nothing gets nothing."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.core.errors import UsageError
from windtunnel.metrics.synergy import NAMES, shapley, synergies

DOCUMENTED = [f"synergy_{name}" for name in (
    "roi", "shannon_entropy", "flexibility", "energy_consumption", "profitability", "revenue", "efficiency",
    "antifragility", "resilience", "projected_lucrativity", "adaptability", "safety_rating", "maintainability",
    "code_quality", "network_latency", "throughput", "risk_index", "recovery_time", "security_score")]
VALUES = st.floats(min_value=-1000, max_value=1000)


def game(modules, values):
    """A worth for each coalition."""
    every = itertools.chain.from_iterable(itertools.combinations(modules, size) for size in range(len(modules) + 1))
    return dict(zip(map(frozenset, every), values, strict=True))


@st.composite
def games(draw, most=5):
    modules = tuple("abcde"[:draw(st.integers(min_value=1, max_value=most))])
    values = draw(st.lists(VALUES, min_size=2**len(modules), max_size=2**len(modules)))
    return modules, game(modules, values)


def test_every_synergy_of_the_document_has_its_name():
    assert set(DOCUMENTED) <= set(NAMES)


def test_synergy_is_combined_minus_the_average_of_alone():
    found = synergies({"throughput": 12.0, "roi": 1.0}, [{"throughput": 8.0, "roi": 1.0}, {"throughput": 10.0, "roi": 3.0}])

    assert found == {"synergy_throughput": 3.0, "synergy_roi": -1.0}


@pytest.mark.parametrize(("combined", "alone"), [
    ({"throughput": None}, [{"throughput": 1.0}]), ({"throughput": 1.0}, [{"throughput": 1.0}, {}]),
    ({"throughput": math.nan}, [{"throughput": 1.0}]), ({"throughput": 1.0}, [])])
def test_a_metric_that_is_not_known_everywhere_has_no_synergy(combined, alone):
    assert synergies(combined, alone) == {}


@settings(deadline=None)
@given(games())
def test_shares_add_up_to_the_whole(drawn):
    modules, worth = drawn
    found = shapley(modules, worth.__getitem__)

    assert math.fsum(found.shares.values()) == pytest.approx(worth[frozenset(modules)] - worth[frozenset()], abs=1e-8)


@settings(deadline=None)
@given(games(most=4))
def test_shares_are_the_mean_over_all_orders(drawn):
    modules, worth = drawn
    gains = {module: [] for module in modules}
    for order in itertools.permutations(modules):
        for place, module in enumerate(order):
            gains[module].append(worth[frozenset(order[:place + 1])] - worth[frozenset(order[:place])])

    found = shapley(modules, worth.__getitem__)

    assert found.shares == pytest.approx({name: sum(each) / len(each) for name, each in gains.items()}, abs=1e-8)


@settings(deadline=None)
@given(st.lists(VALUES, min_size=6, max_size=6))
def test_modules_that_can_stand_for_each_other_get_the_same(values):
    def worth(coalition):
        return values[2 * ("c" in coalition)] * len(coalition & {"a", "b"}) + values[len(coalition)]

    found = shapley(("a", "b", "c"), worth)

    assert found.shares["a"] == pytest.approx(found.shares["b"], abs=1e-8)


@settings(deadline=None)
@given(games(most=4))
def test_a_module_that_changes_nothing_gets_nothing(drawn):
    modules, worth = drawn

    found = shapley((*modules, "idle"), lambda coalition: worth[coalition - {"idle"}])

    assert found.shares["idle"] == 0.0


def pairs(coalition):
    """Of twelve modules: each is worth its place, and neighbours two more together."""
    places = sorted(int(name) for name in coalition)
    return float(sum(places) + 2 * sum(one + 1 in places for one in places))


MANY = tuple(str(place) for place in range(12))


def test_drawn_orders_add_up_too_and_come_close_to_the_exact_shares():
    found = shapley(MANY, pairs, seed=3)
    exact = {name: float(name) + (1.0 if name in {"0", "11"} else 2.0) for name in MANY}

    assert not found.exact
    assert math.fsum(found.shares.values()) == pytest.approx(pairs(frozenset(MANY)))
    assert found.shares == pytest.approx(exact, abs=0.5)
    assert all(abs(found.shares[name] - exact[name]) <= 5 * found.errors[name] + 1e-9 for name in MANY)


def test_the_same_seed_draws_the_same_shares():
    assert shapley(MANY, pairs, seed=7) == shapley(MANY, pairs, seed=7)


def test_each_coalition_is_measured_once():
    asked = []

    found = shapley(("a", "b", "c"), lambda coalition: float(asked.append(coalition) or len(coalition)))

    assert (len(asked), len(set(asked)), found.asked) == (8, 8, 8)


def test_no_module_has_no_share():
    assert shapley((), lambda coalition: 5.0).shares == {}


@pytest.mark.parametrize(("modules", "options", "field"), [
    (("a", "a"), {}, "modules"), (tuple(map(str, range(1001))), {}, "modules"), (("a",), {"orders": 1}, "orders")])
def test_what_cannot_be_shared_out_is_refused(modules, options, field):
    with pytest.raises(UsageError) as caught:
        shapley(modules, lambda coalition: 0.0, **options)

    assert caught.value.field == field


def test_a_worth_that_is_no_number_is_refused():
    with pytest.raises(UsageError, match="no worth of a coalition"):
        shapley(("a",), lambda coalition: math.nan)
