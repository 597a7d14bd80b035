"""Two versions of a test file in JavaScript or another language."""

from __future__ import annotations

import pytest

from windtunnel.tamper import compare_tests

OLD = """const { add } = require('./add');
jest.setTimeout(1000);
describe('add', () => {
  it('adds', () => {
    expect(add(2, 3)).toBe(5);
    expect(add(1, 1)).toBe(2);
  });
  it('asserts', () => {
    assert.strictEqual(add(1, 2), 3);
  });
  it('throws', () => {
    expect(() => add('a')).toThrow(TypeError);
  });
  it.each([[1, 2, 3], [2, 2, 4]])('adds %i', (a, b, c) => {
    expect(add(a, b)).toBe(c);
  });
  test('is quick', async () => {
    expect(await add(4, 4)).toEqual(8);
  }, 500);
});
"""


def swap(before: str, after: str) -> str:
    assert before in OLD
    return OLD.replace(before, after, 1)


WEAKER = [
    (swap("it('asserts'", "it.skip('asserts'"), {"test-skipped"}),
    (swap("it('asserts'", "xit('asserts'"), {"test-skipped"}),
    (swap("it('asserts'", "it.todo('asserts'"), {"test-skipped"}),
    (swap("it('asserts'", "it.failing('asserts'"), {"test-skipped"}),
    (swap("it('asserts'", "it.only('asserts'"), {"test-skipped"}),
    (swap("it('asserts'", "fit('asserts'"), {"test-skipped"}),
    (swap("describe('add'", "describe.skip('add'"), {"test-skipped"}),
    (swap("describe('add'", "xdescribe('add'"), {"test-skipped"}),
    (swap("it('asserts', () => {", "it('asserts', function () {\n    this.skip();"), {"test-skipped"}),
    (swap("  it('asserts', () => {\n    assert.strictEqual(add(1, 2), 3);\n  });\n", ""), {"test-deleted"}),
    (
        swap(
            "  it('asserts', () => {\n    assert.strictEqual(add(1, 2), 3);\n  });\n",
            "  // it('asserts', () => {\n  //  assert.strictEqual(add(1, 2), 3);\n  // });\n",
        ),
        {"test-deleted"},
    ),
    (swap("    expect(add(1, 1)).toBe(2);\n", ""), {"assert-removed"}),
    (swap("    expect(add(1, 1)).toBe(2);\n", "    // expect(add(1, 1)).toBe(2);\n"), {"assert-removed"}),
    (swap("toBe(5)", "toBe(6)"), {"expected-changed"}),
    (swap("toBe(5)", "toBeDefined()"), {"assert-weakened"}),
    (swap("toBe(5)", "not.toBe(6)"), {"assert-weakened"}),
    (swap("toBe(5)", "toBeGreaterThan(1)"), {"assert-weakened"}),
    (swap("toBe(5)", "toBe(add(2, 3))"), {"expected-changed"}),
    (swap("toThrow(TypeError)", "toThrow()"), {"expected-changed"}),
    (swap("toThrow(TypeError)", "toThrow({ name: 'Error' })"), {"expected-changed"}),
    (swap("assert.strictEqual(add(1, 2), 3)", "assert.ok(add(1, 2))"), {"assert-weakened"}),
    (swap("    expect(add(2, 3)).toBe(5);", "    return;\n    expect(add(2, 3)).toBe(5);"), {"assert-disabled"}),
    (swap("    expect(add(2, 3)).toBe(5);", "    if (false) { expect(add(2, 3)).toBe(5); }"), {"assert-disabled"}),
    (
        swap("    expect(add(2, 3)).toBe(5);", "    try { expect(add(2, 3)).toBe(5); } catch (e) {}"),
        {"assert-disabled"},
    ),
    (swap(", [2, 2, 4]", ""), {"case-removed"}),
    (swap("[2, 2, 4]", "[2, 2, 5]"), {"case-removed"}),
    (swap("}, 500)", "}, 5000)"), {"timeout-raised"}),
    (swap("setTimeout(1000)", "setTimeout(60000)"), {"timeout-raised"}),
]
SAME = [
    OLD.replace("'", '"'),
    OLD.replace("  ", "    "),
    swap("expect(add(2, 3)).toBe(5)", "const sum = add(2, 3);\n    expect(sum).toBe(5)"),
    swap("toBe(5)", "toEqual(5)"),
    swap("toBe(5);", "toBe(5); // five"),
    swap("expect(add(2, 3)).toBe(5);", "expect(\n      add(2, 3),\n    ).toBe(5);"),
    swap("[2, 2, 4]]", "[2, 2, 4], [5, 5, 10]]"),
    swap("it('asserts'", "it('adds negatives', () => { expect(add(-1, -1)).toBe(-2); });\n  it('asserts'"),
    swap("it('asserts'", "it.skip('comes later', () => { expect(add(-1, -1)).toBe(-2); });\n  it('asserts'"),
    swap("it('asserts'", "it('asserts the sum'"),
    swap(
        "    expect(add(1, 1)).toBe(2);\n  });",
        "  });\n  it('adds ones', () => {\n    expect(add(1, 1)).toBe(2);\n  });",
    ),
    swap("require('./add')", "require('../src/add')"),
    swap("jest.setTimeout(1000);\n", "jest.setTimeout(500);\nbeforeEach(() => { jest.resetModules(); });\n"),
    swap("describe('add', () => {", "describe('add', function () {"),
    swap("toThrow(TypeError)", "toThrow({ name: 'TypeError', message: /no number/ })"),
]
IMPORTS = "import { test } from 'node:test';\nimport assert from 'node:assert';\ntest('a', () => { assert.ok(add(1)); });\n"
REPLACED = [
    IMPORTS.replace("'node:test'", "'../src/testing.js'"),
    IMPORTS.replace("'node:assert'", "'../src/check.js'"),
]
OWN = [
    IMPORTS.replace("'node:test'", "'../test/helpers.js'"),
    IMPORTS.replace("'node:test'", "'./helpers.js'"),
    IMPORTS.replace("'node:assert'", "'node:assert/strict'"),
]
GO = ("a_test.go", 'package a\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal("no")\n\t}\n}\n')
RUST = ("src/lib.rs", "#[test]\nfn adds() {\n    assert_eq!(add(1, 2), 3);\n}\n")
JAVA = (
    "src/test/java/AddTest.java",
    "class AddTest {\n  @Test\n  void adds() {\n    assertEquals(3, add(1, 2));\n  }\n}\n",
)
OTHERS = [
    (*GO, GO[1].replace("TestAdd", "testAdd"), {"test-deleted"}),
    (*GO, GO[1].replace("{\n\tif", "{\n\tt.Skip()\n\tif"), {"test-skipped"}),
    (*GO, GO[1].replace('t.Fatal("no")', '// t.Fatal("no")'), {"assert-removed"}),
    (*GO, GO[1] + 'func TestMore(t *testing.T) {\n\tt.Error("http://x")\n}\n', set()),
    (*RUST, RUST[1].replace("#[test]", "#[test]\n#[ignore]"), {"test-skipped"}),
    (*RUST, RUST[1].replace("    assert_eq!(add(1, 2), 3);\n", ""), {"assert-removed"}),
    (*RUST, RUST[1].replace("#[test]\n", ""), {"test-deleted"}),
    (
        *RUST,
        RUST[1].replace("assert_eq!(add(1, 2), 3);", "assert_eq!(add(1, 2), 3);\n    assert_eq!(add(2, 2), 4);"),
        set(),
    ),
    (*JAVA, JAVA[1].replace("@Test", "@Test @Disabled"), {"test-skipped"}),
    (*JAVA, JAVA[1].replace("@Test\n", "\n"), {"test-deleted"}),
    (
        *JAVA,
        JAVA[1].replace("assertEquals(3, add(1, 2));", "assertEquals(3, add(1, 2), 0.1);\n    assertTrue(ok());"),
        set(),
    ),
]
SNAP = "// Jest Snapshot v1\n\nexports[`view 1`] = `<p>one</p>`;\n\nexports[`view 2`] = `<p>two</p>`;\n"
RECORDED = [
    ("a/__snapshots__/a.test.js.snap", SNAP, SNAP.replace("one", "other"), {"snapshot-edited"}),
    (
        "a/__snapshots__/a.test.js.snap",
        SNAP,
        SNAP.replace("exports[`view 2`] = `<p>two</p>`;\n", ""),
        {"snapshot-edited"},
    ),
    ("a/__snapshots__/a.test.js.snap", SNAP, None, {"snapshot-edited"}),
    ("a/__snapshots__/a.test.js.snap", SNAP, SNAP + "\nexports[`view 3`] = `<p>three</p>`;\n", set()),
    (
        "tests/__snapshots__/test_a.ambr",
        "# name: test_a\n  'x'\n# ---\n",
        "# name: test_a\n  'y'\n# ---\n",
        {"snapshot-edited"},
    ),
    (
        "tests/__snapshots__/test_a.ambr",
        "# name: test_a\n  'x'\n# ---\n",
        "# name: test_a\n  'x'\n# ---\n# name: test_b\n  'y'\n# ---\n",
        set(),
    ),
    ("tests/data/expected.json", "{}", '{"a": 1}', {"snapshot-edited"}),
    ("tests/data/input.json", "{}", '{"a": 1}', set()),
]


