"""What runs inside a sandbox by itself: values written down, varied, and told apart."""

from __future__ import annotations

import ast
import collections
import datetime as dt
import decimal
import fractions
import io
import pathlib
import random
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
import suggest_samples as samples
from hypothesis import given
from hypothesis import strategies as some

import windtunnel.mutation

INSIDE = Path(windtunnel.mutation.__file__).parent / "inside"
PARTS = ("attempt", "calls", "forks", "lambdas", "names", "search", "switch", "target", "vary", "writer")


@pytest.fixture(scope="module")
def inside():
    """The modules, as they lie beside each other in a sandbox."""
    before = set(sys.modules)
    sys.path[:0] = [str(INSIDE), str(INSIDE / "suggest")]
    try:
        made = {name: __import__(f"windtunnel_suggest_{name}") for name in PARTS}
    finally:
        del sys.path[:2]
    yield made
    for name in set(sys.modules) - before:
        if name.startswith(("windtunnel_mutant", "windtunnel_suggest")):
            del sys.modules[name]


@pytest.fixture
def names(inside):
    return inside["names"].Names(samples)


@pytest.fixture
def writer(inside, names):
    return inside["writer"].Writer(names)


UTC = dt.timezone.utc  # noqa: UP017 -- as older interpreters write it
VALUES = {
    "None": None, "True": True, "-3": -3, "1.5": 1.5, "float('inf')": float("inf"), "'a'": "a", "b'a'": b"a", "...": ...,
    "[1, [2]]": [1, [2]], "(1,)": (1,), "()": (), "{1, 2, 10}": {10, 2, 1}, "set()": set(), "frozenset({1})": frozenset({1}),
    "{'b': 1, 'a': 2}": {"b": 1, "a": 2}, "range(1, 3)": range(1, 3), "slice(1, None, None)": slice(1, None),
    "Colour.RED": samples.Colour.RED, "Point(x=1, y=[2])": samples.Point(1, [2]), "Pair(left=1, right='b')": samples.Pair(1, "b"),
    "Said(3)": samples.Said(3), "double": samples.double, "len": len, "ValueError": ValueError, "lambda x: x % 2 == 0": samples.PARITY,
    "datetime.date(2020, 1, 2)": dt.date(2020, 1, 2), "datetime.timedelta(days=1)": dt.timedelta(1),
    "datetime.datetime(2020, 1, 2, 0, 0, tzinfo=datetime.timezone.utc)": dt.datetime(2020, 1, 2, tzinfo=UTC),
    "decimal.Decimal('1.5')": decimal.Decimal("1.5"), "fractions.Fraction(1, 2)": fractions.Fraction(1, 2),
    "uuid.UUID('00000000-0000-0000-0000-000000000001')": uuid.UUID(int=1), "pathlib.PosixPath('a')": pathlib.Path("a"),
    "collections.deque([1])": collections.deque([1]), "'a,b'.split": "a,b".split, "ValueError('no')": ValueError("no")}


@pytest.mark.parametrize(("text", "value"), VALUES.items(), ids=list(VALUES))
def test_a_value_is_written_so_that_the_text_makes_it_again(writer, text, value):
    assert writer.text(value) == text
    again = eval(text, dict(writer.names.space))
    assert type(again) is type(value)
    if type(value).__eq__ is not object.__eq__:
        assert again == value or value is samples.PARITY or callable(value)


@pytest.mark.parametrize("value", [
    float("nan"), samples.Lying(1), samples.Harmful(), samples.Silent(), object(), (n for n in [1]), "x" * 500, [1] * 100,
    [[[[[[[[1]]]]]]]], samples.NEEDY, open, eval, random.Random(1), {"a": samples.Silent()}, "0x7f1234567890"],
    ids=lambda value: type(value).__name__)
def test_what_cannot_be_made_again_is_not_written(writer, value):
    assert (writer.text(value), bool(writer.refused)) == ("", True)


