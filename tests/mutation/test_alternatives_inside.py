"""What compares patches in a sandbox, part by part: values, inputs, exchanged functions, traits, copies."""

from __future__ import annotations

import os
import sys
import time
import types
from collections import Counter
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

import windtunnel.mutation

INSIDE = Path(windtunnel.mutation.__file__).parent / "inside"


@pytest.fixture(scope="module")
def inside():
    """Their modules, as they lie beside each other in a sandbox."""
    before = set(sys.modules)
    paths = [str(INSIDE), str(INSIDE / "doubt")]
    sys.path[:0] = paths
    try:
        import windtunnel_doubt as relay
        import windtunnel_doubt_calls as calls
        import windtunnel_doubt_forks as forks
        import windtunnel_doubt_inputs as inputs
        import windtunnel_doubt_literals as literals
        import windtunnel_doubt_traits as traits
        import windtunnel_doubt_values as values
        import windtunnel_doubt_worlds as worlds
    finally:
        del sys.path[:2]
    yield types.SimpleNamespace(relay=relay, calls=calls, forks=forks, inputs=inputs, literals=literals, traits=traits,
                                values=values, worlds=worlds)
    for name in set(sys.modules) - before:
        if name.startswith("windtunnel_doubt"):
            del sys.modules[name]


class Thing:
    def __init__(self, size):
        self.size = size


@pytest.mark.parametrize(("one", "other", "same"), [
    ([1, 2], [1, 2], True), ([1, 2], (1, 2), False), (1, True, False), (1, 1.0, False), (0.1 + 0.2, 0.3, True),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True), ({1, 2}, {2, 1}, True), ("1", 1, False), (Thing(1), Thing(1), True),
    (Thing(1), Thing(2), False), (ValueError("a"), ValueError("b"), True), (object(), object(), True),
    (Counter("aab"), {"a": 2, "b": 1}, True), (Counter("aab"), Counter("ab"), False)])
def test_values_read_the_same_where_they_are_the_same(inside, one, other, same):
    assert (inside.values.canon(one) == inside.values.canon(other)) is same


def test_the_order_of_a_dictionary_is_told_where_it_is_asked_for(inside):
    one, other = (inside.values.canon({"self": made}, ordered=True) for made in ({"a": 1, "b": 2}, {"b": 2, "a": 1}))

    assert one != other


def test_a_value_that_holds_itself_comes_to_an_end(inside):
    loop = [1]
    loop.append(loop)

    assert inside.values.canon(loop) == "[i:1,<1 up>,]"


@pytest.mark.parametrize("value", [list(range(10**5)), "x" * 10**6, [[[[[[[[[1]]]]]]]]]])
def test_what_is_too_large_is_not_compared(inside, value):
    with pytest.raises(inside.values.TooLarge):
        inside.values.canon(value)


def test_what_cannot_be_shown_is_named_by_its_type(inside):
    class Hostile:
        def __repr__(self):
            raise SystemExit(3)

    assert inside.values.shown(Hostile()) == "<Hostile that cannot be shown: SystemExit>"


def test_what_is_shown_is_cut(inside):
    assert len(inside.values.shown("x" * 10**6)) == inside.values.MOST_SHOWN


def test_an_endless_iterator_is_drawn_so_far(inside):
    import itertools

    assert len(inside.values.drawn(itertools.count()).items) == inside.values.MOST_ITEMS


@pytest.mark.parametrize("value", [
    None, True, 7, -(10**30), 0.5, float("inf"), "", "été 12", b"", b"\xff\x00", [], [1, "a", None], [[1, 2], [3, 4]], (), (1, "a"),
    {}, {"a": [1], 2: None}, {1, 2}, frozenset("ab"), date(1, 1, 1), date(9999, 12, 31), timedelta(days=1), Decimal("0.1"),
    Fraction(1, 3), range(3), len, Thing([1, 2]), object()])
def test_whatever_a_value_is_it_is_varied_without_being_changed(inside, value):
    before, varied = inside.values.canon(value), inside.inputs.Varied([3, "a", 0.5], seed=7)
    made = [varied.vary(value) for _ in range(60)]

    assert (inside.values.canon(value), {type(one) for one in made}) == (before, {type(value)})


def test_the_same_calls_give_the_same_inputs(inside):
    calls = [{"n": 4, "names": ["a", "b"], "day": date(2024, 2, 29)}]
    made = [[inside.values.canon(one.given) for one in inside.inputs.Varied([3], seed=1).inputs(0, calls, calls, most=60)]
            for _ in range(2)]

    assert (made[0] == made[1], len(made[0]), len(set(made[0]))) == (True, 60, 60)


def test_the_first_inputs_are_the_tests_own_and_the_next_ones_near_the_repaired(inside):
    calls = [{"n": 4}, {"n": 9}]
    places = "".join(one.place for one in inside.inputs.Varied([], seed=1).inputs(0, calls, calls[1:], most=20))

    assert (places[:3], set(places)) == ("oon", set("onf"))


def test_rows_of_one_length_mostly_stay_so(inside):
    varied = inside.inputs.Varied([], seed=1)
    made = [varied.vary([[1, 2, 3], [4, 5, 6]]) for _ in range(100)]

    assert sum(len({len(row) if isinstance(row, list) else -1 for row in table}) <= 1 for table in made) > 80


