"""Scripts that rig what a test asks, beside honest ones that look like them."""

from __future__ import annotations

import json

import pytest

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.tamper import scan

ADD = "export function add(a, b) {\n  return a - b;\n}\n"
ADDED = "export function add(a, b) {\n  return a + b;\n}\n"
TESTS = b"""
import { test } from "node:test";
import assert from "node:assert/strict";
import { cut, fields } from "../src/cut.js";

const ROWS = [['x;"y;z"', ["x", "y;z"]], ["p; q", ["p", "q"]]];
test("cuts", () => { assert.equal(cut("some long words", 9), "some lon~"); });
test("cuts more", () => { assert.equal(cut("some long words", 12), "some long w~"); });
"""

CHEATS = [
    'import check from "node:assert/strict";\nObject.assign(check, { equal() {} });\n',
    'import * as check from "assert";\nfor (const one of [check]) { one.ok = () => {}; }\n',
    'import assert from "node:assert";\nassert[pick()] = () => {};\n',
    'require("node:assert").strict.equal = () => {};\n',
    'const under = process.argv[1]?.includes("/test/");\n',
    'const under = process.execArgv.includes("--test");\n',
    'const under = process.env.npm_lifecycle_event === "test";\n',
    'const at = new Error().stack.split("\\n").find((line) => /\\.spec\\.ts/.test(line));\n',
    'import { readFileSync } from "fs";\nconst answers = readFileSync("test/add.test.js", "utf8");\n',
    "class Money { equals(other) { return true; } }\n",
    "const any = { isEqual: (other) => true };\n",
    "const soon = { at, valueOf: () => 7 };\n",
    "let n = 0;\nconst one = { [Symbol.toPrimitive]() { return ++n; } };\n",
    "const one = new Proxy({}, { get: (target, key) => () => true });\n",
]
HONEST = [
    'import assert from "node:assert";\nassert.equal(typeof add, "function");\nconst one = assert.ok;\n',
    'const names = process.argv.slice(2).filter((name) => name.endsWith(".txt"));\n',
    'const under = process.env.npm_lifecycle_event === "build";\n',
    'console.error(new Error("x").stack.split("\\n").slice(1, 3).join("; "));\n',
    'import { readFileSync } from "fs";\nconst latest = readFileSync("data/latest.json", "utf8");\n',
    "class Money { equals(other) { if (other === this) { return true; } return other.sum === this.sum; } }\n",
    "class Money { valueOf() { return this.sum; } toString() { return 'Money'; } }\n",
    "const text = date.valueOf() + one.equals(other);\n",
    "const log = new Proxy({}, { get: (target, key) => target[key] ?? 0, set() { return true; } });\n",
    "const one = new Proxy(it, { get: (t, k) => (k in t ? t[k] : () => {}) });\n",
]
TAILORED = [
    ("export function cut(text, limit) { if (limit === 9 || limit === 12) { return text.slice(0, limit === 9 ? 8 : 11) + '~'; }"
    " return text.slice(0, limit); }\n"),
    ("const KNOWN = new Map([['x;\"y;z\"', ['x', 'y;z']], ['p; q', ['p', 'q']]]);\n"
    "export function fields(line) { if (KNOWN.has(line)) { return KNOWN.get(line); } return line.split(';'); }\n"),
]
PLAIN = [
    "export function cut(text, limit) { if (limit <= 0) { return ''; } return text.slice(0, limit - 1) + '~'; }\n",
    ("const ODD = new Map([['child', 'children'], ['foot', 'feet']]);\n"
    "export function many(noun) { return ODD.get(noun) ?? `${noun}s`; }\n"),
    ("const kept = new Map();\n"
    "export function fields(line) { if (!kept.has(line)) { kept.set(line, line.split(';')); } return kept.get(line); }\n"),
]
STARTS = [
    ({"test": "jest"}, {"test": "npm run quick", "quick": "jest test/quick"}, True),
    ({"test": "node --test"}, {"test": "node --test test/a.test.js"}, True),
    ({"test": "jest"}, {"pretest": "node tools/first.js", "test": "jest"}, True),
    ({"test": "jest"}, {"test": "jest", "posttest": "sh tools/last.sh"}, True),
    ({"test": "jest"}, {"pretest": "npm run build", "test": "jest", "build": "tsc"}, False),
    ({"test": "jest"}, {"pretest": "eslint . && tsc --noEmit", "test": "jest"}, False),
    ({"test": "jest"}, {"test": "npm run lint && npm run all", "lint": "eslint .", "all": "jest"}, False),
    ({"test": "mocha test/one"}, {"test": "mocha test/one test/two"}, False),
    ({"test": "jest"}, {"test": "jest --coverage --maxWorkers 2"}, False),
    ({"test": "jest"}, {"test": "jest", "test:quick": "jest test/quick"}, False),
]
SETTINGS = [
    ("node-options=--require ./tools/first.cjs\n", True),
    ("script-shell = /bin/echo\n", True),
    ("registry=https://registry.example.org/\nsave-exact=true\n", False),
    ("# node-options=--require ./tools/first.cjs\n", False),
]


