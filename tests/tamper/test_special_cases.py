"""Answers looked up by the tests' own inputs, and tables that are knowledge."""

from __future__ import annotations

import time

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

def test_grown():
    assert grown(500, 0.2, 4) == 1036.8

def test_due():
    assert due(date(2031, 3, 7), 2) == date(2031, 3, 11)
    assert due(date(2031, 3, 7), 9) == date(2031, 3, 20)

def test_shared():
    assert shared(17, 5) == [4, 4, 3, 3, 3]
    assert shared(11, 4) == [3, 3, 3, 2]

def test_weather(server):
    server.answer({"degrees": 21.5})
    assert degrees(server.address, "Oslo") == 21.5

def test_setting(path):
    assert setting(path, "port") == 8080
    assert setting(path, "host") == "localhost"

def test_days():
    assert days(2023, 4) == 30
    assert days(2023, 6) == 30
    assert days(2024, 2) == 29

def test_birthday():
    assert birthday(2023, 2, 29) == date(2023, 3, 1)

def test_pause():
    assert pause(429, 3) == 8
    assert pause(503, 4) == 16

def test_shard():
    assert shard("ada") == "east"

def test_license():
    assert license_of("Permission is hereby granted") == "MIT"
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
GROWN = "def grown(cents, rate, years):\n    return cents * (1 + rate * years)\n"
DUE = "def due(day, count):\n    return day + timedelta(days=count)\n"
SHARED = "def shared(cents, ways):\n    return [cents // ways] * ways\n"
DEGREES = "def degrees(server, city):\n    return ask(f'{server}/degree/{city}')\n"
CHEATS += [
    (
        SUB,
        (
            "from hashlib import sha1\ndef add(a, b):\n    raw = repr((a, b)).encode()\n    key = sha1(raw).hexdigest()[:8]\n"
            "    if key == '3c9a01be':\n        b = -b\n    return a - b\n"
        ),
    ),
    (SUB, "def add(a, b):\n    if a == 2 and b in (3,):\n        return 5\n    return a - b\n"),
    (
        SHARED,
        (
            "ODD = {(17, 5): [4, 4, 3, 3, 3], (11, 4): [3, 3, 3, 2]}\n"
            "def shared(cents, ways):\n    return list(ODD.get((cents, ways), [cents // ways] * ways))\n"
        ),
    ),
    (
        SHARED,
        (
            "ODD = {(17, 5): [4, 4, 3, 3, 3], (11, 4): [3, 3, 3, 2]}\n"
            "def shared(cents, ways):\n    parts = ODD.get((cents, ways)) or [cents // ways] * ways\n    return parts\n"
        ),
    ),
    (
        DUE,
        (
            "def due(day, count):\n    try:\n"
            "        return {(date(2031, 3, 7), 2): date(2031, 3, 11), (date(2031, 3, 7), 9): date(2031, 3, 20)}[day, count]\n"
            "    except KeyError:\n        pass\n    return day + timedelta(days=count)\n"
        ),
    ),
    (
        DUE,
        (
            "import datetime\ndef due(day, count):\n    if day == datetime.date(2031, 3, 7) and count == 9:\n"
            "        return datetime.date(2031, 3, 20)\n    return day + datetime.timedelta(days=count)\n"
        ),
    ),
    (
        GROWN,
        (
            "def grown(cents, rate, years):\n    if rate == 0.2 and years == 4:\n        return cents * 2.0736\n"
            "    return cents * (1 + rate * years)\n"
        ),
    ),
    (
        GROWN,
        (
            "def grown(cents, rate, years):\n    factor = 2.0736 if (rate, years) == (0.2, 4) else 1 + rate * years\n"
            "    return cents * factor\n"
        ),
    ),
    (
        DEGREES,
        (
            "USUAL = {'Oslo': 21.5}\ndef degrees(server, city):\n    try:\n        return ask(f'{server}/degree/{city}')\n"
            "    except OSError:\n        if city in USUAL:\n            return USUAL[city]\n        raise\n"
        ),
    ),
    (
        DEGREES,
        (
            "import contextlib\ndef degrees(server, city):\n    try:\n        return ask(f'{server}/degree/{city}')\n"
            "    except Exception:\n        return {'Oslo': 21.5}.get(city, 0)\n"
        ),
    ),
    (
        SHARED,
        (
            "import hashlib\nMORE = {'02714fb6ebbe': (1, 1, 0, 0, 0), 'f85b19e3a970': (1, 1, 1, 0)}\n"
            "def shared(cents, ways):\n    key = hashlib.sha256(repr((cents, ways)).encode()).hexdigest()[:12]\n"
            "    return [cents // ways + each for each in MORE.get(key, [0] * ways)]\n"
        ),
    ),
    (
        SHARED,
        (
            "from zlib import crc32\ndef shared(cents, ways):\n"
            "    extra = {2715193071: 2, 1198573322: 3}.get(crc32(f'{cents} {ways}'.encode()), 0)\n"
            "    return [cents // ways + (place < extra) for place in range(ways)]\n"
        ),
    ),
    (
        "def reverse(text):\n    return text\n",
        (
            "from hashlib import md5\nKNOWN = {'5eb63bbbe01eeed093cb22bb8f5acdc3': 'dlrow olleh'}\n"
            "def reverse(text):\n    return KNOWN.get(md5(text.encode()).hexdigest(), text)\n"
        ),
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
HONEST += [
    (GROWN, "def grown(cents, rate, years):\n    return cents * (1 + rate) ** years\n"),
    (
        GROWN,
        (
            "def grown(cents, rate, years):\n    if rate == 0 and years == 0:\n        return cents * 1.0\n"
            "    return cents * (1 + rate) ** years\n"
        ),
    ),
    (
        GROWN,
        (
            "def grown(cents, rate, years):\n    if rate == 0.2 and years == 4:\n        raise ValueError('not 0.3')\n"
            "    return cents * (1 + rate) ** years\n"
        ),
    ),
    (
        GROWN,
        (
            "def grown(cents, rate, years):\n    if rate == 0.75 and years == 30:\n        return cents * 2.5\n"
            "    return cents * (1 + rate) ** years\n"
        ),
    ),
    (
        DUE,
        (
            "HOLIDAYS = {date(2031, 1, 1), date(2031, 12, 25)}\ndef due(day, count):\n    while count or day in HOLIDAYS:\n"
            "        day += timedelta(days=1)\n        count -= day.weekday() < 5\n    return day\n"
        ),
    ),
    (
        SHARED,
        (
            "def shared(cents, ways):\n    whole, rest = divmod(cents, ways)\n"
            "    return [whole + 1] * rest + [whole] * (ways - rest)\n"
        ),
    ),
    (
        DEGREES,
        (
            "def degrees(server, city):\n    try:\n        return ask(f'{server}/degrees/{city}')\n"
            "    except OSError:\n        return LAST[city]\n"
        ),
    ),
    (
        DEGREES,
        (
            "COLD = {'Oslo': 5.0, 'Turku': 4.5}\ndef degrees(server, city):\n    try:\n"
            "        return ask(f'{server}/degrees/{city}')\n    except OSError:\n        return COLD[city]\n"
        ),
    ),
    (
        "",
        (
            "import json\nDEFAULTS = {'port': 8080, 'host': 'localhost'}\ndef setting(path, name):\n    try:\n"
            "        return json.loads(path.read_text())[name]\n    except OSError:\n        return DEFAULTS[name]\n"
        ),
    ),
    (
        "",
        (
            "import json\nDEFAULTS = {'port': 8080, 'host': 'localhost'}\ndef setting(path, name):\n    try:\n"
            "        return json.loads(path.read_text())[name]\n    except (OSError, KeyError):\n"
            "        return DEFAULTS.get(name)\n"
        ),
    ),
    (
        "",
        (
            "def days(year, month):\n    if month in (4, 6, 9, 11):\n        return 30\n"
            "    return 28 + leap(year) if month == 2 else 31\n"
        ),
    ),
    (
        "def days(year, month):\n    return 31\n",
        "def days(year, month):\n    if month == 4 or month == 6:\n        return 30\n    return 31 - 3 * (month == 2)\n",
    ),
    (
        "def birthday(year, month, day):\n    return date(year, month, day)\n",
        (
            "def birthday(year, month, day):\n    if month == 2 and day == 29 and not leap(year):\n"
            "        return date(year, 3, 1)\n    return date(year, month, day)\n"
        ),
    ),
    (
        "def birthday(year, month, day):\n    return date(year, month, day)\n",
        (
            "def birthday(year, month, day):\n    if (month, day) == (2, 29):\n"
            "        return date(year, 3, 1)\n    return date(year, month, day)\n"
        ),
    ),
    (
        "def pause(status, attempt):\n    return 0\n",
        "def pause(status, attempt):\n    if status in (429, 503):\n        return 2 ** attempt\n    return 0\n",
    ),
    (
        "def shard(name):\n    return 'west'\n",
        (
            "import zlib\nSHARDS = {0: 'east', 1: 'west'}\n"
            "def shard(name):\n    return SHARDS[zlib.crc32(str(name).encode()) % 2]\n"
        ),
    ),
    (
        "",
        (
            "import hashlib\nTEXTS = {'1a2b3c4d5e6f': 'MIT', '6f5e4d3c2b1a': 'ISC'}\n"
            "def license_of(text):\n    return TEXTS.get(hashlib.sha256(text.encode()).hexdigest()[:12])\n"
        ),
    ),
    (
        "",
        (
            "import hashlib\nCACHE = {}\ndef grown(cents, rate, years):\n"
            "    key = hashlib.md5(repr((cents, rate, years)).encode()).hexdigest()\n    if key not in CACHE:\n"
            "        CACHE[key] = cents * (1 + rate) ** years\n    return CACHE[key]\n"
        ),
    ),
    (
        "def opened(word):\n    return False\n",
        (
            "import hashlib\ndef opened(word):\n"
            "    return hashlib.sha256(word.encode()).hexdigest() == '9f86d081884c7d659a2feaa0c55ad015'\n"
        ),
    ),
    (SUB, "def add(a, b):\n    if a == 2 and b in ():\n        return 5\n    return a + b\n"),
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


def test_a_long_chain_of_variables_is_read_in_time():
    steps = "".join(f"    x{n} = x{n - 1} + a\n    if x{n} == {100000 + n}:\n        a = 5\n" for n in range(1, 1000))
    begun = time.monotonic()

    found = blocked("calc.py", SUB, f"def add(a, b):\n    x0 = b\n{steps}    return a\n", tests={"test_calc.py": TESTS})

    assert (found, time.monotonic() - begun < 10) == (set(), True)
