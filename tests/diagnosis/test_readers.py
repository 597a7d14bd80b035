"""Readers by their own examples, and what is made of what they find."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from windtunnel.core.problem import ProblemKind
from windtunnel.diagnosis import READERS, Sources, problems_in
from windtunnel.diagnosis.advice import advice

EXAMPLES = [pytest.param(example, id=f"{reader.name}-{at}") for reader in READERS
            for at, example in enumerate(reader.examples)]
CHAINED = """\
Traceback (most recent call last):
  File "/workspace/shop/cart.py", line 2, in read
    return settings["port"]
KeyError: 'port'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/usr/lib/python3.11/runpy.py", line 9, in run
    run()
  File "/workspace/shop/cart.py", line 4, in read
    raise RuntimeError("no port") from error
RuntimeError: no port
"""


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_is_read_as_it_says(example):
    found = tuple((str(one.kind), one.place.file if one.place else None, one.place.line if one.place else None)
                  for one in problems_in(example.output))

    assert found == example.problems


def test_every_reader_has_an_example_that_must_be_left_alone():
    assert [reader.name for reader in READERS if all(example.problems for example in reader.examples)] == []


def test_a_chain_is_told_root_first_and_what_came_of_it_names_its_cause():
    root, surface = problems_in(CHAINED)

    assert (root.name, surface.name, surface.cause, surface.caused_by, root.caused_by) == (
        "KeyError", "RuntimeError", root, root.fingerprint, "")


def test_frames_of_the_project_stand_apart_from_those_of_libraries():
    _, surface = problems_in(CHAINED)

    assert ([place.file for place in surface.frames], [place.file for place in surface.own]) == (
        ["/usr/lib/python3.11/runpy.py", "/workspace/shop/cart.py"], ["shop/cart.py"])


def test_a_problem_carries_tool_language_values_and_the_test():
    output = next(reader for reader in READERS if reader.name == "pytest").examples[0].output

    (found,) = problems_in(output)

    assert (found.tool, found.language, found.expected, found.actual, found.test) == (
        "pytest", "python", "4", "3", "tests/test_cart.py::test_total")


def test_the_window_shows_the_code_around_the_place_and_the_symbol_it_is_in():
    code = b"class Cart:\n    def read(self, settings):\n        return settings['port']\n"
    output = 'Traceback (most recent call last):\n  File "/workspace/cart.py", line 3, in read\n    x\nKeyError: 1\n'

    (found,) = problems_in(output, sources=Sources(read={"cart.py": code}.get))

    assert (found.place.symbol, [(line.number, line.text) for line in found.window]) == (
        "Cart.read", [(1, "class Cart:"), (2, "    def read(self, settings):"), (3, "        return settings['port']")])


def test_a_path_of_another_machine_is_found_in_the_project_by_its_end():
    output = 'Traceback (most recent call last):\n  File "/srv/build/7/shop/cart.py", line 1, in f\nKeyError: 1\n'

    (found,) = problems_in(output, sources=Sources(read={"shop/cart.py": b"x\n"}.get))

    assert found.place.file == "shop/cart.py"


def test_a_path_that_leads_out_of_the_project_is_never_read():
    asked = []
    output = 'Traceback (most recent call last):\n  File "../../etc/passwd", line 1, in f\nKeyError: 1\n'

    problems_in(output, sources=Sources(read=asked.append))

    assert [path for path in asked if ".." in path or path.startswith("/")] == []


def test_warnings_are_told_as_such():
    (found,) = problems_in("shop/cart.py:3: SyntaxWarning: invalid escape sequence\n")

    assert (found.severity, found.kind, found.place.line) == ("warning", "style", 3)


def test_every_kind_but_the_generic_ones_has_advice():
    assert [str(kind) for kind in ProblemKind if not advice(kind)] == ["style", "generic"]


def test_two_tools_in_one_output_are_both_read():
    told = problems_in("src/a.ts(2,7): error TS2322: Type 'string' is not assignable to type 'number'.\n" + CHAINED)

    assert [(one.tool, one.kind) for one in told] == [("tsc", "type"), ("python", "key"), ("python", "generic")]


def test_the_page_names_every_kind():
    page = (Path(__file__).parents[2] / "docs/diagnose.md").read_text()
    told = re.search(r"^Kinds: `([^`]+)`", page, re.MULTILINE)[1].split()

    assert told == [str(kind) for kind in ProblemKind]
