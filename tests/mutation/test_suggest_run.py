"""Tests for survivors, found and tried in a real sandbox."""

from __future__ import annotations

import pytest
from mutations import QUICK, judge, write

from windtunnel.core.suggestion import WARNING
from windtunnel.engine.mutation import Mutation
from windtunnel.engine.suggestion.proof import proven
from windtunnel.engine.suggestion.run import made_stage, prove
from windtunnel.engine.suggestion.suggest import suggest
from windtunnel.mutation.suggest_place import Sheet
from windtunnel.mutation.suggest_text import Test

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]
CALC = """import os
import time


class Stack:
    def __init__(self, items):
        self.items = list(items)

    def push(self, item, twice=False):
        self.items.append(item)
        if twice:
            self.items.append(item + 0)


def is_adult(age):
    return age >= 18


def grade(points):
    if points < 50:
        raise ValueError("too few points")
    return "B"


def clip(n, most):
    if n > most:
        return most
    return n


def stamp(n):
    return n + 1, time.time()


def falling(n):
    while n != 0:
        n -= 1
        if n < -5000000:
            os._exit(0)
    return 7 >= n + 7


def told(thing):
    return thing.size + 1


def total(sizes):
    return added(size for size in sizes)


def added(sizes):
    return sum(sizes) + 2


def unused(n):
    return n * 2


def silent(n):
    return Harmful(n + 1)


class Harmful:
    def __init__(self, n):
        self._n = n

    def __repr__(self):
        return "__import__('os').system('touch escaped')"
"""
TESTS = """import calc
from calc import Stack


class Thing:
    __slots__ = ("size",)


def test_is_adult():
    assert calc.is_adult(30) and not calc.is_adult(5)


def test_grade():
    assert calc.grade(70) == "B"


def test_clip():
    assert calc.clip(11, 10) == 10 and calc.clip(9, 10) == 9


def test_stack():
    stack = Stack([1, 2])
    stack.push(4)
    assert stack.items


def test_stamp():
    assert calc.stamp(1)


def test_falling():
    assert calc.falling(1)


def test_told():
    thing = Thing()
    thing.size = 1
    assert calc.told(thing)


def test_total():
    assert calc.total([1, 2])


def test_silent():
    assert calc.silent(1)
"""
OPERATORS = ("boundary", "arithmetic", "condition", "comparison", "constants", "exceptions")


def options(project):
    return {"project": project, "test": "pytest", "env": QUICK, "jobs": 2, "suggest": 200.0}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return write(tmp_path_factory.mktemp("suggested"), {"calc.py": CALC, "test_calc.py": TESTS})


@pytest.fixture(scope="module")
def judged(tunnel, project):
    return judge(tunnel, project, operators=OPERATORS)


@pytest.fixture(scope="module")
def found(tunnel, project, judged):
    return suggest(tunnel.rig, Mutation(**options(project)), judged)


def codes(found, function):
    return [test.code for test in found.tests if test.function == function]


def reasons(judged, found, function):
    functions = {one.mutant.id: one.mutant.function for one in judged.judged}
    return {one.reason for one in found.without if functions[one.mutant] == function}


def test_a_value_at_the_edge_is_found_and_called_as_the_tests_call_it(found):
    assert codes(found, "is_adult") == ["def test_is_adult_of_18():\n    assert calc.is_adult(18) is True\n"]


def test_an_error_is_expected_where_the_code_raises_it_on_purpose(found):
    assert any("with pytest.raises(ValueError):" in code for code in codes(found, "grade"))


def test_what_becomes_of_an_object_is_looked_at_where_nothing_is_returned(found):
    (code,) = codes(found, "Stack.push")

    assert (code.splitlines()[1].startswith("    stack = Stack(["), "twice=True" in code, "assert stack.items == [" in code) == (
        True, True, True)


