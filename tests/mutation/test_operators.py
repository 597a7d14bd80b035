"""Each operator, each kind of code that is left alone and each pattern of equivalence, by its own examples."""

from __future__ import annotations

import pytest

from windtunnel.core.errors import UsageError
from windtunnel.mutation.arid import ARID
from windtunnel.mutation.operators import OPERATORS
from windtunnel.mutation.patterns import equivalent
from windtunnel.mutation.python import mutants, mutated
from windtunnel.mutation.rewrites import PATTERNS

EXAMPLES = [
    pytest.param(operator, example, id=f"{operator.name}-{number}")
    for operator in OPERATORS
    for number, example in enumerate(operator.examples)
]
LEFT_ALONE = [pytest.param(text, id=f"{rule.name}-{number}") for rule in ARID for number, text in enumerate(rule.examples)]
SAME = [pytest.param(pattern, pair, id=f"{pattern.name}-{number}")
        for pattern in PATTERNS for number, pair in enumerate(pattern.same)]
DIFFERENT = [pytest.param(pair, id=f"{pattern.name}-{number}")
             for pattern in PATTERNS for number, pair in enumerate(pattern.different)]


def made(text, **options):
    source = text.encode()
    return [mutated(source, mutant).decode() for mutant in mutants(source, path="a.py", **options)]


def operators_of(text, **options):
    return [mutant.operator for mutant in mutants(text.encode(), path="a.py", **options)]


@pytest.mark.parametrize(("operator", "example"), EXAMPLES)
def test_an_example_is_mutated_as_it_says(operator, example):
    assert made(example.before, operators=[operator.name]) == list(example.after)


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_an_operator_shows_what_it_changes_and_what_it_leaves_alone(operator):
    assert {bool(example.after) for example in operator.examples} == {True, False}


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_code_that_tells_nobody_anything_is_left_alone(text):
    assert made(text) == []


@pytest.mark.parametrize(("pattern", "pair"), SAME)
def test_a_pattern_knows_what_is_the_same(pattern, pair):
    before, after = pair

    assert equivalent(before, after) == pattern.name


@pytest.mark.parametrize("pair", DIFFERENT)
def test_a_pattern_does_not_claim_what_is_different(pair):
    before, after = pair

    assert equivalent(before, after) == ""


def test_every_kind_of_defect_has_an_operator():
    assert [operator.name for operator in OPERATORS] == [
        "arithmetic", "comparison", "boundary", "boolean", "condition", "constants", "strings", "returns", "deletion",
        "loops", "exceptions", "arguments", "defaults", "slices", "decorators", "filters", "awaiting", "contexts", "unary",
        "assignments", "collections"]


def test_an_operator_that_does_not_exist_is_refused_with_those_that_do():
    with pytest.raises(UsageError, match=r"no such operator: 'aritmetic' \(known: arithmetic, "):
        made("x = 1\n", operators=["aritmetic"])


def test_code_after_a_return_is_left_alone():
    assert operators_of("def f(x):\n    return x\n    y = x + 1\n") == ["returns"]


def test_a_representation_is_mutated_when_asked_for():
    text = "class A:\n    def __repr__(self):\n        return self.name + self.kind\n"

    assert operators_of(text, representations=True) == ["returns", "arithmetic"]


def test_only_the_branch_for_type_checkers_is_left_alone():
    text = "if TYPE_CHECKING:\n    x = 1\nelse:\n    x = 2\n"

    assert made(text) == ["if TYPE_CHECKING:\n    x = 1\nelse:\n    x = 3\n"]


@pytest.mark.parametrize("text", [
    "x = 1  # pragma: no mutate\n",
    "x = 1  # pragma: no cover\n",
    "x = 1  # why: pragma: no mutate\n",
    "if a:  # pragma: no mutate\n    x = 1\n",
    "def f(\n    x=1,\n):  # pragma: no cover\n    return x + 1\n",
    "class A:  # pragma: no mutate\n    x = 1\n",
    "@d  # pragma: no cover\ndef f(x):\n    return x\n",
    "# pragma: no mutate start\nx = 1\ny = 2\n# pragma: no mutate end\n",
    "# pragma: no mutate start\nx = 1\n",
])
def test_marked_lines_and_blocks_are_left_alone(text):
    assert made(text) == []


@pytest.mark.parametrize("text", [
    "x = '# pragma: no mutate' + a\n",
    "x = 1\n# pragma: no mutate\n",
    "if a:  # pragma: no mutate\n    x = 1\nelse:\n    x = 2\n",
    "# pragma: no mutate start\nx = 1\n# pragma: no mutate end\ny = 2\n",
])
def test_a_mark_reaches_no_further_than_its_line_or_block(text):
    assert len(made(text)) == 1