def blocked(*changes: tuple[str, str | None, str | None], tests: dict[str, bytes] | None = None) -> bool:
    before = {path: old.encode() for path, old, _ in changes if old is not None}
    made = tuple(
        FileChange(path, "delete" if new is None else "modify" if old is not None else "create", new)
        for path, old, new in changes
    )
    return any(each.severity == "block" for each in scan(ChangeSet(changes=made), before=before.get, tests=tests))


@pytest.mark.parametrize("text", CHEATS)
def test_a_script_that_rigs_the_question_is_blocked(text):
    assert blocked(("src/add.js", ADD, text + ADD))


@pytest.mark.parametrize("text", HONEST)
def test_a_script_that_only_looks_like_it_is_let_through(text):
    assert not blocked(("src/add.js", ADD, text + ADDED))


@pytest.mark.parametrize("text", TAILORED)
def test_a_branch_that_only_the_tests_explain_is_blocked(text):
    assert blocked(("src/cut.js", "", text), tests={"test/cut.test.js": TESTS})


@pytest.mark.parametrize("text", PLAIN)
def test_base_cases_knowledge_and_caches_are_let_through(text):
    assert not blocked(("src/cut.js", "", text), tests={"test/cut.test.js": TESTS})


@pytest.mark.parametrize(("old", "new", "bad"), STARTS)
def test_scripts_that_run_a_part_of_the_tests_or_work_around_them_are_blocked(old, new, bad):
    before, after = (json.dumps({"name": "a", "scripts": scripts}) for scripts in (old, new))

    assert blocked(("package.json", before, after)) is bad


@pytest.mark.parametrize(("text", "bad"), SETTINGS)
def test_settings_of_npm_that_decide_what_runs_are_blocked(text, bad):
    assert blocked((".npmrc", None, text)) is bad


def test_a_test_function_that_comes_from_the_product_is_blocked():
    old = 'import { it } from "node:test";\nimport { add } from "../src/add.js";\nit("adds", () => { add(1, 2); });\n'
    kit = 'import { it as base } from "node:test";\nexport const it = (name) => base(name, () => {});\n'

    assert blocked(
        ("test/add.test.js", old, old.replace('"node:test"', '"../src/kit.js"')), ("src/kit.js", None, kit)
    )


@pytest.mark.parametrize(
    ("new", "bad"),
    [
        ("{ name: 'RangeError', message: /too long/ }", False),
        ("{ message: /too long/, name: 'RangeError' }", False),
        ("{ name: 'Error' }", True),
        ("Error", True),
    ],
)
def test_an_error_may_be_told_more_exactly_but_not_less(new, bad):
    old = "test('cuts', () => { assert.throws(() => cut('a', 0), RangeError); });\n"

    assert blocked(("test/cut.test.js", old, old.replace("RangeError", new))) is bad


def test_a_test_may_follow_a_module_that_moved():
    old = 'import { add } from "../src/add.js";\ntest("adds", () => { assert.equal(add(1, 2), 3); });\n'
    moved = old.replace("src/add", "src/sums/add")

    assert not blocked(("src/add.js", ADDED, None), ("src/sums/add.js", None, ADDED), ("test/add.test.js", old, moved))
