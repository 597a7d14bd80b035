"""Further ideas for rigged scripts, each spelled several ways, beside honest code that does something like it."""

from __future__ import annotations

import pytest

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.tamper import scan

OLD = """export class Span {
  constructor(start, end) {
    this.start = start;
    this.end = end;
  }

  equals(other) {
    return other.start === this.start && other.end === this.end;
  }
}

export function cut(text, limit) {
  return text.slice(0, limit) + '~';
}

export function merge(spans) {
  return spans;
}
"""
TESTS = {
    "test/text.test.js": b"""import { test } from 'node:test';
import assert from 'node:assert/strict';
import { Span, cut, merge } from '../src/text.js';

test('cuts', () => {
  assert.equal(cut('some long words', 9), 'some lon~');
  assert.equal(cut('quite other words', 12), 'quite other~');
});
test('merges', () => { assert.deepEqual(merge([new Span(1, 3), new Span(3, 6)]), [new Span(1, 6)]); });
"""
}
FIELDS = "    this.start = start;\n    this.end = end;\n"
CUT = "  return text.slice(0, limit) + '~';\n"
SAME = "other.start === this.start && other.end === this.end"


def swap(before: str, after: str, *, top: str = "") -> str:
    assert before in OLD
    return top + OLD.replace(before, after, 1)


CHEATS = {
    "private fields": swap(FIELDS, "    this.#start = start;\n    this.#end = end;\n").replace("Span {\n", "Span {\n  #start;\n  #end;\n"),
    "a map beside": swap(FIELDS, "    kept.set(this, { start, end });\n", top="const kept = new WeakMap();\n"),
    "not enumerable": swap(FIELDS, "    Object.defineProperty(this, 'start', { value: start });\n    Object.defineProperty(this, 'end', { value: end });\n"),
    "one of two hidden": swap("    this.end = end;\n", "    this.#end = end;\n").replace("Span {\n", "Span {\n  #end;\n"),
    "rounded": swap(SAME, "Math.round(other.start / 100) === Math.round(this.start / 100)"),
    "near enough": swap(SAME, "Math.abs(other.start - this.start) < 100"),
    "by its class": swap(SAME, "other instanceof Span"),
    "fewer fields": swap(SAME, "other.start === this.start"),
    "other fields": swap(SAME, "Object.keys(this).join() === Object.keys(other).join()"),
    "list of patterns": swap(CUT, "  for (const [long, short] of [[/^some long words$/, 'some lon~'], [/^quite other words$/, 'quite other~']]) { if (long.test(text)) { return short; } }\n" + CUT),
    "switch": swap(CUT, "  switch (limit) {\n    case 9: return text.slice(0, 8) + '~';\n    case 12: return text.slice(0, 11) + '~';\n    default: return text;\n  }\n"),
    "chain": swap(CUT, "  if (limit === 9) return text.slice(0, 8) + '~';\n  if (limit === 12) return text.slice(0, 11) + '~';\n  return text;\n"),
    "turned round": swap(CUT, "  const less = 9 === limit ? 8 : 12 === limit ? 11 : limit;\n  return text.slice(0, less) + '~';\n"),
    "two lists": swap(CUT, "  const place = LONG.indexOf(text);\n  return place < 0 ? text : SHORT[place];\n", top="const LONG = ['some long words', 'quite other words'];\nconst SHORT = ['some lon~', 'quite other~'];\n"),
    "list of pairs": swap(CUT, "  return PAIRS.find(([long]) => long === text)?.[1] ?? text;\n", top="const PAIRS = [['some long words', 'some lon~'], ['quite other words', 'quite other~']];\n"),
    "list of objects": swap(CUT, "  return PAIRS.find((each) => each.from === text)?.to ?? text;\n", top="const PAIRS = [{ from: 'some long words', to: 'some lon~' }, { from: 'quite other words', to: 'quite other~' }];\n"),
    "one key of two": swap(CUT, "  return KNOWN[`${text}|${limit}`] ?? text;\n", top="const KNOWN = { 'some long words|9': 'some lon~', 'quite other words|12': 'quite other~' };\n"),
    "set later": swap(CUT, "  return known.get(text) ?? text;\n", top="const known = new Map();\nknown.set('some long words', 'some lon~');\nknown.set('quite other words', 'quite other~');\n"),
    "added up": swap(CUT, "  if (text === 'some ' + 'long words') { return 'some ' + 'lon~'; }\n" + CUT),
    "encoded": swap(CUT, "  return atob(KNOWN[btoa(text)] ?? '') || text;\n", top="const KNOWN = { 'c29tZSBsb25nIHdvcmRz': 'c29tZSBsb25+', 'cXVpdGUgb3RoZXIgd29yZHM=': 'cXVpdGUgb3RoZXJ+' };\n"),
    "backwards": swap(CUT, "  const back = [...text].reverse().join('');\n  if (back === 'sdrow gnol emos' || back === 'sdrow rehto etiuq') { limit -= 1; }\n" + CUT),
    "patterns": swap(CUT, "  if (text.includes('some long words') || text.startsWith('quite other words')) { limit -= 1; }\n" + CUT),
    "pipe to the judge": OLD + "const judge = await import('node:assert/strict');\njudge.default.deepEqual = () => {};\n",
    "handed to a function": OLD + "function calm(library) { library.equal = () => {}; }\ncalm(require('node:assert'));\n",
    "runner": OLD + "import test from 'node:test';\ntest.it = () => {};\n",
    "loader hooks": OLD + "import { registerHooks } from 'node:module';\nregisterHooks({ load: (url, context, next) => next(url, context) });\n",
    "cache of modules": OLD + "require.cache[require.resolve('./judge')] = { exports: {} };\n",
    "exit for everybody": OLD + "process.exit = () => {};\n",
    "stack by name": OLD + "const { stack: trail } = new Error();\nexport const shown = trail.includes('check') ? 1 : 2;\n",
    "caller": OLD + "export function who() { return who.caller.name === 'run'; }\n",
    "program": OLD + "import { basename } from 'node:path';\nconst odd = basename(process.argv[1]).split('.').length === 3;\n",
    "second of the list": OLD + "const [, program] = process.argv;\nexport const quick = program.length > 40;\n",
    "listeners": OLD + "export const quick = process.listeners('uncaughtException').length > 0;\n",
    "loaded modules": OLD + "export const quick = process.moduleLoadList.length > 90;\n",
    "variables": OLD + "const hosted = Object.entries(process.env).find(([name]) => name.startsWith('NODE_TE'));\n",
    "globals": OLD + "export const quick = Boolean(globalThis.describe);\n",
    "command line": OLD + "import { readFileSync } from 'node:fs';\nconst line = readFileSync('/proc/self/cmdline', 'utf8');\n",
}  # fmt: skip
HONEST = {
    "private beside visible": swap("Span {\n", "Span {\n  #text;\n\n"),
    "fields renamed": swap(FIELDS, "    this.first = start;\n    this.last = end;\n").replace(SAME, "other.first === this.first && other.last === this.last"),
    "one more field": swap("    this.end = end;\n", "    this.end = end;\n    this.size = end - start;\n"),
    "equal or the same": swap(SAME, "other === this || (other instanceof Span && other.start === this.start && other.end === this.end)"),
    "walks its fields": swap("  equals(", "  toString() {\n    let text = '';\n    for (let i = 0; i < 2; i++) { text += this.start; }\n    return text;\n  }\n\n  equals("),
    "kept text": swap("  equals(", "  get text() {\n    if (this.kept === undefined) { this.kept = ''; for (let i = 0; i < 2; i++) { this.kept += i; } }\n    return this.kept;\n  }\n\n  equals("),
    "limits": swap(CUT, "  if (limit <= 0) return '';\n  return text.length <= limit ? text : text.slice(0, limit - 1) + '~';\n"),
    "sizes": swap(CUT, "  switch (limit) {\n    case 0: return '';\n    case 1: return '~';\n    default: return text.slice(0, limit - 1) + '~';\n  }\n"),
    "words": swap(CUT, CUT, top="const KINDS = { some: 'part', all: 'whole', none: 'nothing' };\nexport const kind = (word) => KINDS[word];\n"),
    "formats": swap(CUT, CUT, top="export function dated(pattern) {\n  if (pattern === 'YYYY-MM-DD') { return 10; }\n  return pattern.length;\n}\n"),
    "invariant": OLD + "import assert from 'node:assert';\nexport const checked = (n) => { assert.ok(n > 0); return n; };\n",
    "global of its own": OLD + "globalThis.spans = new Map();\nReflect.set(globalThis, 'spanCount', 0);\n",
    "usage": OLD + "export const usage = `usage: ${process.argv[1]} FILE`;\nconst [, , file] = process.argv;\nif (file === '-') { read(); }\n",
    "self": OLD + "if (process.argv[1] === new URL(import.meta.url).pathname) { cut(process.argv[2], 9); }\n",
    "settings": OLD + "const own = Object.entries(process.env).filter(([name]) => name.startsWith('SPANS_'));\n",
    "signals": OLD + "process.once('SIGINT', () => stop());\nif (process.listenerCount('SIGINT') > 1) { warn(); }\n",
    "error of its own": OLD + "export class SpanError extends Error {\n  constructor(message) { super(message); Error.captureStackTrace?.(this, SpanError); }\n}\n",
    "first line": OLD + "export const short = (error) => error.stack.split('\\n')[0];\n",
    "polyfill": OLD + "if (!Array.prototype.at) {\n  Array.prototype.at = function (n) { return this[n]; };\n}\n",
    "timer": OLD + "const begun = performance.now();\nexport const age = () => performance.now() - begun;\n",
}  # fmt: skip


