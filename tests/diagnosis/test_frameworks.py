"""Errors of frameworks mean what they mean there."""

import time

import pytest

from windtunnel.core.problem import Problem
from windtunnel.diagnosis import problems_in
from windtunnel.diagnosis.frameworks import ROWS, meaning

OTHERS = (
    ("RuntimeError", "something else"), ("OperationalError", "no such table: cart"), ("ValueError", "invalid literal"),
    ("KeyError", "'name'"), ("AssertionError", "assert 1 == 2"), ("Error", "nothing of a framework"), ("", ""),
    ("ReferenceError", "cart is not defined"))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.framework} {row.example[0]} {row.example[1][:20]}")
def test_the_example_of_each_row_is_found_by_that_row(row):
    name, message = row.example

    found = meaning(Problem(kind="generic", name=name, message=message))

    assert found is not None
    assert (found.kind, found.cause) == (str(row.kind), f"{row.cause} ({row.framework})")


@pytest.mark.parametrize(("name", "message"), OTHERS)
def test_what_is_no_error_of_a_framework_is_left_alone(name, message):
    assert meaning(Problem(kind="generic", name=name, message=message)) is None


def test_a_trace_of_a_framework_has_its_kind_and_its_cause_first():
    output = (
        'Traceback (most recent call last):\n  File "/workspace/shop/views.py", line 7, in cart\n    Cart.objects.first()\n'
        'django.core.exceptions.AppRegistryNotReady: Apps aren\'t loaded yet.\n')

    (problem,) = problems_in(output)

    assert (problem.kind, problem.place.file, problem.place.line) == ("configuration", "shop/views.py", 7)
    assert problem.causes[0].endswith("(Django)")
    assert len(problem.causes) > 1


def test_a_hostile_message_takes_no_time():
    hostile = Problem(kind="generic", name="ValueError", message="shapes " + "shape " * 100_000)

    begun = time.process_time()
    meaning(hostile)

    assert time.process_time() - begun < 0.5