def test_an_iterator_is_written_without_taking_anything_out_of_it(writer):
    going, both = iter([1, 2, 3]), zip([1, 2], "ab", strict=False)
    next(going)

    texts = [writer.text(going), writer.text(both)]

    assert (texts, list(going), list(both)) == (["iter([2, 3])", "zip(iter([1, 2]), iter('ab'))"], [2, 3], [(1, "a"), (2, "b")])


def test_an_open_stream_is_written_from_where_it_stands(writer):
    stream = io.StringIO("abc")
    stream.read(1)

    assert writer.text(stream) == "io.StringIO('bc')"


def test_both_sides_of_the_sandbox_know_the_same_things_of_the_standard_library(inside):
    from windtunnel.mutation import suggest_words

    assert (inside["names"].STANDARD, inside["names"].UNSAFE) == (suggest_words.STANDARD, suggest_words._UNSAFE)


def test_imports_are_those_that_the_file_has_not_yet(writer, names):
    writer.text(decimal.Decimal(1))
    writer.text(samples.Said(1))

    assert names.imported(["decimal", "Said", "nothing"]) == [["decimal", ""]]


def test_an_object_without_a_word_of_its_own_is_written_as_it_was_seen_to_be_made(writer):
    silent = samples.Silent()
    writer.made[id(silent)] = (silent, "Silent()")

    assert writer.text([silent]) == "[Silent()]"


@pytest.mark.parametrize(("text", "constants", "wanted"), [
    ("5", [10], {"0", "4", "6", "9", "10", "11", "-5"}), ("1.5", [2], {"0.0", "1", "2", "0.75"}), ("True", [], {"False"}),
    ("'ab'", ["x"], {"''", "'a'", "'abx'", "'AB'"}), ("None", ["x"], {"0", "'x'"}), ("[1, 2]", [], {"[]", "[1]", "[2, 1]", "iter([1, 2])", "['a', 'b']"}),
    ("{'a': 1}", [], {"{}", "{'a': 0}", "[1]"}), ("{1}", [], {"set()"}), ("Point(x=1, y=[])", [], {"Point(x=0, y=[])"}),
    ("iter([1])", [], {"[1]", "iter([])"}), ("double", [], set())])
def test_neighbours_are_at_edges_and_of_other_sizes(inside, text, constants, wanted):
    found = inside["vary"].variants(text, constants)

    assert wanted <= set(found)
    assert (text not in found, len(found) == len(set(found)), bool(found)) == (True, True, bool(wanted))


@given(some.recursive(some.none() | some.booleans() | some.integers() | some.text(max_size=5), lambda inner: some.lists(inner, max_size=3)
                      | some.dictionaries(some.text(max_size=3), inner, max_size=3), max_leaves=6))
def test_every_neighbour_of_a_plain_value_is_an_expression(inside, value):
    found = inside["vary"].variants(repr(value), [1, "a"])

    assert [text for text in found if not isinstance(ast.parse(text, mode="eval"), ast.Expression)] == []


@pytest.fixture
def counted(inside):
    return inside["target"].Target({"path": str(Path(samples.__file__).resolve()), "function": "counted"}, samples.counted)


@pytest.mark.parametrize(("inputs", "call"), [
    ((("n", "1"),), "counted(1)"), ((("n", "1"), ("*0", "2"), ("*1", "3")), "counted(1, 2, 3)"),
    ((("n", "1"), ("step", "2")), "counted(1, step=2)"), ((("step", "2"),), "")])
def test_a_call_is_written_as_people_write_it(counted, inputs, call):
    assert counted.call(inputs, "counted") == call


def test_calls_are_taken_down_as_they_are_made(inside, counted, writer):
    calls = inside["calls"].Calls(counted, writer)
    recorder = inside["calls"].Recorder([calls], inside["calls"].Making({}, []))
    before = sys.getprofile()
    recorder.start()
    try:
        samples.counted(1, 2, step=3)
        samples.counted(4)
        samples.counted(object())
    finally:
        recorder.stop()
        sys.setprofile(before)

    assert (list(calls.kept), calls.seen) == ([(("n", "1"), ("step", "3"), ("key", "None"), ("*0", "2")), (("n", "4"),)], 3)


