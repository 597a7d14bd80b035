"""The order of proposals, and what it learns."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from windtunnel.core.problem import Place, Problem
from windtunnel.core.repair import FileEdit, Proposal
from windtunnel.repair.order import Order

_PROBLEM = Problem(kind="assertion", message="assert 1 == 2")


def _proposal(name: str, *, prior: float = 0.1, **features: float) -> Proposal:
    return Proposal(edits=(FileEdit(path="a.py", text=name),), origin="search", name=name, reason="", prior=prior,
                    place=Place(file="a.py", line=1), features=features)


def test_an_order_that_learned_nothing_says_what_the_prior_says() -> None:
    order = Order()

    assert [order.score(_proposal("any", prior=prior)) for prior in (0.02, 0.5, 0.9)] == pytest.approx([0.02, 0.5, 0.9])


def test_what_turned_out_right_comes_before_what_turned_out_wrong() -> None:
    order = Order()
    for _ in range(20):
        order.learn(_proposal("comparison"), _PROBLEM, good=True)
        order.learn(_proposal("deletion"), _PROBLEM, good=False)

    assert order.score(_proposal("comparison"), _PROBLEM) > 0.5 > order.score(_proposal("deletion"), _PROBLEM)


def test_what_was_learned_of_a_feature_holds_for_names_never_seen() -> None:
    order = Order()
    for _ in range(30):
        order.learn(_proposal("comparison", natural=1.0), good=True)
        order.learn(_proposal("comparison", natural=0.0), good=False)

    assert order.score(_proposal("other", natural=1.0)) > order.score(_proposal("other", natural=0.0))


def test_confidence_is_the_share_that_turns_out_right() -> None:
    order, chance = Order(), random.Random(7)
    for _ in range(4000):
        order.learn(_proposal("comparison", prior=0.5), good=chance.random() < 0.2)

    assert order.confidence(_proposal("comparison", prior=0.5)) == pytest.approx(0.2, abs=0.07)


def test_two_that_learn_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "order.json"
    one, other = Order.load(path), Order.load(path)
    one.learn(_proposal("comparison"), good=True)
    other.learn(_proposal("deletion"), good=False)
    one.save()
    other.save()

    kept = Order.load(path)
    assert kept.outcomes == 2
    assert kept.weights["name comparison"] > 0 > kept.weights["name deletion"]


@pytest.mark.parametrize("content", [
    "", "[]", "{", '{"version": 2, "outcomes": 1, "weights": {"a": 1}}', '{"version": 1, "outcomes": "x"}',
    " " * 1_000_001], ids=["empty", "a list", "cut off", "another version", "no number", "too large"])
def test_a_file_that_is_not_ours_teaches_nothing(tmp_path: Path, content: str) -> None:
    path = tmp_path / "order.json"
    path.write_text(content)

    assert (Order.load(path).weights, Order.load(path).outcomes) == ({}, 0)


def test_weights_that_are_no_numbers_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "order.json"
    path.write_text('{"version": 1, "outcomes": 3, "weights": {"a": NaN, "b": "x", "c": 1.5}, "seen": []}')

    assert Order.load(path).weights == {"c": 1.5}


def test_nothing_is_written_where_nothing_was_learned(tmp_path: Path) -> None:
    Order.load(tmp_path / "order.json").save()

    assert list(tmp_path.iterdir()) == []


def test_the_file_is_json_that_people_can_read(tmp_path: Path) -> None:
    order = Order.load(tmp_path / "order.json")
    order.learn(_proposal("comparison"), _PROBLEM, good=True)
    order.save()

    told = json.loads((tmp_path / "order.json").read_text())
    assert sorted(told["weights"]) == [
        "calibration shift", "calibration slope", "comparison for assertion", "name comparison", "origin search"]
