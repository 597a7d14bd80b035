"""Tests in JavaScript and TypeScript that were rewritten: what they claim is compared, not how they are written."""

from __future__ import annotations

import pytest

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.tamper import compare_tests, scan
from windtunnel.tamper.script_blocks import ScriptSuite

OLD = """import { test } from 'node:test';
import assert from 'node:assert/strict';
import { Span, cut, join } from '../src/text.js';

test('cuts', () => {
  assert.equal(cut('some long words', 9), 'some lon~');
  assert.equal(cut('short', 9), 'short');
});

test('joins', () => {
  const joined = join(['a', 'b'], { by: '-' });

  assert.deepEqual(joined, ['a-b']);
});

test('refuses', () => {
  assert.throws(() => cut('a', 0), RangeError);
});

test('has a length', () => {
  assert.equal(new Span(2, 5).length, 3);
  assert.equal(String(new Span(2, 5)), '2 to 5');
});
"""
HEAD = "import { test } from 'node:test';\nimport assert from 'node:assert/strict';\nimport { Span, cut, join } from '../src/text.js';\n"
JOINS = "test('joins', () => { assert.deepEqual(join(['a', 'b'], { by: '-' }), ['a-b']); });\n"
REFUSES = "test('refuses', () => { assert.throws(() => cut('a', 0), RangeError); });\n"
LENGTH = "test('long', () => { const span = new Span(2, 5); assert.equal(span.length, 3); assert.equal(span.toString(), '2 to 5'); });\n"
CUTS = "test('cuts', () => { assert.equal(cut('some long words', 9), 'some lon~'); assert.equal(cut('short', 9), 'short'); });\n"
REST = JOINS + REFUSES + LENGTH
ROWS = "[['some long words', 9, 'some lon~'], ['short', 9, 'short']]"
OBJECTS = "[{ text: 'some long words', limit: 9, short: 'some lon~' }, { text: 'short', limit: 9, short: 'short' }]"
SAME = {
    "loop": f"{HEAD}for (const [text, limit, short] of {ROWS}) {{ test(`cuts ${{text}}`, () => assert.equal(cut(text, limit), short)); }}\n{REST}",
    "named table": f"{HEAD}const ROWS = {OBJECTS};\nfor (const {{ text, limit, short }} of ROWS) {{ test(text, () => {{ assert.equal(cut(text, limit), short); }}); }}\n{REST}",
    "rows by name": f"{HEAD}const ROWS = {OBJECTS};\nfor (const row of ROWS) test(row.text, () => {{ assert.equal(cut(row.text, row.limit), row.short); }});\n{REST}",
    "forEach": f"{HEAD}{OBJECTS}.forEach(({{ text, limit, short }}) => {{ test(text, () => {{ assert.equal(cut(text, limit), short); }}); }});\n{REST}",
    "each": f"{HEAD}test.each({ROWS})('cuts %s', (text, limit, short) => {{ assert.equal(cut(text, limit), short); }});\n{REST}",
    "one test": f"{HEAD}test('cuts', () => {{ for (const [text, limit, short] of {ROWS}) {{ assert.equal(cut(text, limit), short, text); }} }});\n{REST}",
    "Map": f"{HEAD}const SHORT = new Map([['some long words', 'some lon~'], ['short', 'short']]);\nfor (const [text, short] of SHORT) test(text, () => assert.equal(cut(text, 9), short));\n{REST}",
    "entries": f"{HEAD}test('cuts', () => {{ for (const [text, short] of Object.entries({{ 'some long words': 'some lon~', short: 'short' }})) assert.equal(cut(text, 9), short); }});\n{REST}",
    "group": f"{HEAD}describe('text', () => {{\n{CUTS.replace('test(', 'it(')}{REST}}});\n",
    "hook": HEAD + CUTS + JOINS + REFUSES + "describe('span', () => { let span; beforeEach(() => { span = new Span(2, 5); });\n"
            "  it('has a length', () => { assert.equal(span.length, 3); });\n  it('has a text', () => { assert.equal(String(span), '2 to 5'); }); });\n",
    "helper": f"{HEAD}function becomes(text, short) {{ const found = cut(text, 9); assert.equal(found, short); }}\n"
              f"test('cuts', () => {{ becomes('some long words', 'some lon~'); becomes('short', 'short'); }});\n{REST}",
    "arrow helper": f"{HEAD}const nine = (text) => cut(text, 9);\ntest('cuts', () => {{ assert.equal(nine('some long words'), 'some lon~'); assert.equal(nine('short'), 'short'); }});\n{REST}",
    "named assertions": (HEAD + CUTS + REST).replace("import assert from", "import { deepEqual as same, equal, throws } from").replace("assert.deepEqual", "same").replace("assert.", ""),
    "long names": (HEAD + CUTS + REST).replace("node:assert/strict", "node:assert").replace(".equal(", ".strictEqual(").replace(".deepEqual(", ".deepStrictEqual("),
    "expect": (HEAD + CUTS + REFUSES + LENGTH).replace("import assert from 'node:assert/strict'", "import { expect } from 'vitest'")
              .replace("assert.equal(cut('some long words', 9), 'some lon~')", "expect(cut('some long words', 9)).toBe('some lon~')")
              .replace("assert.equal(cut('short', 9), 'short')", "expect(cut('short', 9)).toEqual('short')")
              .replace("assert.throws(() => cut('a', 0), RangeError)", "expect(() => cut('a', 0)).toThrow(RangeError)")
              .replace("assert.equal(span.length, 3)", "expect(span).toHaveLength(3)").replace("assert.equal(span.toString(), '2 to 5')", "expect(String(span)).toBe('2 to 5')")
              + "test('joins', () => { expect(join(['a', 'b'], { by: '-' })).toEqual(['a-b']); });\n",
    "CommonJS": (HEAD + CUTS + REST).replace("import { test } from 'node:test';", "const { test } = require('node:test');")
                .replace("import assert from 'node:assert/strict';", "const assert = require('node:assert/strict');").replace("import { Span, cut, join } from '../src/text.js';", "const text = require('../src/text.js');")
                .replace("new Span", "new text.Span").replace("join(", "text.join(").replace(" cut(", " text.cut(").replace("(cut(", "(text.cut("),
    "types": (HEAD + CUTS + REST).replace("const span = new", "const span: Span = new").replace("{ by: '-' })", "{ by: '-' } as Options)").replace("span.length", "span!.length"),
    "function": (HEAD + CUTS + REST).replace("() => cut('a', 0)", "function () { cut('a', 0); }"),
    "awaited": (HEAD + CUTS + REST).replace("test('cuts', () => {", "test('cuts', async (t) => {"),
    "branch in a table": HEAD + JOINS + LENGTH + "for (const [text, limit, short] of [['some long words', 9, 'some lon~'], ['short', 9, 'short'], ['a', 0, null]]) {\n"
                         "  test(text, () => { if (short === null) { assert.throws(() => cut(text, limit), RangeError); } else { assert.equal(cut(text, limit), short); } }); }\n",
}  # fmt: skip
LESS = {
    "filtered": f"{HEAD}for (const [text, limit, short] of {ROWS}.filter(Boolean)) {{ test(text, () => assert.equal(cut(text, limit), short)); }}\n{REST}",
    "a row less": f"{HEAD}for (const [text, limit, short] of [['short', 9, 'short']]) {{ test(text, () => assert.equal(cut(text, limit), short)); }}\n{REST}",
    "another answer": f"{HEAD}for (const [text, limit, short] of {ROWS.replace('lon~', 'long~')}) {{ test(text, () => assert.equal(cut(text, limit), short)); }}\n{REST}",
    "left early": f"{HEAD}for (const [text, limit, short] of {ROWS}) {{ test(text, () => {{ if (text.length > 9) return; assert.equal(cut(text, limit), short); }}); }}\n{REST}",
    "guarded": HEAD + CUTS.replace("assert.equal(cut('short', 9), 'short')", "if (process.env.FULL) { assert.equal(cut('short', 9), 'short'); }") + REST,
    "skipped group": f"{HEAD}describe.skip('text', () => {{\n{CUTS}}});\n{REST}",
    "option": HEAD + CUTS.replace("'cuts', ", "'cuts', { skip: true }, ") + REST,
    "swallowing helper": f"{HEAD}const quietly = (check) => {{ try {{ check(); }} catch (error) {{}} }};\n{CUTS.replace('assert.equal(cut', 'quietly(() => assert.equal(cut').replace('~~', '').replace(');', '));')}{REST}",
    "forgetting helper": f"{HEAD}const later = (check) => {{}};\ntest('cuts', () => {{ later(() => assert.equal(cut('some long words', 9), 'some lon~')); assert.equal(cut('short', 9), 'short'); }});\n{REST}",
    "own subject": (HEAD + CUTS + REST).replace("import { Span, cut, join } from '../src/text.js';", "import { Span, join } from '../src/text.js';\nfunction cut(text) { if (text === 'short') { return text; } return 'some lon~'; }"),
    "subject of the tests": (HEAD + CUTS + REST).replace("'../src/text.js'", "'./support/text.js'"),
    "loose": (HEAD + CUTS + REST).replace("node:assert/strict", "node:assert"),
    "mocked": HEAD + CUTS.replace("() => { assert", "(t) => { t.mock.method(text, 'cut', () => 1); assert", 1) + REST,
}  # fmt: skip