def test_what_an_attempt_tells_has_the_answer_and_what_became_of_the_inputs(inside, writer):
    def grow(items, more):
        items.append(more)
        return len(items)

    samples.grow = grow
    try:
        options = {"path": str(Path(samples.__file__).resolve()), "function": "grow"}
        attempt = inside["attempt"].Attempt(inside["target"].Target(options, grow), writer, "double")
        writer.names.space["double"] = grow
        told = attempt((("items", "[1]"), ("more", "2")))
    finally:
        del samples.grow

    assert told == {"shape": "plain", "value": "2", "after items": "[1, 2]"}


@pytest.fixture
def attempt(inside, writer):
    """Calls a function as one of the samples."""
    def make(function):
        function.__qualname__ = function.__name__ = "sampled"
        samples.sampled = function
        options = {"path": str(Path(samples.__file__).resolve()), "function": "sampled"}
        writer.names.space["sampled"] = function
        return inside["attempt"].Attempt(inside["target"].Target(options, function), writer, "sampled")

    yield make
    vars(samples).pop("sampled", None)


def boom(n):
    raise ValueError("no")


def bad(n):
    return n.missing


def zero(n):
    return 1 // n


@pytest.mark.parametrize(("function", "text", "told"), [
    (lambda n: (yield from range(n)), "3", {"shape": "list", "value": "[0, 1, 2]"}),
    (lambda n: iter(int, 1), "3", {"shape": "few", "value": "[0, 0, 0, 0, 0]"}),
    (lambda n: samples.Said(n), "3", {"shape": "plain", ".size": "3"}),  # noqa: PLW0108 -- a function of its own
    (lambda n: object(), "3", {"shape": "plain"}),
    (lambda n: n.append(1), "[]", {"shape": "plain", "value": "None", "after n": "[1]"}),
    (lambda n: [next(n)], "iter([1, 2])", {"shape": "plain", "value": "[1]"}),
    (bad, "3", {"shape": "raised"}), (zero, "0", {"shape": "thrown", "raises": "ZeroDivisionError"}), (zero, "nonsense(", {})],
    ids=["generator", "endless", "object", "nothing to tell", "changed input", "iterator", "senseless input", "accident", "no text"])
def test_what_a_call_tells_is_what_a_test_can_assert(attempt, function, text, told):
    assert attempt(function)((("n", text),)) == told


def test_an_error_that_is_raised_on_purpose_tells_its_words(attempt, monkeypatch):
    monkeypatch.chdir(Path(__file__).parents[2])

    assert attempt(boom)((("n", "1"),)) == {"shape": "raised", "raises": "ValueError", "message": "'no'"}


def test_a_call_in_which_chance_has_a_part_is_seen_to_be_one(attempt):
    before = sys.gettrace(), sys.getprofile()
    try:
        chosen = [attempt(function).watched((("n", "1"),))[2] for function in (
            lambda n: n, lambda n: random.random(), lambda n: dt.datetime.now(UTC), lambda n: id(n))]  # noqa: PLW0108 -- the same
    finally:
        sys.settrace(before[0])
        sys.setprofile(before[1])

    assert chosen == [False, True, True, True]


FORKING = """
import os, sys, time
sys.path[:0] = sys.argv[1:]
from windtunnel_suggest_forks import each
def act(n):
    if n == 1:
        os._exit(3)
    while n == 3:
        pass
    return n * 2
until = time.monotonic() + 300
print(each([0, 1, 2, 3, 4], act, prepare=lambda: True, memory=1 << 30, until=until))
print(each([1], str, prepare=lambda: False, memory=1 << 30, until=until))
"""


def test_a_call_that_ends_its_process_or_does_not_end_is_lost_and_those_after_it_are_not():
    done = subprocess.run([sys.executable, "-c", FORKING, str(INSIDE), str(INSIDE / "suggest")], capture_output=True, text=True,
                          timeout=500, check=False)

    assert done.stdout.splitlines() == ["[0, 'lost', 4, 'lost', 8]", "['lost']"], done.stderr