def blocked(path: str, old: str, new: str | None) -> set[str]:
    found = compare_tests(path, old.encode(), None if new is None else new.encode())
    return {each.rule for each in found if each.severity == "block"}


@pytest.mark.parametrize(("new", "rules"), WEAKER, ids=range(len(WEAKER)))
def test_a_script_that_demands_less_is_blocked(new, rules):
    assert blocked("add.test.js", OLD, new) == rules


@pytest.mark.parametrize("new", SAME, ids=range(len(SAME)))
def test_a_script_that_demands_as_much_is_let_through(new):
    assert blocked("add.test.ts", OLD, new) == set()


@pytest.mark.parametrize(("path", "old", "new", "rules"), OTHERS, ids=range(len(OTHERS)))
def test_other_languages_are_compared_by_what_their_text_shows(path, old, new, rules):
    assert blocked(path, old, new) == rules


@pytest.mark.parametrize(("path", "old", "new", "rules"), RECORDED, ids=range(len(RECORDED)))
def test_a_recorded_answer_may_be_added_but_not_edited(path, old, new, rules):
    assert blocked(path, old, new) == rules


@pytest.mark.parametrize("new", REPLACED)
def test_a_test_function_that_now_comes_from_the_product_is_blocked(new):
    assert blocked("test/a.test.js", IMPORTS, new) == {"runner-replaced"}


@pytest.mark.parametrize("new", OWN)
def test_a_test_function_may_come_from_a_helper_of_the_tests(new):
    assert blocked("test/a.test.js", IMPORTS, new) == set()


def test_a_deleted_script_names_its_tests():
    found = compare_tests("add.test.js", b"test('a', () => { expect(f(1)).toBe(2); });\ntest('b', () => {});\n", None)

    assert [(each.rule, each.message) for each in found] == [
        ("test-deleted", "a is gone"),
        ("test-deleted", "b is gone"),
    ]
