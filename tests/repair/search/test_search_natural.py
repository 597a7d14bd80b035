"""What reads as if a person had written it."""

from __future__ import annotations

import pytest

from windtunnel.repair.search import naturalness

BEFORE = "def span(low, high, step):\n    while low < high:\n        low += step\n    return high - low\n"


@pytest.mark.parametrize(("old", "new"), [
    ("high - low", "low - low"), ("low < high", "high < high"), ("low += step", "low = low"), ("low < high", "1 < 2"), ("high - low", "high - missing"),
    ("low += step", "step += 1"), ("return high - low", "return high\n    return low"), ("high - low", "high - 0"), ("low += step", "low += step\n        break"),
    ("low += step", "low += step\n        low += step"),
], ids=["same operands", "same sides", "to itself", "constant", "undefined", "endless", "unreachable", "nothing taken away", "once", "twice"])
def test_what_nobody_writes_is_less_natural_than_what_was_there(old, new):
    assert naturalness(BEFORE, BEFORE.replace(old, new)) < 0.5


def test_an_edit_with_nothing_for_or_against_it_is_in_the_middle():
    assert naturalness(BEFORE, BEFORE.replace("low < high", "low <= high")) == 0.5


def test_a_parameter_that_comes_into_use_speaks_for_an_edit():
    before = "def area(width, height):\n    return width * width\n"

    assert naturalness(before, before.replace("width * width", "width * height")) > 0.5


def test_a_mirrored_branch_speaks_for_an_edit():
    before = "def close(low, high, middle, up):\n    if up:\n        low = middle + 1\n    else:\n        high = middle\n    return low, high\n"

    assert naturalness(before, before.replace("high = middle", "high = middle - 1")) > 0.5


def test_what_is_no_python_is_not_natural_at_all():
    assert naturalness(BEFORE, "def span(:\n") == 0.0
