"""Two versions of a Python test file: what is weaker, and what only looks different."""

from __future__ import annotations

import pytest

from windtunnel.tamper import compare_tests

HEAD = "import pytest\nimport sys\nfrom calc import add, div\n\n"
ADD = "def test_add():\n    assert add(2, 3) == 5\n    assert add(1, 1) == 2\n"
DIV = "def test_div():\n    with pytest.raises(ZeroDivisionError, match='zero'):\n        div(1, 0)\n"
ROWS = "@pytest.mark.parametrize('a, b', [(1, 2), (3, 4), (5, 6)])\ndef test_rows(a, b):\n    assert add(a, 1) == b\n"
CASE = "import unittest\nfrom calc import add\n\nclass TestAdd(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n"
NEAR = HEAD + "def test_near():\n    assert add(0.1, 0.2) == pytest.approx(0.3, abs=1e-6)\n"
OLD = HEAD + ADD + DIV + ROWS
SLOW = HEAD + "@pytest.mark.timeout(5)\n" + ADD


def swap(before: str, after: str, text: str = OLD) -> tuple[str, str]:
    assert before in text
    return text, text.replace(before, after, 1)


WEAKER = [
    (*swap(ADD, ""), {"test-deleted"}),
    (*swap("    assert add(1, 1) == 2\n", ""), {"assert-removed"}),
    (*swap("assert add(1, 1) == 2", "add(1, 1)"), {"assert-removed"}),
    (*swap("== 5", "== 6"), {"expected-changed"}),
    (*swap("== 5", ">= 5"), {"assert-weakened"}),
    (*swap("add(2, 3) == 5", "add(2, 3) is not None"), {"assert-weakened"}),
    (*swap("add(2, 3) == 5", "isinstance(add(2, 3), int)"), {"assert-weakened"}),
    (*swap("add(2, 3) == 5", "add(2, 3) in (5, 6)"), {"assert-removed"}),
    (*swap("add(2, 3) == 5", "add(2, 3)"), {"assert-weakened"}),
    (*swap("assert add(2, 3) == 5", "assert True"), {"assert-removed"}),
    (*swap("== 5", "== 5 or True"), {"assert-removed"}),
    (*swap("== 5", "== add(2, 3)"), {"assert-removed"}),
    (*swap("== 5", "== pytest.approx(5, abs=10)"), {"assert-weakened"}),
    (*swap("abs=1e-6", "abs=1", NEAR), {"assert-weakened"}),
    (*swap("def test_add", "def _test_add"), {"test-renamed-away"}),
    (*swap("def test_add", "def xtest_add"), {"test-renamed-away"}),
    (*swap("def test_add", "def helper"), {"test-renamed-away"}),
    (*swap("def test_add", "@pytest.mark.skip\ndef test_add"), {"test-skipped"}),
    (*swap("def test_add", "@pytest.mark.skip(reason='later')\ndef test_add"), {"test-skipped"}),
    (*swap("def test_add", "@pytest.mark.xfail\ndef test_add"), {"test-skipped"}),
    (*swap("def test_add", "@pytest.mark.skipif(True, reason='x')\ndef test_add"), {"test-skipped"}),
    (*swap("def test_add", "@pytest.mark.skipif(1 == 1, reason='x')\ndef test_add"), {"test-skipped"}),
    (*swap("def test_add", "@pytest.mark.skipif(sys.platform == 'linux', reason='x')\ndef test_add"), {"test-skipped"}),
    (*swap("def test_add():\n", "def test_add():\n    pytest.skip('later')\n"), {"test-skipped"}),
    (*swap("def test_add():\n", "def test_add():\n    return\n"), {"assert-disabled"}),
    (*swap("def test_add():\n", "def test_add():\n    if sys.argv:\n        return\n"), {"assert-conditional"}),
    (*swap("def test_add():\n", "pytestmark = pytest.mark.skip\ndef test_add():\n"), {"test-skipped"}),
    (*swap("def test_add():\n", "pytest.skip('x', allow_module_level=True)\ndef test_add():\n"), {"test-skipped"}),
    (*swap("def test_add():\n", "__test__ = False\ndef test_add():\n"), {"test-skipped"}),
    (
        *swap(
            "    assert add(2, 3) == 5",
            "    try:\n        assert add(2, 3) == 5\n    except AssertionError:\n        pass",
        ),
        {"assert-disabled"},
    ),
    (*swap("    assert add(2, 3) == 5", "    if False:\n        assert add(2, 3) == 5"), {"assert-disabled"}),
    (*swap("    assert add(2, 3) == 5", "    for _ in []:\n        assert add(2, 3) == 5"), {"assert-disabled"}),
    (*swap("    assert add(2, 3) == 5", "    def check():\n        assert add(2, 3) == 5"), {"assert-disabled"}),
    (*swap("ZeroDivisionError, match='zero'", "Exception, match='zero'"), {"assert-weakened"}),
    (*swap("ZeroDivisionError, match='zero'", "ZeroDivisionError"), {"assert-weakened"}),
    (*swap("        div(1, 0)\n", "        raise ZeroDivisionError('zero')\n"), {"assert-removed"}),
    (*swap(", (5, 6)]", "]"), {"case-removed"}),
    (*swap("(5, 6)", "(5, 7)"), {"case-removed"}),
    (*swap("(5, 6)", "pytest.param(5, 6, marks=pytest.mark.skip)"), {"test-skipped"}),
    (*swap("from calc import add, div", "from calc import div\ndef add(a, b):\n    return 5"), {"subject-replaced"}),
    (*swap("timeout(5)", "timeout(50)", SLOW), {"timeout-raised"}),
    (*swap("@pytest.mark.timeout(5)\n", "", SLOW), {"timeout-raised"}),
    (*swap("assertEqual(add(2, 3), 5)", "assertTrue(add(2, 3))", CASE), {"assert-weakened"}),
    (*swap("assertEqual(add(2, 3), 5)", "assertEqual(add(2, 3), 6)", CASE), {"expected-changed"}),
    (*swap("    def test_add", "    @unittest.skip('x')\n    def test_add", CASE), {"test-skipped"}),
    (
        *swap("    def test_add", "    def assertEqual(self, a, b):\n        pass\n    def test_add", CASE),
        {"assert-redefined"},
    ),
    (*swap("class TestAdd(unittest.TestCase):", "class Add:", CASE), {"test-renamed-away"}),
    (*swap("class TestAdd", "@unittest.expectedFailure\nclass TestAdd", CASE), {"test-skipped"}),
    (
        HEAD + "WANT = 5\ndef test_a():\n    assert add(2, 3) == WANT\n",
        HEAD + "WANT = 6\ndef test_a():\n    assert add(2, 3) == WANT\n",
        {"expected-changed"},
    ),
    (
        HEAD + "def test_a():\n    data = [3, 1]\n    assert sorted(data) == [1, 3]\n",
        HEAD + "def test_a():\n    data = []\n    assert sorted(data) == []\n",
        {"assert-removed"},
    ),
    (
        "def test_a(m):\n    m.assert_called_once_with(3)\n",
        "def test_a(m):\n    m.assert_called()\n",
        {"assert-weakened"},
    ),
    (
        "def check(x):\n    assert x == 5\ndef test_a():\n    check(f(1))\n",
        "def check(x):\n    pass\ndef test_a():\n    check(f(1))\n",
        {"assert-removed"},
    ),
]
SAME = [
    swap("assert add(2, 3) == 5", "result = add(2, 3)\n    assert result == 5"),
    swap("assert add(2, 3) == 5", "assert 5 == add(2, 3), 'five'"),
    swap(ADD, ADD + "    assert add(7, 7) == 14\n"),
    swap(ADD, ADD + "\ndef test_more():\n    assert add(0, 0) == 0\n"),
    swap(ADD, "def test_add_big():\n    assert add(2, 3) == 5\n\ndef test_add_small():\n    assert add(1, 1) == 2\n"),
    swap("def test_add()", "def test_addition()"),
    swap("def test_add()", "def test_add() -> None"),
    swap("(5, 6)]", "(5, 6), (7, 8)]"),
    swap("'a, b', [(1, 2), (3, 4), (5, 6)]", "('left', 'right'), [\n    (1, 2),\n    (3, 4),\n    (5, 6),\n]"),
    swap("test_rows(a, b):\n    assert add(a, 1) == b", "test_rows(a, b):\n    got = add(a, 1)\n    assert got == b"),
    swap(
        ADD,
        "@pytest.mark.parametrize('a, b, c', [(2, 3, 5), (1, 1, 2)])\ndef test_add(a, b, c):\n    assert add(a, b) == c\n",
    ),
    swap(
        ADD,
        "def check(a, b, c):\n    assert add(a, b) == c\n\ndef test_add():\n    check(2, 3, 5)\n    check(1, 1, 2)\n",
    ),
    swap(ADD, "def test_add():\n    for a, b, c in [(2, 3, 5), (1, 1, 2)]:\n        assert add(a, b) == c\n"),
    swap("import pytest\nimport sys\n", "import sys\n\nimport pytest\n"),
    swap("def test_add", "@pytest.mark.slow\ndef test_add"),
    swap("def test_add", "@pytest.mark.skipif(sys.platform == 'win32', reason='x')\ndef test_add"),
    swap("def test_add():\n", "def test_add(tmp_path):\n    (tmp_path / 'x').write_text('')\n"),
    swap("def test_add():\n", "def test_add():\n    '''Adds.'''\n    print('adding')\n"),
    swap("assert add(2, 3) == 5\n    assert add(1, 1) == 2", "assert add(2, 3) == 5 and add(1, 1) == 2"),
    swap("assert add(2, 3) == 5\n    assert add(1, 1) == 2", "assert add(1, 1) == 2\n    assert add(2, 3) == 5"),
    swap("timeout(5)", "timeout(2)", SLOW),
    swap("abs=1e-6", "abs=1e-9", NEAR),
    swap("self.assertEqual(add(2, 3), 5)", "assert add(2, 3) == 5", CASE),
    swap("self.assertEqual(add(2, 3), 5)", "self.assertEqual(add(2, 3), 5, msg='sum')", CASE),
    swap("    def test_add", "    def setUp(self):\n        self.x = 1\n\n    def test_add", CASE),
    swap(CASE, "from calc import add\n\ndef test_add():\n    assert add(2, 3) == 5\n", CASE),
    ("def test_a():\n    assert 1 in f()\n", "def test_a():\n    assert f() == [1, 2]\n"),
    ("def test_a():\n    assert f() is not None\n", "def test_a():\n    assert f() == 4\n"),
    ("def test_a():\n    assert f()\n", "def test_a():\n    assert f() == 4\n"),
    (
        "def test_a():\n    with pytest.raises(Exception):\n        f()\n",
        "def test_a():\n    with pytest.raises(ValueError, match='x'):\n        f()\n",
    ),
    (
        "def test_a():\n    x = f()\n    assert x.y == 1\n",
        "def test_a():\n    result = f()\n    assert result.y == 1\n",
    ),
    ("class TestA:\n    def test_a(self):\n        assert f() == 1\n", "def test_a():\n    assert f() == 1\n"),
    ("def test_a():\n    f()\n", "def test_runs_without_an_error():\n    f()\n"),
    (
        "def test_a():\n    try:\n        f()\n    except ValueError:\n        pass\n    assert g() == 2\n",
        "def test_a():\n    with suppress(ValueError):\n        f()\n    assert g() == 2\n",
    ),
    ("@pytest.mark.skip\ndef test_a():\n    assert f() == 1\n", "def test_a():\n    assert f() == 1\n"),
    ("def test_a():\n    if x:\n        assert f() == 1\n", "def test_a():\n    assert f() == 1\n"),
    ("def test_a():\n    assert f(1) == 2\n", "async def test_a():\n    assert f(1) == 2\n"),
    (
        "import mock\ndef test_a():\n    assert f() == 1\n",
        "from unittest import mock\ndef test_a():\n    with mock.patch('x.y'):\n        assert f() == 1\n",
    ),
]
WEAKER += [
    (
        "T = {'a': 1, 'b': 2}\ndef test_a():\n    assert f() == T\n",
        "T = {'a': 1, 'b': 3}\ndef test_a():\n    assert f() == T\n",
        {"case-removed"},
    ),
    (
        "T = [1, 2, 3, 4]\ndef test_a():\n    assert f() == T\n",
        "T = [1, 2, 3, 5]\ndef test_a():\n    assert f() == T\n",
        {"case-removed"},
    ),
]
SAME = [
    (
        "T = {'a': 1}\ndef test_a():\n    assert f(T['a']) == 1\n",
        "T = {'a': 1, 'b': 2}\ndef test_a():\n    assert f(T['a']) == 1\n",
    ),
    (
        "def test_a():\n    text = 'a\\n'\n    assert f(f'{text}') == 1\n",
        "def test_a():\n    word = 'a\\n'\n    assert f(f'{word}') == 1\n",
    ),
    (
        "@pytest.mark.parametrize('x', load())\ndef test_a(x):\n    assert f(x) == 1\n",
        "@pytest.mark.parametrize('x', load(more=2))\ndef test_a(x):\n    assert f(x) == 1\n",
    ),
    *SAME,
]


