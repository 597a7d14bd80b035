"""Scripts written to keep their reader busy: every rule stays bounded, whatever is repeated or nested."""

from __future__ import annotations

import time

import pytest

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.tamper import compare_tests, scan

TESTS = {"test/a.test.js": b"test('a', () => { assert.deepEqual(f(1), 2); });"}
PRODUCT = [
    "process.argv ", "x.stack = ", "new Error().stack.includes('a') + ", "class A { ", "class A { equals(o) { ", "if (process.argv ",
    "class A { constructor() { this.x = 1; } ", "new Proxy({}, { get() { ", "const a = (b) => process.argv(", "import('assert').then(a => ",
    "function f(x) { if (process.argv) { ", "switch (x) { case 5: case 6: ", "new Map([[", "const T = { 'a b': 1, ", "foo === 'a b' ? 'c d' : ", "eval(",
]  # fmt: skip
IN_TESTS = [
    "for (const a of [", "test.each([[", "if (a) {", "[1].forEach((a) => {", "function f(a) { f(a);", "const f = (a) => f(f(a", "String(", "...[",
    "it('a', () => { for (const x of [1, 2, 3]) {", "expect(a).not.", "beforeEach(() => { a = a;", "describe('a', () => {", "const { a: [",
]  # fmt: skip
SECONDS = 15
"""Far above what it takes, and far below what an unbounded rule would."""


@pytest.mark.parametrize("unit", PRODUCT)
def test_a_repetition_in_the_product_is_read_in_bounded_time(unit):
    text = unit * (20_000 // len(unit))
    begun = time.process_time()

    scan(ChangeSet(changes=(FileChange("src/a.js", "modify", text),)), before={"src/a.js": b"x = 1\n"}.get, tests=TESTS)

    assert time.process_time() - begun < SECONDS


@pytest.mark.parametrize("unit", IN_TESTS)
def test_a_repetition_in_a_test_is_read_in_bounded_time(unit):
    text = "it('a', () => { " + unit * (20_000 // len(unit))
    begun = time.process_time()

    compare_tests("test/a.test.js", TESTS["test/a.test.js"], text.encode())

    assert time.process_time() - begun < SECONDS


def test_a_table_with_more_rows_than_are_walked_still_counts():
    rows = ", ".join(f"[{n}, {n + 1}]" for n in range(1000))
    old = f"for (const [a, b] of [{rows}]) {{ test(`${{a}}`, () => assert.equal(f(a), b)); }}\n"

    found = compare_tests("test/a.test.js", old.encode(), old.replace("[7, 8], ", "").encode())

    assert [each.rule for each in found if each.severity == "block"] != []
