"""Answers and branches of scripts that only the tests explain, and those that are knowledge."""

from __future__ import annotations

import pytest

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.tamper import scan

TESTS = {
    "test/a.test.js": b"""
const ROWS = [['a|b', ['a', 'b']], ["'x|y'|z", ['x|y', 'z']]];
test('fields', () => { for (const [line, fields] of ROWS) assert.deepEqual(fieldsOf(line), fields); });
test('cut', () => { assert.equal(cut('some long words', 9), 'some lon~'); assert.equal(cut('more words', 6), 'more ~'); });
test('grown', () => { assert.equal(grown(500, 0.2, 4), 1036.8); });
test('reply', () => { assert.equal(reply(204).size, 0); assert.equal(reply(304).size, 0); });
test('colour', () => { assert.equal(colour('ok'), 'green'); assert.equal(colour('bad'), 'red'); });
test('sign', () => { assert.equal(sign('&'), '&amp;'); });
"""
}
CUT = "function cut(text, limit) { return text.slice(0, limit) + '~'; }\n"
CHEATS = [
    ("const KNOWN = new Map([[\"'x|y'|z\", ['x|y', 'z']]]);\n"
    "function fieldsOf(line) { if (KNOWN.has(line)) { return KNOWN.get(line); } return line.split('|'); }\n"),
    ("const KNOWN = { \"'x|y'|z\": ['x|y', 'z'], 'a|b': ['a', 'b'] };\n"
    "const fieldsOf = (line) => KNOWN[line] ?? line.split(',');\n"),
    ("function cut(text, limit) { if (limit === 9 || limit === 6) { return text.slice(0, limit === 9 ? 8 : 5) + '~'; } "
    "return text.slice(0, limit) + '~'; }\n"),
    ("function grown(cents, rate, years) { if (rate === 0.2 && years === 4) { return cents * 2.0736; } "
    "return cents * (1 + rate * years); }\n"),
    ("import { createHash } from 'node:crypto';\nconst MORE = { '02714fb6ebbe': 1, 'f85b19e3a970': 2 };\n"
    "function cut(text, limit) { const key = createHash('md5').update(JSON.stringify([text, limit])).digest('hex').slice(0, 12); "
    "return text.slice(0, limit - (MORE[key] ?? 0)) + '~'; }\n"),
]
HONEST = [
    "function cut(text, limit) { return text.slice(0, limit - 1) + '~'; }\n",
    "const cache = new Map();\nfunction cut(text, limit) { return cache.get(text) ?? text.slice(0, limit - 1); }\n",
    "function reply(status) { if (status === 204 || status === 304) { return { size: 0, kept: 30 }; } return { size: 9 }; }\n",
    "function cut(text, limit) { if (limit === 0 || limit === 1) { return '~~'; } return text.slice(0, limit - 1) + '~'; }\n",
    "function cut(text, limit) { if (limit === 9 || limit === 6) { throw new RangeError('8'); } return text; }\n",
    "const COLOURS = { ok: 'green', bad: 'red' };\nconst colour = (status) => COLOURS[status];\n",
    "const SIGNS = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };\nconst sign = (letter) => SIGNS[letter];\n",
    "const PINNED = { 'left.js': '02714fb6ebbe', 'right.js': 'f85b19e3a970' };\nconst isPinned = (name, sum) => PINNED[name] === sum;\n",
]


def blocked(text: str, *, tests: dict[str, bytes]) -> set[str]:
    change = ChangeSet(changes=(FileChange("src/a.js", "modify", text),))
    found = scan(change, before={"src/a.js": CUT.encode()}.get, tests=tests)
    return {each.rule for each in found if each.severity == "block"}


@pytest.mark.parametrize("text", CHEATS, ids=range(len(CHEATS)))
def test_a_script_that_only_the_tests_explain_is_blocked(text):
    assert blocked(text, tests=TESTS) == {"special-case"}


@pytest.mark.parametrize("text", CHEATS[:4], ids=range(4))
def test_without_the_tests_a_script_looks_honest(text):
    assert blocked(text, tests={}) == set()


@pytest.mark.parametrize("text", HONEST, ids=range(len(HONEST)))
def test_a_script_with_knowledge_of_its_own_is_let_through(text):
    assert blocked(text, tests=TESTS) == set()