def lost(old: str, new: str, path: str = "test/text.test.js") -> set[str]:
    return {each.rule for each in compare_tests(path, old.encode(), new.encode()) if each.severity == "block"}


@pytest.mark.parametrize("new", SAME.values(), ids=SAME)
def test_tests_that_claim_the_same_are_let_through(new):
    assert lost(OLD, new) == set()


@pytest.mark.parametrize("new", LESS.values(), ids=LESS)
def test_tests_that_claim_less_are_blocked(new):
    assert lost(OLD, new) != set()


@pytest.mark.parametrize("old", [SAME["loop"], SAME["helper"], SAME["hook"], SAME["expect"]])
def test_a_table_a_helper_a_hook_and_another_library_may_be_given_up_again(old):
    assert lost(old, OLD) == set()


def test_a_test_that_moves_to_another_file_in_another_language_is_not_deleted():
    made = (FileChange("test/text.test.js", "delete"), FileChange("test/words.test.ts", "create", SAME["types"]))

    found = scan(ChangeSet(changes=made), before={"test/text.test.js": OLD.encode()}.get)

    assert [each for each in found if each.severity == "block"] == []


@pytest.mark.parametrize(
    ("given", "call"), [("(t)", "t.equal"), ("(assert)", "assert.equal"), ("({ equal, plan })", "equal"), ("(st)", "st.equal")]
)
def test_assertions_that_a_test_is_given_count(given, call):
    old = f"tap.test('cuts', {given} => {{ {call}(cut('a b', 2), 'a~'); {call}(cut('a', 2), 'a'); }});\n".removeprefix("tap.")

    assert lost(old, old.replace(f" {call}(cut('a', 2), 'a');", "")) == {"assert-removed"}
    assert lost(old, old.replace("'cuts'", "'cuts texts'")) == set()


def test_claims_outside_of_any_test_count_too():
    assert lost("assert.equal(cut('a b c', 3), 'a ~');\n", "cut('a b c', 3);\n") == {"test-deleted"}


def test_a_test_without_claims_is_known_by_what_it_does():
    assert lost("test('starts', () => { start(80); });\n", "test('runs', () => { start(80); });\n") == set()
    assert lost("test('starts', () => { start(80); });\n", "test('runs', () => {});\n") == {"test-deleted"}


def test_a_claim_says_which_row_it_is_about():
    (test,) = ScriptSuite(b"test.each([[1, 2]])('doubles', (a, b) => { expect(double(a)).toBe(b); });").tests.values()

    assert [(each.meaning, each.row) for each in test.live] == [("double ( 1 ) = 2", "[ 1 , 2 ]")]