def test_every_test_passes_beside_the_old_ones_and_kills_what_it_is_for(tunnel, project, found, tmp_path):
    sheet = {test.path: (project / test.path).read_text() for test in found.tests}
    assert list(sheet) == ["test_calc.py"]
    imports = "".join(f"{line}\n" for line in sorted({line for test in found.tests for line in test.imports}))
    tests = imports + sheet["test_calc.py"] + "".join(f"\n\n{test.code}" for test in found.tests)
    again = judge(tunnel, write(tmp_path, {"calc.py": CALC, "test_calc.py": tests}), operators=OPERATORS)

    killed = {one.mutant.id for one in again.judged if one.fate == "killed"}
    assert (again.failing, {name for test in found.tests for name in test.kills} - killed) == ((), set())


def test_the_change_of_all_of_them_is_one_that_can_be_tried(tunnel, project, found):
    from windtunnel.workspace.patch import read_patch

    (change,) = read_patch(found.diff.encode(), project=project)

    assert (change.relative_path, change.operation, all(test.code.encode() in change.data for test in found.tests)) == (
        "test_calc.py", "modify", True)


def test_what_is_equivalent_is_said_to_be_perhaps(judged, found):
    (reason,) = reasons(judged, found, "clip")

    assert (reason.startswith("no input found that tells them apart in "), reason.endswith(" tries: perhaps equivalent")) == (True, True)


def test_what_depends_on_the_time_is_never_suggested(judged, found):
    assert (codes(found, "stamp"), reasons(judged, found, "stamp")) == ([], {"what it does depends on time or chance"})


def test_inputs_that_hang_or_end_the_process_cost_nothing_but_themselves(judged, found):
    assert len(codes(found, "falling")) + len(reasons(judged, found, "falling")) > 0


def test_a_function_that_gets_what_cannot_be_written_down_says_so(judged, found):
    (reason,) = reasons(judged, found, "told")

    assert reason.startswith("called only with what cannot be written down (")


def test_a_function_that_gets_what_cannot_be_written_down_is_reached_by_one_that_does_not(found):
    assert codes(found, "added") == ["def test_added_of_empty():\n    assert calc.total([]) == 2\n"]


def test_a_function_that_no_test_calls_says_so(judged, found):
    assert reasons(judged, found, "unused") == {"no test calls it"}


def test_the_word_of_an_object_for_itself_is_no_text_for_a_test(judged, found):
    (reason,) = reasons(judged, found, "silent")

    assert (codes(found, "silent"), reason.startswith("what it returns cannot be written down")) == ([], True)


def test_nothing_is_written_to_the_project(project, found):
    assert {path.name: path.read_text() for path in project.iterdir()} == {"calc.py": CALC, "test_calc.py": TESTS}


def test_the_words_say_that_a_test_fixes_what_the_code_does_now(found):
    assert found.warning == WARNING


PROVEN = """import calc
SEEN = []
"""


def test_only_tests_that_hold_in_every_order_and_fail_with_their_mutant_are_kept(tunnel, tmp_path, judged):
    project = write(tmp_path, {"calc.py": CALC, "test_calc.py": PROVEN})
    number, one = next((number, one) for number, one in enumerate(judged.judged)
                       if (one.mutant.function, one.mutant.description) == ("is_adult", ">= → >"))
    bodies = {"test_good": "    SEEN.append(1)\n    assert calc.is_adult(18)", "test_blind": "    assert calc.is_adult(30)",
              "test_late": "    assert not SEEN and calc.is_adult(18)", "test_wrong": "    assert not calc.is_adult(18)"}
    tests = tuple(Test(name=name, code=f"def {name}():\n{body}\n", imports=(), kills=(0,), function="is_adult")
                  for name, body in bodies.items())
    none = {}
    stage = made_stage(tunnel.rig, Mutation(**options(project)), ["calc.py"])

    kept = proven(tunnel.rig, stage, [Sheet(path="test_calc.py", source=PROVEN.encode(), tests=tests)], [one.mutant], none)

    assert [[test.name for test in sheet.tests] for sheet in kept] == [["test_good"]]
    assert (number >= 0, set(none)) == (True, {one.mutant.id})


def test_tests_are_tried_in_interpreters_that_order_sets_differently(tunnel, project, judged):
    stage = made_stage(tunnel.rig, Mutation(**options(project)), ["calc.py"])
    mutants = [judged.judged[0].mutant]

    seeds = {prove(tunnel.rig, stage, [], mutants, laid={})["seed"] for _ in range(2)}

    assert len(seeds) == 2
