"""Which function a mutant belongs to, and where a test for it would go."""

from __future__ import annotations

import pytest

from windtunnel.core.mutation import Fate, Judged, Mutant
from windtunnel.core.testfile import is_test
from windtunnel.mutation.suggest_targets import OUTSIDE, new_file, owners_of, targets_of

SOURCE = b"""LIMIT = 3
UNUSED = 4

@decorated
def outer(n):
    def inner():
        return n
    return inner

class Stack:
    size = 1
    def push(self, item):
        return self.size + LIMIT

if LIMIT:
    def late(): pass
"""


def judged(line, fate=Fate.SURVIVED, *, tests=(), by="", path="calc.py"):
    mutant = Mutant(id=f"{path}:{line}", path=path, operator="x", line=line, column=0, end_line=line, end_column=1, original="a",
                    replacement="b", start=0, end=1, function="", scope="function", description="a → b")
    return Judged(mutant=mutant, fate=fate, tests=tests, by=by)


def told(ones):
    targets, none = targets_of(ones, {"calc.py": SOURCE}, is_test=is_test)
    return [(one.owner.function, [each.mutant.line for each in one.mutants], one.tests, one.file) for one in targets], none


def test_functions_that_a_test_can_call_are_outermost_or_methods_decorators_included():
    assert [(one.function, one.first, one.last) for one in owners_of(SOURCE)] == [
        ("outer", 4, 8), ("Stack.push", 12, 13), ("late", 16, 16)]


def test_a_mutant_belongs_to_the_outermost_function_around_it_with_all_tests_that_reach_that():
    ones = [judged(7, tests=("test_a.py::test_one",)), judged(8, Fate.KILLED, by="test_b.py::test_two")]

    assert told(ones) == ([("outer", [7], ("test_a.py::test_one", "test_b.py::test_two"), "test_b.py")], {})


def test_what_stands_outside_of_functions_belongs_to_one_that_uses_its_name():
    assert told([judged(1), judged(2), judged(13, Fate.KILLED, by="test_a.py::t")]) == (
        [("Stack.push", [1], ("test_a.py::t",), "test_a.py")], {"calc.py:2": OUTSIDE})


def test_a_test_goes_to_the_file_that_reaches_the_function_most_and_never_to_product_code():
    tests = ("calc.py::calc.outer", "test_a.py::t1", "test_calc.py::t2", "test_calc.py::t3")

    assert told([judged(7, tests=tests)])[0][0][3] == "test_calc.py"


def test_what_was_noticed_or_ran_out_of_time_needs_no_test():
    assert told([judged(7, Fate.KILLED), judged(8, Fate.TIMEOUT)]) == ([], {})


@pytest.mark.parametrize("source", [b"def (", b"\xff", b"\0", b"(" * 300])
def test_a_file_that_is_not_python_has_no_functions(source):
    assert list(owners_of(source)) == []


def test_a_new_file_takes_a_name_that_is_free():
    taken = {"tests/test_calc.py", "tests/test_calc_2.py"}

    assert new_file("src/calc.py", taken=taken.__contains__, folder="tests") == "tests/test_calc_3.py"