def test_arguments_are_kept_as_they_were_when_the_call_began(inside):
    def eat(items, *more, flag=False, **rest):
        items.clear()

    calls = inside.calls.Calls({eat.__code__: 0})
    calls.start()
    eat([1, 2], 3, flag=True, other=4)
    eat([1, 2], 3, flag=True, other=4)
    calls.stop()

    assert calls.found == {0: [{"items": [1, 2], "flag": True, "more": (3,), "rest": {"other": 4}}]}


def test_a_generator_is_called_once_however_often_it_is_asked(inside):
    def count(most):
        yield from range(most)

    calls = inside.calls.Calls({count.__code__: 0})
    calls.start()
    list(count(3))
    calls.stop()

    assert calls.found == {0: [{"most": 3}]}


def test_arguments_that_cannot_be_copied_are_counted_and_left_out(inside):
    def read(source):
        return next(source)

    calls = inside.calls.Calls({read.__code__: 0})
    calls.start()
    read(number for number in range(3))
    calls.stop()

    assert (calls.found, calls.lost) == ({0: []}, {0: 1})


def test_a_call_is_made_again_with_what_was_kept(inside):
    def told(a, b=2, *more, c, **rest):
        return a, b, more, c, rest

    kept = {"a": 1, "b": 5, "more": (6,), "c": 3, "rest": {"d": 4}}

    assert inside.calls.call(told, told.__code__, kept) == (1, 5, (6,), 3, {"d": 4})


def test_a_version_without_a_parameter_is_called_without_it(inside):
    def now(a, more=1):
        return a + more

    assert inside.calls.call(lambda a: a, now.__code__, {"a": 7, "more": 1}) == 7


def test_a_function_is_exchanged_for_everybody_who_has_it(inside):
    def price(amount):
        return amount

    held = [price]
    inside.worlds.exchange(price, inside.worlds.built("def price(amount, more=2):\n    return amount + more", [], {}))

    assert held[0](5) == 7


def test_a_method_means_the_same_names_in_the_text_of_another_version(inside):
    text = "def total(self):\n    return self.__secret + super().total()"
    made = inside.worlds.built(text, ["Till"], {})

    assert (made.__code__.co_names, made.__code__.co_freevars) == (("_Till__secret", "super", "total"), ("__class__",))


def test_texts_that_run_the_same_have_one_mark_and_others_another(inside):
    marks = [inside.worlds.fingerprint(text, []) for text in (
        "def f(a):\n    return a + 1", "def f(a):\n    return (a + 1)", "def f(a):\n    return a + True", "def f(:")]

    assert (marks[0] == marks[1], marks[0] == marks[2], marks[3]) == (True, False, None)


def test_what_answers_have_in_common_and_did_not_before_is_a_symptom(inside):
    given = [{"cents": 9.0}, {"cents": 10.0}, {"cents": 11.0}, {"cents": 12.0}]
    fix = [inside.traits.relations({"sum(answer)": total}, each) for total, each in zip((9, 10, 11, 11), given, strict=True)]
    old = [inside.traits.relations({"sum(answer)": total}, each) for total, each in zip((9, 9, 9, 9), given, strict=True)]
    traits = inside.traits.Traits()
    for held in fix[:2]:
        traits.learn(held)

    mended, _ = inside.traits.symptoms(traits.common, "oonf", fix, old)

    assert ("sum(answer) == cents", 2, 1, 2, 1, 2) in mended


def test_a_length_is_not_compared_with_a_price(inside):
    assert inside.traits.relations({"answer": 2.0}, {"length(items)": 3.0}) == {}


def test_literals_are_found_in_what_the_tests_give_and_in_whole_answers(inside):
    calls, answers = [{"path": "/../a", "day": date(2023, 1, 31), "items": [4, 5]}], ["MCM", 77]
    found = inside.literals.shown_by_tests(["/../", "MC", "MCM", 31, 2, 77, 78], calls, answers)

    assert found == ["/../", "MCM", 31, 2, 77]


def test_what_copies_say_is_kept(inside):
    ended = {one.job: (one.data, one.late) for one in inside.forks.forked(
        [b"one", b"two"], lambda job, write: os.write(write, job), workers=2, wall=60.0, until=time.monotonic() + 60)}

    assert ended == {b"one": (b"one", False), b"two": (b"two", False)}


def test_a_copy_that_waits_for_nothing_is_ended(inside):
    ended = list(inside.forks.forked(
        [1], lambda *_: os.read(os.pipe()[0], 1), workers=1, wall=0.2, until=time.monotonic() + 60))

    assert [(one.data, one.late) for one in ended] == [(b"", True)]


def test_a_copy_that_never_stops_talking_is_ended(inside):
    def act(_, write):
        while True:
            os.write(write, b"x" * 65536)

    ended = list(inside.forks.forked([1], act, workers=1, wall=60.0, until=time.monotonic() + 60))

    assert (len(ended[0].data) <= inside.forks.MOST_BYTES, ended[0].late) == (True, False)


@pytest.mark.parametrize(("line", "sent"), [
    (b'{"kind": "note", "what": "a"}', [("note", {"what": "a"})]),
    (b'{"kind": "fate", "mutant": 1}', []), (b"[1]", []), (b"\xff", []), (b"{" * 5000, []),
    (b'{"kind": "note", "n": 7, "what": {"deep": 1}}', [("note", {"what": "{'deep': 1}"})]),
    (b'{"kind": "world", "letters": ["a", ["b"]]}', [("world", {"letters": ["a"]})])])
def test_only_words_of_ours_are_sealed(inside, line, sent):
    heard = []
    inside.relay.tell(line, lambda kind, **more: heard.append((kind, more)))

    assert heard == sent