def blocked(old: str, new: str | None) -> set[str]:
    found = compare_tests("tests/test_calc.py", old.encode(), None if new is None else new.encode())
    return {each.rule for each in found if each.severity == "block"}


@pytest.mark.parametrize(
    ("old", "new", "rules"), WEAKER, ids=[f"{index}-{'-'.join(row[2])}" for index, row in enumerate(WEAKER)]
)
def test_a_test_that_demands_less_is_blocked(old, new, rules):
    assert blocked(old, new) == rules


@pytest.mark.parametrize(("old", "new"), SAME, ids=range(len(SAME)))
def test_a_test_that_demands_as_much_is_let_through(old, new):
    assert blocked(old, new) == set()


def test_a_deleted_file_names_every_test_that_is_gone():
    found = compare_tests("tests/test_calc.py", OLD.encode(), None)

    assert [(each.rule, each.message) for each in found] == [
        ("test-deleted", "test_add is gone"),
        ("test-deleted", "test_div is gone"),
        ("test-deleted", "test_rows is gone"),
    ]


def test_a_file_that_can_no_longer_be_read_has_no_tests():
    assert blocked(OLD, "def (") == {"test-deleted"}


def test_a_new_mock_in_an_old_test_is_shown():
    old, new = SAME[-1]

    found = compare_tests("tests/test_calc.py", old.encode(), new.encode())

    assert [(each.rule, each.severity) for each in found] == [("test-mocked", "show")]