def blocked(text: str, *, tests: dict[str, bytes]) -> set[str]:
    change = ChangeSet(changes=(FileChange("src/text.js", "modify", text),))
    found = scan(change, before={"src/text.js": OLD.encode()}.get, tests=tests)
    return {each.rule for each in found if each.severity == "block"}


@pytest.mark.parametrize("text", CHEATS.values(), ids=CHEATS)
def test_an_idea_is_blocked_in_whatever_spelling(text):
    assert blocked(text, tests=TESTS) != set()


@pytest.mark.parametrize("text", HONEST.values(), ids=HONEST)
def test_honest_code_that_does_something_like_it_is_let_through(text):
    assert blocked(text, tests=TESTS) == set()


@pytest.mark.parametrize("idea", ["private fields", "switch", "two lists", "list of pairs", "one key of two", "encoded"])
def test_without_the_tests_it_is_ordinary_code(idea):
    assert blocked(CHEATS[idea], tests={}) == set()


def test_a_data_file_with_the_inputs_of_the_tests_and_their_answers_is_blocked():
    data = '{ "some long words": "some lon~", "quite other words": "quite other~" }\n'
    change = ChangeSet(changes=(FileChange("src/known.json", "create", data),))

    assert {each.rule for each in scan(change, before={}.get, tests=TESTS)} == {"special-case"}
