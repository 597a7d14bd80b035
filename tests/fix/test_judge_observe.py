"""What is seen of a project's tests: which fail, what they ran, what their locals were; in a real sandbox."""

from __future__ import annotations

import pytest
from judging import CODE, FAILING, PASSING, TESTS, judge_for, odd, write

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
SHOP = """LIMIT = 10


def price(count, each):
    total = count * each
    if total > LIMIT:
        total = rebate(total)
    return total


def rebate(
    total,
):
    part = total / 0
    return total - part


def unused(value):
    return value
"""
SHOP_TESTS = """import shop


def test_small():
    assert shop.price(1, 2) == 2


def test_rebate():
    assert shop.price(4, 5) == 18


def test_large():
    assert shop.price(3, 2.5) == 7.5
"""


def observed(tunnel, project, *, test="pytest", **options):
    """What is seen once."""
    with judge_for(tunnel, project, test=test) as judge:
        return judge.observe(**options)


def test_which_tests_fail_pass_and_are_skipped_is_seen(tunnel, tmp_path):
    more = "\n\nimport pytest\n\n\n@pytest.mark.skip\ndef test_not():\n    assert False\n\n\n@pytest.mark.xfail\ndef test_known():\n    assert False\n"

    seen = observed(tunnel, odd(tmp_path, tests=TESTS + more))

    assert (seen.failing, seen.passing, seen.skipped) == ((FAILING,), (PASSING, "test_odd.py::test_known"), ("test_odd.py::test_not",))


def test_statements_that_only_failing_tests_ran_come_first(tunnel, tmp_path):
    seen = observed(tunnel, write(tmp_path, {"shop.py": SHOP, "test_shop.py": SHOP_TESTS}))

    places = [(one.path, one.line, one.failing, one.passing) for one in seen.suspicions]
    assert places[:2] == [("shop.py", 14, 1, 0), ("shop.py", 7, 1, 0)]
    assert sorted(places[2:]) == [("shop.py", 1, 1, 2), ("shop.py", 5, 1, 2), ("shop.py", 6, 1, 2), ("shop.py", 8, 0, 2)][:3]


def test_scores_are_those_of_ochiai_with_the_trace(tunnel, tmp_path):
    seen = observed(tunnel, write(tmp_path, {"shop.py": SHOP, "test_shop.py": SHOP_TESTS}))

    assert {one.line: one.score for one in seen.suspicions} == {14: 1.25, 7: 1.1, 5: 0.57735, 6: 0.57735, 1: 0.288675}


def test_types_are_those_of_locals_in_failing_tests(tunnel, tmp_path):
    seen = observed(tunnel, write(tmp_path, {"shop.py": SHOP, "test_shop.py": SHOP_TESTS}))

    assert seen.types == {"shop.py:4": {"count": ("int",), "each": ("int",), "total": ("int",)}, "shop.py:11": {"total": ("int",)}}


def test_a_decorated_function_is_known_by_the_line_of_its_def(tunnel, tmp_path):
    code = "import functools\n\n\ndef plain(act):\n    return functools.wraps(act)(lambda a: act(a))\n\n\n@plain\n@plain\ndef act(a):\n    return [a]\n"

    seen = observed(tunnel, odd(tmp_path, code=code, tests="import odd\n\n\ndef test_act():\n    assert odd.act('x') == 1\n"))

    assert seen.types == {"odd.py:10": {"a": ("str",)}}


def test_an_endless_test_fails_where_it_loops(tunnel, tmp_path):
    code = "def act(a):\n    while a:\n        a += 1\n    return a\n\n\ndef other(a):\n    return a * 2\n"

    seen = observed(tunnel, odd(tmp_path, code=code), test_seconds=0.3)

    assert (seen.failing, seen.passing, seen.late) == ((FAILING,), (PASSING,), {FAILING})
    assert {one.line for one in seen.suspicions[:2]} == {2, 3}


def test_a_test_that_ends_its_process_fails_and_the_others_are_seen(tunnel, tmp_path):
    tests = "import os\n\n\ndef test_gone():\n    os._exit(0)\n\n\n" + TESTS

    seen = observed(tunnel, odd(tmp_path, tests=tests))

    assert (seen.failing, seen.passing) == (("test_odd.py::test_gone", FAILING), (PASSING,))


def test_a_file_that_does_not_load_is_named_with_its_reason(tunnel, tmp_path):
    seen = observed(tunnel, odd(tmp_path, code="import nothing_there\n", **{"test_more.py": "def test_more():\n    assert True\n"}))

    assert (seen.failing, seen.passing) == (("test_odd.py",), ("test_more.py::test_more",))
    assert seen.broken == {"test_odd.py": "ModuleNotFoundError: No module named 'nothing_there'"}


def test_known_failures_are_looked_at_with_those_near_them(tunnel, tmp_path):
    seen = observed(tunnel, odd(tmp_path, **{"test_odd.py": TESTS, "test_more.py": "def test_more():\n    assert False\n"}), failing=(FAILING,))

    assert (seen.failing, seen.passing, bool(seen.suspicions)) == ((FAILING,), (PASSING,), True)


def test_tests_that_start_processes_or_read_the_code_are_known(tunnel, tmp_path):
    tests = TESTS + ("\n\nimport subprocess\nimport sys\n\n\ndef test_starts():\n    subprocess.run([sys.executable, '-c', ''], check=True)\n\n\n"
                     "def test_reads():\n    assert open('odd.py').read()\n")

    seen = observed(tunnel, odd(tmp_path, tests=tests))

    assert seen.spawning == {"test_odd.py::test_starts", "test_odd.py::test_reads"}


def test_names_that_can_be_imported_are_known(tunnel, tmp_path):
    seen = observed(tunnel, odd(tmp_path, **{"own/__init__.py": ""}))

    assert {"odd", "own", "pytest"} <= set(seen.packages)


def test_a_project_whose_tests_cannot_be_collected_is_seen_as_such(tunnel, tmp_path):
    seen = observed(tunnel, odd(tmp_path, **{"conftest.py": "import os\nos._exit(3)\n"}))

    assert (seen.failing, seen.passing, seen.notes) == ((), (), ("the tests could not be collected (lost)",))


def test_unittest_shows_the_same(tunnel, tmp_path):
    tests = ("import unittest\nimport odd\n\n\nclass TestOdd(unittest.TestCase):\n    def test_act(self):\n        self.assertEqual(odd.act(1), 2)\n\n"
             "    def test_other(self):\n        self.assertEqual(odd.other(2), 4)\n\n    @unittest.skip('no')\n    def test_not(self):\n        self.fail()\n")

    seen = observed(tunnel, odd(tmp_path, code=CODE, tests=tests), test="python -m unittest")

    assert (seen.failing, seen.passing, seen.skipped) == (("test_odd.TestOdd.test_act",), ("test_odd.TestOdd.test_other",), ("test_odd.TestOdd.test_not",))
    assert [(one.path, one.line) for one in seen.suspicions] == [("odd.py", 6)]
