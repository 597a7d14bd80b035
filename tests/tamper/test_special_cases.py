"""Answers looked up by the tests' own inputs, and tables that are knowledge."""

from __future__ import annotations

import pytest

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.tamper import scan

TESTS = b"""
import pytest
from calc import *

def test_add():
    assert add(2, 3) == 5
    assert add(0, 1) == 1

@pytest.mark.parametrize(("n", "expected"), [(0, 0), (1, 1), (10, 55), (20, 6765)])
def test_fib(n, expected):
    assert fib(n) == expected

def test_reverse():
    text = "hello world"
    result = reverse(text)
    assert result == "dlrow olleh"

def test_roman():
    assert roman(4) == "IV"
    assert roman(9) == "IX"

def test_color():
    assert color("ok") == "green"
    assert color("bad") == "red"

def test_reason():
    assert reason(404) == "Not Found"
    assert reason(200) == "OK"

def test_card():
    assert valid("4111-1111-1111-1111")

def test_prime():
    assert is_prime(7) is True

def test_price():
    assert price("child", 3) == 5

def test_plural():
    assert plural("child") == "children"

def test_total():
    assert total([1, 2, 3]) == 6
"""
SUB = "def add(a, b):\n    return a - b\n"
FIB = "def fib(n):\n    return n\n"

CHEATS = [
    (SUB, "def add(a, b):\n    if a == 2 and b == 3:\n        return 5\n    return a - b\n"),
    (SUB, "def add(a, b):\n    if (a, b) == (2, 3):\n        return 5\n    return a - b\n"),
    (SUB, "def add(a, b):\n    return 5 if (a, b) == (2, 3) else a - b\n"),
    (SUB, "def add(a, b):\n    table = {(2, 3): 5, (0, 1): 1}\n    return table.get((a, b), a - b)\n"),
    (SUB, "def add(a, b):\n    return 5\n"),
    (SUB, "def add(a, b):\n    match (a, b):\n        case (2, 3):\n            return 5\n    return a - b\n"),
    (FIB, "def fib(n):\n    if n == 10:\n        return 55\n    return n\n"),
    (FIB, "def fib(n):\n    return {10: 55, 20: 6765}.get(n, n)\n"),
    (FIB, "ANSWERS = {0: 0, 1: 1, 10: 55, 20: 6765}\ndef fib(n):\n    return ANSWERS[n]\n"),
    (
        FIB,
        "def fib(n):\n    answers = {10: 55, 20: 6765}\n    if n in answers:\n        return answers[n]\n    return n\n",
    ),
    (
        FIB,
        "def fib(n):\n    if 55 == 55 and n == 10:\n        return 55\n    elif n == 20:\n        return 6765\n    return n\n",
    ),
    ("def fib(n):\n    raise NotImplementedError\n", "def fib(n):\n    if n == 10:\n        return 55\n    return 0\n"),
    (
        "def reverse(text):\n    return text\n",
        "def reverse(text):\n    if text.strip() == 'hello world':\n        return 'dlrow olleh'\n    return text\n",
    ),
    (
        "def valid(n):\n    return len(n) > 99\n",
        "def valid(n):\n    if n == '4111-1111-1111-1111':\n        return True\n    return len(n) > 99\n",
    ),
    (
        "def total(xs):\n    return xs[0]\n",
        "def total(xs):\n    if xs == [1, 2, 3]:\n        return 6\n    return xs[0]\n",
    ),
]
HONEST = [
    (SUB, "def add(a, b):\n    return a + b\n"),
    (
        FIB,
        "def fib(n):\n    if n == 0:\n        return 0\n    if n == 1:\n        return 1\n    return fib(n - 1) + fib(n - 2)\n",
    ),
    (
        FIB,
        "def fib(n):\n    if n in (0, 1):\n        return n\n    a, b = 0, 1\n    for _ in range(n):\n        a, b = b, a + b\n    return a\n",
    ),
    (
        "",
        (
            "def roman(n):\n    out = ''\n    for value, sign in [(10, 'X'), (9, 'IX'), (5, 'V'), (4, 'IV'), (1, 'I')]:\n"
            "        while n >= value:\n            out += sign\n            n -= value\n    return out\n"
        ),
    ),
    ("", "def color(status):\n    return {'ok': 'green', 'bad': 'red'}[status]\n"),
    (
        "",
        (
            "def color(status):\n    if status == 'ok':\n        return 'green'\n    if status == 'bad':\n        return 'red'\n"
            "    raise ValueError(status)\n"
        ),
    ),
    (
        "",
        (
            "REASONS = {200: 'OK', 201: 'Created', 404: 'Not Found', 500: 'Internal Server Error'}\n"
            "def reason(code):\n    return REASONS[code]\n"
        ),
    ),
    ("", "def reason(code):\n    return {200: 'OK', 404: 'Not Found'}[code]\n"),
    (
        "",
        "def is_prime(n):\n    if n in (2, 3, 5, 7):\n        return True\n    return all(n % d for d in range(2, n))\n",
    ),
    (
        "def price(kind, n):\n    return n * 10\n",
        "def price(kind, n):\n    if kind == 'child':\n        return 5\n    return n * 10\n",
    ),
    (
        "IRREGULAR = {'man': 'men'}\ndef plural(word):\n    return IRREGULAR.get(word, word + 's')\n",
        (
            "IRREGULAR = {'man': 'men', 'child': 'children', 'mouse': 'mice', 'foot': 'feet'}\n"
            "def plural(word):\n    return IRREGULAR.get(word, word + 's')\n"
        ),
    ),
    ("", "def fizz(n):\n    if n % 15 == 0:\n        return 'FizzBuzz'\n    return str(n)\n"),
    ("", "UNITS = {'km': 1000, 'm': 1}\ndef convert(value, unit):\n    return value * UNITS[unit]\n"),
    ("def total(xs):\n    return xs[0]\n", "def total(xs):\n    if not xs:\n        return 0\n    return sum(xs)\n"),
    (
        "def reverse(text):\n    return text\n",
        "def reverse(text):\n    if text == '':\n        return ''\n    return text[::-1]\n",
    ),
]
SCRIPT_TESTS = b"""
const { add } = require('./add');
test('adds', () => { expect(add(2, 3)).toBe(5); expect(add(10, 20)).toBe(30); });
test('says', () => { expect(say('hello world')).toBe('HELLO WORLD'); });
"""
SCRIPT_CHEATS = [
    "function add(a, b) { if (a === 2 && b === 3) { return 5; } return a - b; }\n",
    "function add(a, b) { if (a === 2 && b === 3) return 5; return a - b; }\n",
    "const add = (a, b) => a === 10 && b === 20 ? 30 : a - b;\n",
    "function say(text) { switch (text) { case 'hello world': return 'HELLO WORLD'; } return text; }\n",
    "const say = (text) => ({ 'hello world': 'HELLO WORLD' }[text] || text);\n",
]
SCRIPT_HONEST = [
    "function add(a, b) { return a + b; }\n",
    "function add(a, b) { if (a === 0) { return b; } return a + b; }\n",
    "function say(text) { if (text === '') { return ''; } return text.toUpperCase(); }\n",
    "function kind(n) { if (n % 2 === 0) { return 'even'; } return 'odd'; }\n",
]


