"""Parts of what runs inside, each on its own: digests, texts for patterns, uses of a parameter, mined calls."""

from __future__ import annotations

import ast
import dataclasses
import datetime as dt
import enum
import re
import sys
import typing
from pathlib import Path

import pytest

import windtunnel.mutation
import windtunnel.sections

INSIDE = Path(windtunnel.sections.__file__).parent / "inside"
VARY = Path(windtunnel.mutation.__file__).parent / "inside" / "suggest"


@pytest.fixture(autouse=True)
def inside(monkeypatch):
    """As they lie in a sandbox, beside each other."""
    monkeypatch.syspath_prepend(str(VARY))
    monkeypatch.syspath_prepend(str(INSIDE))
    yield
    for name in [name for name in sys.modules if name.startswith(("windtunnel_section", "windtunnel_suggest"))]:
        del sys.modules[name]


class Color(enum.Enum):
    RED = 1


@dataclasses.dataclass
class Point:
    x: int
    y: object = None


class Bare:
    def __init__(self, x):
        self.x = x


@pytest.mark.parametrize(("one", "other"), [
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}), ({3, 1, 2}, {1, 2, 3}), (Point(1, [2]), Point(1, [2])), (Bare(3), Bare(3)),
    (Color.RED, Color.RED), (ValueError("x"), ValueError("x")), (dt.date(2024, 1, 1), dt.date(2024, 1, 1))])
def test_equal_values_have_one_digest(one, other):
    from windtunnel_section_digest import digest

    assert digest(one) == digest(other) != ""


@pytest.mark.parametrize(("one", "other"), [
    (1, True), (1, 1.0), ([1], (1,)), ("1", 1), (b"1", "1"), (Point(1), Point(2)), (Bare(1), Bare(2)), ({}, set()),
    (ValueError("x"), TypeError("x")), ([["a"]], [["b"]])])
def test_other_values_have_another(one, other):
    from windtunnel_section_digest import digest

    assert digest(one) != digest(other)


def endless():
    made = []
    made.append(made)
    return made


@pytest.mark.parametrize("value", [object(), iter([]), endless(), "x" * 10**6, list(range(10**5)), (x for x in "ab")])
def test_what_cannot_be_compared_has_none(value):
    from windtunnel_section_digest import digest

    assert digest(value) == ""


@pytest.mark.parametrize("pattern", [
    r"(\d{4})-(\d\d)-(\d\d)", r"^v?(?P<n>[0-9]+)(?:\.[0-9]+)*$", r"(a|b)\1", r"[^a-z]+x?", r"P(\d+Y)?(\d+M)?", r"\s*\w+\s*=\s*.+"])
def test_texts_for_a_pattern_match_it(pattern):
    from windtunnel_section_patterns import matching

    found = matching([pattern], 1)

    assert found
    assert all(re.search(pattern, text) for text in found)


def test_a_pattern_that_is_none_has_no_texts():
    from windtunnel_section_patterns import matching

    assert matching(["("], 1) == []


@pytest.mark.parametrize(("body", "fits"), [
    ("return x + 1", (int, float)), ("return x.strip()", str), ("return x.items()", dict), ("return x(1, 2)", typing.Callable),
    ("return x['name']", dict), ("return [a for a in x]", (list, str)), ("return open(x)", str), ("return len(x)", (list, str, tuple)),
    ("y = x\n    return y.decode()", bytes), ("return ', '.join(x)", list), ("for a, b in x: pass", list)])
def test_the_code_says_what_a_parameter_is(body, fits):
    import windtunnel_section_props as props
    from windtunnel_section_duck import uses_of

    node = ast.parse(f"def f(x):\n    {body}\n").body[0]
    text = uses_of("x", node, {}).texts(lambda kind: [], lambda names: [])[0]
    made = eval(text, {"wt": props} if "wt.file" not in text else {"wt": type("wt", (), {"file": str})})

    assert isinstance(made, fits) if fits is not typing.Callable else callable(made)


@pytest.mark.parametrize(("hint", "text"), [
    (int, "2"), (list[int], "[2, 0, 1]"), (typing.Literal["a", "b"], "'a'"), (dict[str, int], "{'abc': 2, 'Hello World': 0}"),
    (tuple[int, str], "(2, 'abc')"), (bool | None, "True"), (typing.Annotated[int, "x"], "2"), ("Sequence[str]", "[3, 1, 2]"),
    (typing.NewType("Id", int), "2")])
def test_a_hint_has_texts(hint, text):
    from windtunnel_section_hints import Hints

    assert Hints(lambda kind: []).texts(hint)[0] == text


def test_calls_in_a_docstring_are_made_to_stand_alone():
    from windtunnel_section_mine import Place, Self, examples

    tree = examples(">>> from shop import Cart\n>>> words = ['a', 'b']\n>>> total(words, Cart(1))\n3\n")
    place = Place(tree)
    call, known = next((call, known) for call, known in place.calls if getattr(call.func, "id", "") == "total")

    assert [ast.unparse(Self(known, place.modules).visit(argument)) for argument in call.args] == [
        "['a', 'b']", "wt.of('shop').Cart(1)"]


def test_combinations_come_by_rising_oddity():
    from windtunnel_section_guess import by_oddity

    assert list(by_oddity([2, 3])) == [(0, 0), (0, 1), (1, 0), (0, 2), (1, 1), (1, 2)]
