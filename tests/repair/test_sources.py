"""One stream of proposals out of many."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from windtunnel.core.problem import Place
from windtunnel.core.repair import FileEdit, Proposal, Scene, Source
from windtunnel.repair import search
from windtunnel.repair.order import Order
from windtunnel.repair.sources import proposals_for

_SCENE = Scene(paths=("a.py",), read=lambda _: "")


def _proposal(text: str, prior: float) -> Proposal:
    return Proposal(edits=(FileEdit(path="a.py", text=text),), origin="user", name=text, reason="", prior=prior,
                    place=Place(file="a.py", line=1))


def _source(*proposals: Proposal) -> Source:
    return lambda scene: iter(proposals) if scene is _SCENE else iter(())


def test_the_likeliest_of_all_sources_comes_first() -> None:
    one, other = _source(_proposal("a", 0.9), _proposal("b", 0.1)), _source(_proposal("c", 0.5), _proposal("d", 0.3))

    assert [found.name for found in proposals_for(_SCENE, "", more=(one, other))] == ["a", "c", "d", "b"]


def test_what_two_propose_comes_once() -> None:
    one, other = _source(_proposal("a", 0.9)), _source(_proposal("a", 0.5), _proposal("b", 0.1))

    assert [found.name for found in proposals_for(_SCENE, "", more=(one, other))] == ["a", "b"]


def test_what_was_learned_changes_the_order() -> None:
    order, source = Order(), _source(_proposal("a", 0.5), _proposal("b", 0.4))
    for _ in range(10):
        order.learn(_proposal("b", 0.4), good=True)

    assert [found.name for found in proposals_for(_SCENE, "", order=order, more=(source,))] == ["b", "a"]


def test_a_source_without_end_is_asked_for_no_more_than_is_needed() -> None:
    asked = list[int]()

    def endless(_: Scene) -> Iterator[Proposal]:
        for number in range(10**9):
            asked.append(number)
            yield _proposal(str(number), 0.5)

    stream = proposals_for(_SCENE, "", more=(endless,))
    given = [next(stream).name for _ in range(10)]

    assert given == [str(number) for number in range(10)]
    assert len(asked) < 100


def test_a_source_that_fails_is_told_of_and_the_others_go_on() -> None:
    def failing(_: Scene) -> Iterator[Proposal]:
        yield _proposal("first", 0.9)
        raise RuntimeError("no such file")

    told = list[str]()
    found = [one.name for one in proposals_for(
        _SCENE, "", more=(failing, _source(_proposal("other", 0.1))), tell=told.append)]

    assert found == ["first", "other"]
    assert told == ["test_sources failed and proposes nothing more: RuntimeError: no such file"]


def test_pairs_of_edits_are_thought_of_only_after_many_single_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = list[int]()

    def pairs(_: Scene) -> Iterator[Proposal]:
        begun.append(len(given))
        yield _proposal("pair", 0.9)

    monkeypatch.setattr(search, "search", _source(*(_proposal(str(number), 0.5) for number in range(200))))
    monkeypatch.setattr(search, "pairs", pairs)
    given = list[str]()
    for one in proposals_for(_SCENE, "python"):
        given.append(one.name)

    assert (begun, given.index("pair"), len(given)) == ([96], 96, 201)