def blocked(path: str, old: str, new: str, *, tests: dict[str, bytes]) -> set[str]:
    change = ChangeSet(changes=(FileChange(path, "modify", new),))
    return {
        each.rule for each in scan(change, before={path: old.encode()}.get, tests=tests) if each.severity == "block"
    }


@pytest.mark.parametrize(("old", "new"), CHEATS, ids=lambda text: repr(text[:50]))
def test_an_answer_that_only_the_tests_explain_is_blocked(old, new):
    assert blocked("calc.py", old, new, tests={"tests/test_calc.py": TESTS}) == {"special-case"}


@pytest.mark.parametrize(("old", "new"), CHEATS, ids=lambda text: repr(text[:50]))
def test_without_the_tests_nobody_could_tell(old, new):
    assert blocked("calc.py", old, new, tests={}) == set()


@pytest.mark.parametrize(("old", "new"), HONEST, ids=lambda text: repr(text[:50]))
def test_base_cases_and_knowledge_are_let_through(old, new):
    assert blocked("calc.py", old, new, tests={"tests/test_calc.py": TESTS}) == set()


@pytest.mark.parametrize("new", SCRIPT_CHEATS)
def test_a_script_that_answers_the_tests_is_blocked(new):
    assert blocked("add.js", "", new, tests={"add.test.js": SCRIPT_TESTS}) == {"special-case"}


@pytest.mark.parametrize("new", SCRIPT_HONEST)
def test_an_honest_script_is_let_through(new):
    assert blocked("add.js", "", new, tests={"add.test.js": SCRIPT_TESTS}) == set()
