"""Tests told again: copies with one other input, and the answer left alone."""

from __future__ import annotations

import ast

from windtunnel.core.trial import ExecutionTestResult, Status
from windtunnel.tamper.retold import Edit, edited, others
from windtunnel.tamper.retold_python import retell_python
from windtunnel.tamper.retold_script import retell_script
from windtunnel.tamper.retold_tests import retell, title_of
from windtunnel.tamper.tokens import tokens


def copies_of(retold, name):
    """The bodies of the copies of a Python test, by number."""
    tree = ast.parse(retold.data)
    return {node.name.rpartition("_")[2]: ast.unparse(node) for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef) and node.name.startswith(f"{name}_retold_")}  # fmt: skip


def test_the_first_copy_changes_nothing_and_the_others_one_input():
    retold = retell_python("test_a.py", b"def test_a():\n    assert price(20) == 7\n", ["test_a"])

    copies = copies_of(retold, "test_a")
    assert copies["1"] == "def test_a_retold_1():\n    assert price(20) == 7"
    assert copies["2"] == "def test_a_retold_2():\n    assert price(21) == 7"
    assert [(copy.before, copy.after) for copy in retold.copies[:3]] == [(None, None), (20, 21), (20, 19)]
    assert retold.copies[0].wanted == (7,)


def test_each_claim_of_a_test_is_asked_alone():
    retold = retell_python("test_a.py", b"def test_a():\n    assert f(20) == 7\n    assert f(30) == 8\n", ["test_a"])

    plain = [copies_of(retold, "test_a")[str(copy.number)] for copy in retold.copies if copy.before is None]
    assert [text.partition("\n")[2] for text in plain] == [
        "    assert f(20) == 7\n    pass", "    pass\n    assert f(30) == 8"]  # fmt: skip


def test_each_row_of_a_table_is_asked_alone_wherever_the_table_stands():
    text = b"""import pytest
ROWS = [("ab1", 4), ("cd2", 5)]


@pytest.mark.parametrize(("given", "wanted"), ROWS)
def test_a(given, wanted):
    assert f(given) == wanted
"""
    retold = retell_python("test_a.py", text, ["test_a"])

    copies = copies_of(retold, "test_a")
    tables = [copies[str(copy.number)].partition("\n")[0] for copy in retold.copies if copy.before is None]
    assert tables == [f"@pytest.mark.parametrize(('given', 'wanted'), [{row}])" for row in ("('ab1', 4)", "('cd2', 5)")]
    assert {copy.wanted for copy in retold.copies} == {(4,), (5,)}


def test_a_name_is_changed_everywhere_in_its_test():
    retold = retell_python("test_a.py", b"def test_a():\n    assert order('zoe', 'mia') == ['zoe', 'mia']\n", ["test_a"])

    copy = next(copy for copy in retold.copies if copy.before == "zoe" and copy.after == "mia")
    assert (copy.places, copy.echoed) == (2, True)
    assert "order('mia', 'mia') == ['mia', 'mia']" in copies_of(retold, "test_a")[str(copy.number)]


def test_what_a_date_is_made_of_in_an_answer_stays():
    retold = retell_python("test_a.py", b"def test_a():\n    assert easter(2024) == date(2024, 3, 31)\n", ["test_a"])

    assert {copy.before for copy in retold.copies} == {None, 2024}
    assert all("date(2024, 3, 31)" in text for text in copies_of(retold, "test_a").values())


def test_a_method_is_copied_into_its_class():
    text = b"class T(TestCase):\n    def test_a(self):\n        self.assertEqual(f(20), 7)\n\n    def test_b(self):\n        pass\n"
    retold = retell_python("test_a.py", text, ["test_a"])

    (made,) = ast.parse(retold.data).body
    assert [each.name for each in made.body][:3] == ["test_a", "test_a_retold_1", "test_a_retold_2"]
    assert made.body[-1].name == "test_b"


def test_a_test_without_an_input_is_not_told_again():
    assert retell_python("test_a.py", b"def test_a():\n    assert f() == 7\n", ["test_a"]) is None


def test_what_is_no_python_is_not_told_again():
    assert retell_python("test_a.py", b"def test_a(:\n", ["test_a"]) is None


def test_a_script_is_copied_with_other_inputs_under_other_titles():
    text = b"test('seven', () => assert.equal(ways(7), 9));\ntest('other', () => assert.equal(ways(3), 2));\n"
    retold = retell_script("a.test.js", text, ["seven"])

    lines = retold.data.decode().splitlines()
    assert lines[:3] == [
        "test('seven', () => assert.equal(ways(7), 9));",
        'test("seven retold_1", () => assert.equal(ways(7), 9));',
        'test("seven retold_2", () => assert.equal(ways(8), 9));',
    ]
    assert lines[-1] == "test('other', () => assert.equal(ways(3), 2));"


def test_each_claim_of_a_script_is_asked_alone():
    text = b"it('a', () => {\n  assert.equal(f('x1y'), 2);\n  expect(f('z2')).toBe(3);\n});\n"
    retold = retell_script("a.test.js", text, ["a"])

    copies = retold.data.decode().split(";\nit(")
    plain = [copies[copy.number] for copy in retold.copies if copy.before is None]
    assert [text.partition("\n")[2].splitlines()[:2] for text in plain] == [
        ["  assert.equal(f('x1y'), 2);", "  0;"], ["  0;", "  expect(f('z2')).toBe(3);"]]  # fmt: skip


def test_names_of_modules_and_keys_are_no_inputs():
    text = b"it('a', async () => {\n  const m = await import('./m.js');\n  assert.equal(m.f({ 'k': 25 }), 2);\n});\n"
    retold = retell_script("a.test.js", text, ["a"])

    assert {copy.before for copy in retold.copies} == {None, 25}


def test_tokens_know_where_they_stand():
    text = "a = `x${b}` + 'c'"

    assert [(token.text, text[token.start : token.end]) for token in tokens(text) if token.start >= 0] == [
        ("a", "a"), ("=", "="), ("`x${b}`", "`x${b}`"), ("+", "+"), ("c", "'c'")]  # fmt: skip


def test_other_values_are_like_the_first_and_never_the_same():
    assert others(20)[:4] == [21, 19, 22, 30]
    assert others(2.5)[:3] == [3.5, 1.5, 3.0]
    assert others("ab", ["ab", "cd", "not a word"])[:2] == ["cd", "bb"]
    assert others(b"a1")[0] == b"b1"
    assert all(value not in others(value) for value in (20, 2.5, "ab", b"a1", "", "é"))


def test_of_edits_that_overlap_the_first_stands():
    edits = [Edit(start=2, end=3, text="y"), Edit(start=0, end=4, text="x")]

    assert edited("abcdef", edits) == "xef"


def test_files_are_told_again_by_their_language_and_titles_found_in_names():
    tests = {"test_a.py": b"def test_a():\n    assert f(20) == 7\n", "b.test.js": b"test('b', () => t.is(f(20), 7))"}
    fixed = [ExecutionTestResult(id=name, status=Status.FAILED, path=path) for name, path in (
        ("test_a.py::test_a", "test_a.py"), ("b.test.js > b", "b.test.js"), ("gone.py::test_x", "gone.py"))]  # fmt: skip

    assert [file.path for file in retell(tests, fixed)] == ["test_a.py", "b.test.js"]
    assert [title_of(name) for name in ("a.py::T::test_x[1-2]", "pkg.a.T.test_x", "a.js > group > says it #2")] == [
        "test_x", "test_x", "says it"]  # fmt: skip
