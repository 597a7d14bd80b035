"""Equal problems together, followers marked, roots first."""

from __future__ import annotations

import pytest

from windtunnel.core.problem import Place, Problem, ProblemKind
from windtunnel.diagnosis import problems_in
from windtunnel.diagnosis.clusters import clusters
from windtunnel.diagnosis.normal import normal
from windtunnel.diagnosis.values import values

TWO_TESTS = """\
=================================== FAILURES ===================================
____________________________________ test_a ____________________________________
test_a.py:4: in test_a
    first([])
cart.py:2: in first
    return items[0]
E   IndexError: list index out of range
____________________________________ test_b ____________________________________
test_a.py:8: in test_b
    first([])
cart.py:2: in first
    return items[0]
E   IndexError: list index out of range
=========================== short test summary info ============================
FAILED test_a.py::test_a - IndexError: list index out of range
FAILED test_a.py::test_b - IndexError: list index out of range
"""
FOLLOWED = """\
Main.java:1: error: package shop does not exist
import shop.Cart;
           ^
Main.java:3: error: cannot find symbol
    Cart cart;
    ^
  symbol:   class Cart
  location: class Main
Main.java:9: error: incompatible types: String cannot be converted to int
    int a = "x";
            ^
3 errors
"""


def test_two_tests_that_fail_by_one_cause_are_one_cluster():
    (cluster,) = clusters(problems_in(TWO_TESTS))

    assert (cluster.first.kind, cluster.first.place, cluster.tests) == (
        "index", Place(file="cart.py", line=2, symbol="first"), ("test_a.py::test_a", "test_a.py::test_b"))


def test_a_name_that_is_missing_because_its_import_failed_is_marked_and_others_are_not():
    first, other, then = (cluster.first for cluster in clusters(problems_in(FOLLOWED)))

    assert (first.kind, other.kind, then.kind, other.caused_by, then.caused_by) == (
        "import", "type", "name", "", first.fingerprint)


def test_what_comes_after_a_syntax_error_in_its_file_is_marked():
    text = ("a.ts(2,1): error TS1005: ';' expected.\na.ts(4,1): error TS2304: Cannot find name 'x'.\n"
            "b.ts(1,1): error TS2304: Cannot find name 'y'.\n")

    told = [(one.place.file, one.place.line, bool(one.caused_by)) for one in (c.first for c in clusters(problems_in(text)))]

    assert told == [("a.ts", 2, False), ("b.ts", 1, False), ("a.ts", 4, True)]


def test_what_keeps_everything_from_running_comes_first_and_warnings_last():
    kinds = [ProblemKind.ASSERTION, ProblemKind.UNUSED, ProblemKind.SYNTAX, ProblemKind.CONFIGURATION]
    given = [Problem(kind=kind, message=str(kind), severity="warning" if kind is ProblemKind.UNUSED else "error")
             for kind in kinds]

    assert [str(cluster.first.kind) for cluster in clusters(given)] == ["configuration", "syntax", "assertion", "unused"]


def test_the_fingerprint_outlives_other_lines_and_other_numbers():
    one = Problem(kind="key", message="no key 3", normal=normal("no key 3"), place=Place(file="a.py", line=3, symbol="f"))
    moved = Problem(kind="key", message="no key 4", normal=normal("no key 4"), place=Place(file="a.py", line=9, symbol="f"))
    other = Problem(kind="key", message="no key 4", normal=normal("no key 4"), place=Place(file="b.py", line=9, symbol="f"))

    assert (one.fingerprint == moved.fingerprint, one.fingerprint == other.fingerprint) == (True, False)


@pytest.mark.parametrize(("message", "expected"), [
    ("name 'totl' is not defined", "name <name> is not defined"),
    ("[Errno 2] No such file or directory: '/srv/a/b.txt'", "[Errno <number>] No such file or directory: <name>"),
    ("object at 0x7f3a2b of 17 items", "object at <address> of <number> items"),
    ("cannot open /srv/a/b.txt today", "cannot open <path> today"),
    ("a test of 2026-01-02T03:04:05Z", "a test of <time>"),
    ("plain words stay", "plain words stay"),
])
def test_a_normal_message_has_marks_for_its_own_parts(message, expected):
    assert normal(message) == expected


@pytest.mark.parametrize(("message", "expected"), [
    ("assert 3 == 4\n +  where 3 = f()", ("4", "3")), ("3 != 4", ("4", "3")),
    ("expect(received).toBe(expected)\n\nExpected: 4\nReceived: 3", ("4", "3")),
    ("expected:<4> but was:<3>", ("4", "3")), ("expected: <4> but was: <3>", ("4", "3")),
    ("assertion `left == right` failed\n  left: 3\n right: 4", ("4", "3")), ("got 3, want 4", ("4", "3")),
    ("Type 'string' is not assignable to type 'number'.", ("number", "string")),
    ("incompatible types: String cannot be converted to int", ("int", "String")),
    ("mismatched types\nexpected `i32`, found `&str`", ("i32", "&str")),
    ("area() takes 1 positional argument but 2 were given", ("1", "2")), ("nothing of that", (None, None)),
])
def test_expected_and_actual_values_are_read_where_a_message_tells_them(message, expected):
    assert values(message) == expected
