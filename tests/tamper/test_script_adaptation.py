"""Tests in JavaScript that follow a renamed thing: the same claims under the new name, and nothing less."""

from __future__ import annotations

import pytest

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.tamper import Sides, adapted, removed_names

PRODUCT = """export class Span {
  constructor(start, end) { this.start = start; this.end = end; }
  contains(number) { return number >= this.start && number < this.end; }
}
export function union(spans) { return spans; }
export function without(span, other) { return [span, other]; }
"""
TESTS = """import { test } from 'node:test';
import assert from 'node:assert/strict';
import { Span, union, without } from '../src/span.js';

test('one of two', () => { assert.deepEqual(union([new Span(1, 3), new Span(3, 6)]), [new Span(1, 6)]); });
test('a hole', () => { assert.deepEqual(without(new Span(0, 9), new Span(3, 5)), [new Span(0, 3), new Span(5, 9)]); });
test('the end', () => { assert.equal(new Span(2, 5).contains(5), false); });
"""
RENAMES = [
    {"union": "merge"},
    {"union": "merge", "without": "except"},
    {"Span": "Interval"},
    {"contains": "has"},
    {"union": "merge", "Span": "Interval", "contains": "has"},
]
LESS = [
    TESTS.replace("union", "merge").replace("new Span(1, 6)", "new Span(1, 3), new Span(3, 6)"),
    TESTS.replace("union", "merge").replace("test('a hole'", "test.skip('a hole'"),
    TESTS.replace("union", "merge").replace("deepEqual(merge(", "ok(merge("),
    TESTS.replace("{ Span, union,", "{ Span,").replace("test('one", "const merge = () => [new Span(1, 6)];\ntest('one").replace("union(", "merge("),
    TESTS.replace("union", "merge").replace("../src/span.js", "./span.js"),
    TESTS.replace("assert.deepEqual(union(", "assert.deepEqual(Array("),
    TESTS.replace("union", "without"),
]


def renamed(text: str, names: dict[str, str]) -> str:
    for old, new in names.items():
        text = text.replace(old, new)
    return text


def follows(product: str, tests: str, path: str = "src/span.js") -> bool:
    changes = ChangeSet(changes=(FileChange(path, "modify", product),))
    removed = removed_names(changes, Sides.of(changes, before={path: PRODUCT.encode()}.get))
    return bool(adapted(TESTS.encode(), tests.encode(), path="test/span.test.js", removed=removed))


@pytest.mark.parametrize("names", RENAMES, ids=lambda names: " ".join(names.values()))
def test_a_test_may_follow_functions_classes_and_methods_with_new_names(names):
    assert follows(renamed(PRODUCT, names), renamed(TESTS, names))


def test_imports_need_not_stand_in_the_same_order():
    new = renamed(TESTS, {"union": "zip"}).replace("{ Span, zip, without }", "{ Span, without, zip }")

    assert follows(renamed(PRODUCT, {"union": "zip"}), new)


def test_titles_and_groups_may_change_with_a_name():
    new = renamed(TESTS, {"union": "merge"}).replace("test('one of two'", "test('merge joins two'")

    assert follows(renamed(PRODUCT, {"union": "merge"}), new)


@pytest.mark.parametrize("tests", LESS, ids=range(len(LESS)))
def test_a_test_that_claims_less_under_the_new_name_does_not_follow(tests):
    assert not follows(renamed(PRODUCT, {"union": "merge"}), tests)


def test_a_name_that_is_still_there_cannot_be_followed():
    assert not follows(PRODUCT + "export const merge = union;\n", renamed(TESTS, {"union": "merge"}))
