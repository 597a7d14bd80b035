"""The learned order: the table is read, and it prefers what people write."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest

from windtunnel.repair.syntax.edits import Window
from windtunnel.repair.syntax.fault import compile_fault
from windtunnel.repair.syntax.features import Habits
from windtunnel.repair.syntax.model import model
from windtunnel.repair.syntax.ranking import rank, weights
from windtunnel.repair.syntax.region import region_of
from windtunnel.repair.syntax.search import candidates

PACKAGE = "windtunnel.repair.syntax"


def _ranks(text):
    region = region_of(text, compile_fault(text))
    window = Window(region, model(), whole=text)
    habits = Habits(window)
    found = {}
    for one in candidates(window):
        made = text[: region.start] + one.apply(region.text) + text[region.end :]
        found[made] = max(rank(habits, one), found.get(made, -math.inf))
    return found


def test_the_table_has_a_finite_weight_for_each_name_and_trees_only_speak_against():
    table = weights()

    assert len(table) > 500
    assert all(math.isfinite(weight) for weight in table.values())
    assert table["score"] > 0
    assert [name for name, weight in table.items() if name.startswith("tree ") and weight > 0] == []


@pytest.mark.parametrize(("text", "right", "wrong"), [
    ("total = add(first second)\n", "total = add(first, second)\n", "total = add(first.second)\n"),
    ("def read(path)\n    return path\n", "def read(path):\n    return path\n", "def read(path), \n    return path\n"),
    ("def f(x):\n    retrun x\n", "def f(x):\n    return x\n", "def f(x):\n    retrun, x\n"),
    ("text = 'abc\nprint(text)\n", "text = 'abc'\nprint(text)\n", "text = 'a'bc\nprint(text)\n"),
    ("names = ['a', 'b'\nprint(names)\n", "names = ['a', 'b']\nprint(names)\n", "names = ['a'], 'b'\nprint(names)\n"),
])
def test_what_people_write_ranks_above_what_only_parses(text, right, wrong):
    ranks = _ranks(text)

    assert ranks[right] > ranks.get(wrong, -math.inf)
    assert ranks[right] == max(value for made, value in ranks.items() if compile_fault(made) is None)


def test_nothing_of_the_search_is_loaded_before_a_text_is_broken():
    script = "import sys, windtunnel.repair.syntax as s; next(s.repair('x = 1', path='a'), 0); print(*sys.modules)"

    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()

    assert [name for name in loaded if name in {f"{PACKAGE}.features", f"{PACKAGE}.ranking", f"{PACKAGE}.model"}] == []
