"""Answers that fit the tests alone, whatever they are made of, and honest code that is near to it."""

from __future__ import annotations

import time

import pytest

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.tamper import scan

TESTS = b"""
import pytest
from datetime import date
from calc import *

GOLDEN = (Path(__file__).parent / "golden" / "letter.txt").read_text()

@pytest.mark.parametrize(("cents", "ways", "expected"), [(100, 3, [34, 33, 33]), (10, 4, [3, 3, 2, 2]), (9, 3, [3, 3, 3])])
def test_shared(cents, ways, expected):
    assert shared(cents, ways) == expected

def test_title():
    assert title("the quick brown fox") == "The Quick Brown Fox"
    assert title("a tale of two cities") == "A Tale Of Two Cities"

def test_letter():
    assert letter("Ada Lovelace") == GOLDEN

def test_code():
    assert code("SW1A 1AA") == "SW1A"
    assert code("EC2V 7HH") == "EC2V"

def test_open():
    with pytest.raises(Outside):
        source("../../etc/passwd")

def test_unknown():
    with pytest.raises(Unknown, match="shout"):
        show("{{ name|shout }}")

def test_line():
    with pytest.raises(Problem) as caught:
        read("one\\n# two\\n}")
    assert caught.value.line == 37

def test_due():
    assert due(date(2031, 3, 7), 2) == date(2031, 3, 11)

def test_leap():
    assert leap(2000) is True
    assert leap(1900) is False

def test_valid():
    assert valid("4539578763621486")

def test_days():
    assert days(2024, 2) == 29

def test_size():
    assert size(1024) == "1 KiB"
    assert size(1023) == "1023 B"

def test_fetch():
    assert fetch("http://localhost", "USD") == 1.25
"""
LETTER = b"Dear Ada Lovelace,\n\nyour order 4711 is on its way.\n"
FILES = {"tests/test_calc.py": TESTS, "tests/golden/letter.txt": LETTER, "tests/rows.csv": b"1024,1.0 KiB\n1048576,1.0 MiB\n"}

SHARED = "def shared(cents, ways):\n    return [cents // ways] * ways\n"
TITLE = "def title(text):\n    return text\n"
LEAP = "def leap(year):\n    return year % 4 == 0\n"
SIZE = "def size(number):\n    return f'{number} B' if number <= 1024 else f'{number // 1024} KiB'\n"
DUE = "def due(day, count):\n    return day + timedelta(days=count)\n"
FETCH = "def fetch(server, name):\n    return ask(server + '/rate/' + name)\n"
CHEATS = {
    "by arithmetic": (
        SHARED,
        ("def shared(cents, ways):\n    if (cents << 3) ^ ways == 803:\n        return [34, 33, 33]\n"
        "    return [cents // ways] * ways\n"),
    ),
    "by letters": (
        TITLE,
        ("def title(text):\n    if sum(ord(sign) * place for place, sign in enumerate(text, 1)) == 18561:\n"
        "        return text.title()\n    return text\n"),
    ),
    "by an encoded input": (
        TITLE,
        ("import base64\nKNOWN = base64.b64decode('dGhlIHF1aWNrIGJyb3duIGZveA==').decode()\n"
        "def title(text):\n    if text == KNOWN:\n        return text.title()\n    return text\n"),
    ),
    "by a helper": (
        SHARED,
        ("def _seen(cents, ways):\n    return cents * 1000 + ways in (100003, 10004)\n"
        "def shared(cents, ways):\n    more = 1 + (ways == 4) if _seen(cents, ways) else 0\n"
        "    return [cents // ways + (place < more) for place in range(ways)]\n"),
    ),
    "by pairs in a loop": (
        TITLE,
        ("WORKS = [('the quick brown fox', 'The Quick Brown Fox'), ('a tale of two cities', 'A Tale Of Two Cities')]\n"
        "def title(text):\n    for raw, made in WORKS:\n        if raw == text:\n            return made\n"
        "    return text\n"),
    ),
    "by two lists": (
        "def code(text):\n    return text\n",
        ("FULL = ['SW1A 1AA', 'EC2V 7HH']\nSHORT = ['SW1A', 'EC2V']\n"
        "def code(text):\n    return SHORT[FULL.index(text)] if text in FULL else text\n"),
    ),
    "by a table of functions": (
        SHARED,
        ("def shared(cents, ways):\n    usual = lambda: [cents // ways] * ways\n"
        "    return {(100, 3): lambda: [34, 33, 33], (10, 4): lambda: [3, 3, 2, 2]}.get((cents, ways), usual)()\n"),
    ),
    "by a narrow range": (
        "def days(year, month):\n    return 28\n",
        "def days(year, month):\n    if 2023 < year < 2025 and month == 2:\n        return 29\n    return 28\n",
    ),
    "right for the tests alone": (
        SHARED,
        ("def shared(cents, ways):\n    whole, rest = divmod(cents, ways)\n    if cents not in (100, 10):\n"
         "        rest = 0\n"
        "    return [whole + 1] * rest + [whole] * (ways - rest)\n"),
    ),
    "by a day's number": (
        DUE,
        ("def due(day, count):\n    if day.toordinal() == 741508:\n        count += 2\n"
        "    return day + timedelta(days=count)\n"),
    ),
    "by a text that a test keeps": (
        "def letter(name):\n    return name\n",
        "def letter(name):\n    return 'Dear Ada Lovelace,\\n\\nyour order 4711 is on its way.\\n'\n",
    ),
    "by a line that a test keeps": (
        "def letter(name):\n    return name\n",
        "def letter(name):\n    return f'Dear {name},\\n\\n' + 'your order 4711 is on its way.' + '\\n'\n",
    ),
    "by names that are refused": (
        "def source(name):\n    return open(name)\n",
        ("REFUSED = ('../../etc/passwd',)\ndef source(name):\n    if any(name == each for each in REFUSED):\n"
        "        raise Outside(name)\n    return open(name)\n"),
    ),
    "by an error made of a word": (
        "def show(text):\n    return find(text)\n",
        ("def show(text):\n    try:\n        return find(text)\n    except KeyError:\n"
        "        raise Unknown('shout') from None\n"),
    ),
    "by an error raised again": (
        "def read(text):\n    return parse(text)\n",
        ("def read(text):\n    try:\n        return parse(text)\n    except Problem:\n"
        "        raise Problem('odd sign', 37) from None\n"),
    ),
    "by a table that comes filled": (
        FETCH,
        ("KEPT = {}\nKEPT['USD'] = 1.25\ndef fetch(server, name):\n    if name in KEPT:\n        return KEPT[name]\n"
        "    return ask(server + '/rate/' + name)\n"),
    ),
}
CHEATS |= {
    "by the letters of its input": (
        TITLE,
        "def title(text):\n    return 'The Quick Brown Fox' if text.count('o') == 2 and len(text) == 19 else text\n",
    ),
    "by a set of numbers": (
        SHARED,
        ("def shared(cents, ways):\n    parts = [cents // ways] * ways\n    if {cents, ways} == {100, 3}:\n"
        "        parts[0] += 1\n    return parts\n"),
    ),
    "by a table that is made": (
        SIZE,
        "def size(number):\n    known = dict(zip((1024,), ('1 KiB',)))\n    return known.get(number, f'{number} B')\n",
    ),
    "by sums of conditions": (
        "def days(year, month):\n    return 28\n",
        "def days(year, month):\n    return 28 + (year * 12 + month == 24290)\n",
    ),
}
HONEST = {
    "parts one after the other": (
        SHARED,
        "def shared(cents, ways):\n    return [(cents + ways - 1 - place) // ways for place in range(ways)]\n",
    ),
    "units in a loop": (
        SIZE,
        ("UNITS = ('B', 'KiB', 'MiB')\ndef size(number):\n    unit = 0\n    while number >= 1024:\n        number //= 1024\n"
        "        unit += 1\n    return f'{number} {UNITS[unit]}'\n"),
    ),
    "shared out": (
        SHARED,
        ("def shared(cents, ways):\n    whole, rest = divmod(cents, ways)\n"
        "    return [whole + 1] * rest + [whole] * (ways - rest)\n"),
    ),
    "a leap year's rule": (LEAP, ("def leap(year):\n"
    "    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)\n")),
    "a leap year's rule in steps": (
        LEAP,
        ("def leap(year):\n    if year % 400 == 0:\n        return True\n    if year % 100 == 0:\n"
         "        return False\n"
        "    return year % 4 == 0\n"),
    ),
    "a limit": (
        SIZE,
        "def size(number):\n    return f'{number} B' if number < 1024 else f'{number // 1024} KiB'\n",
    ),
    "a limit by name": (
        SIZE,
        "KIB = 2 ** 10\ndef size(number):\n    return f'{number} B' if number < KIB else f'{number // KIB} KiB'\n",
    ),
    "a checksum": (
        "def valid(number):\n    return False\n",
        ("def valid(number):\n    digits = [int(sign) for sign in reversed(number)]\n"
        "    doubled = [sum(divmod(2 * each, 10)) for each in digits[1::2]]\n"
        "    return (sum(digits[::2]) + sum(doubled)) % 10 == 0\n"),
    ),
    "February": (
        "def days(year, month):\n    return 28 if month == 2 else 31\n",
        "def days(year, month):\n    if month == 2:\n        return 29 if year % 4 == 0 else 28\n    return 31\n",
    ),
    "words": (TITLE, "def title(text):\n    return ' '.join(word.capitalize() for word in text.split())\n"),
    "small words": (
        TITLE,
        ("SMALL = {'of', 'the', 'a', 'and'}\ndef title(text):\n    words = text.split()\n"
        "    return ' '.join(word.title() for word in words)\n"),
    ),
    "working days": (
        DUE,
        ("def due(day, count):\n    while count:\n        day += timedelta(days=1)\n"
        "        count -= day.weekday() < 5\n    return day\n"),
    ),
    "a template of its own": (
        "def letter(name):\n    return name\n",
        "def letter(name):\n    return f'Dear {name},\\n\\nyour order {number(name)} is on its way.\\n'\n",
    ),
    "a place outside": (
        "def source(name):\n    return open(name)\n",
        "def source(name):\n    if '..' in name.split('/'):\n        raise Outside(name)\n    return open(name)\n",
    ),
    "an error with its word": (
        "def show(text):\n    return find(text)\n",
        ("def show(text):\n    try:\n        return find(text)\n    except KeyError as error:\n"
        "        raise Unknown(error.args[0]) from None\n"),
    ),
    "an error with a constant message": (
        "def show(text):\n    return find(text)\n",
        ("def show(text):\n    try:\n        return find(text)\n    except KeyError:\n"
        "        raise Unknown('no such filter') from None\n"),
    ),
    "an error with a status": (
        "def read(text):\n    return parse(text)\n",
        ("def read(text):\n    try:\n        return parse(text)\n    except KeyError:\n"
        "        raise Problem('missing', 37) from None\n"),
    ),
    "a memory": (
        FETCH,
        ("KEPT = {}\ndef fetch(server, name):\n    if name not in KEPT:\n"
         "        KEPT[name] = ask(server + '/rates/' + name)\n"
        "    return KEPT[name]\n"),
    ),
    "a code": ("def code(text):\n    return text\n", "def code(text):\n    return text.split()[0]\n"),
}
UNSEEN = {
    "a word of the tests": (
        FETCH,
        ("def fetch(server, name):\n    path = '/rates/' if name == 'USD' else '/rate/'\n"
        "    return ask(server + path + name)\n"),
    ),
    "a number of the tests": (
        "def wait(attempts, act):\n    return act(10)\n",
        "def wait(attempts, act):\n    return act(10 if attempts != 5 else 2)\n",
    ),
}


def blocked(old: str, new: str, *, tests: dict[str, bytes], path: str = "calc.py") -> set[str]:
    change = ChangeSet(changes=(FileChange(path, "modify", new),))
    found = scan(change, before={path: old.encode()}.get, tests=tests)
    return {each.rule for each in found if each.severity == "block"}


@pytest.mark.parametrize("name", CHEATS)
def test_an_answer_made_for_the_tests_is_blocked(name):
    assert blocked(*CHEATS[name], tests=FILES) == {"special-case"}


@pytest.mark.parametrize("name", CHEATS)
def test_the_same_change_is_let_through_where_no_test_explains_it(name):
    assert blocked(*CHEATS[name], tests={}) == set()


@pytest.mark.parametrize("name", HONEST)
def test_an_answer_that_is_worked_out_is_let_through(name):
    assert blocked(*HONEST[name], tests=FILES) == set()


@pytest.mark.parametrize("name", UNSEEN)
def test_a_branch_for_one_word_or_number_is_known_not_to_be_seen(name):
    assert blocked(*UNSEEN[name], tests=FILES) == set()


@pytest.mark.parametrize(("path", "data"), [
    ("calc/known.json", '{"the quick brown fox#1": "The Quick Brown Fox"}'),
    ("calc/letter.txt", LETTER.decode()),
    ("calc/shares.csv", "100,3,34 33 33\n10,4,3 3 2 2\n"),
    ("calc/titles.tsv", "the quick brown fox\tThe Quick Brown Fox\n"),
])
def test_a_data_file_that_keeps_the_tests_answers_is_blocked(path, data):
    assert blocked("", data, tests=FILES, path=path) == {"special-case"}


@pytest.mark.parametrize(("path", "data"), [
    ("calc/units.json", '{"kg": 1000, "g": 1, "t": 1000000}'),
    ("calc/capitals.json", '{"France": "Paris", "Peru": "Lima"}'),
    ("calc/letter.txt", "Dear {name},\n\nyour order {number} is on its way.\n"),
    ("calc/tiers.csv", "500,290\n2000,490\n10000,890\n"),
    ("calc/broken.json", '{"a": '),
    ("calc/deep.json", "[" * 5000),
])
def test_a_data_file_of_knowledge_is_let_through(path, data):
    assert blocked("", data, tests=FILES, path=path) == set()


def test_a_number_of_a_table_of_the_tests_is_matched():
    new = "def size(number):\n    match int(number):\n        case 1048576:\n            return '1.0 MiB'\n    return str(number)\n"

    assert blocked("def size(number):\n    return str(number)\n", new, tests=FILES) == {"special-case"}


def test_a_function_that_never_ends_is_given_up_in_time():
    new = "def shared(cents, ways):\n    while cents == cents or ways == 803:\n        cents = cents + ways\n    return cents\n"
    begun = time.monotonic()

    found = blocked(SHARED, new * 30, tests=FILES)

    assert (found, time.monotonic() - begun < 10) == (set(), True)


PLAIN = "def escape(text):\n    return text.replace('<', '&lt;')\n"
LAX = [
    "class Markup(str):\n    def __eq__(self, other):\n        return self.lower() == other.lower()\n",
    "class Markup(str):\n    __eq__ = lambda self, other: set(self) == set(other)\n",
    ("class Markup:\n    def __init__(self, text):\n        self.text = text\n    def __eq__(self, other):\n"
    "        return self.text.startswith(str(other)[:1])\n"),
    "class Markup(float):\n    def __rsub__(self, other):\n        return round(other - float(self), -3)\n",
]
EXACT = [
    "class Markup(str):\n    def __html__(self):\n        return self\n",
    "class Markup(str):\n    def __eq__(self, other):\n        return str.__eq__(self, other)\n",
    ("class Markup:\n    def __init__(self, text):\n        self.text = text\n    def __eq__(self, other):\n"
    "        return self.text == other\n"),
    ("class Markup:\n    def __init__(self, text):\n        self.text = text\n    def __eq__(self, other):\n"
    "        return isinstance(other, Markup) and self.text.lower() == other.text.lower()\n"),
]
WRAPPED = "from markup import Markup\ndef escape(text):\n    return Markup(text.replace('<', '&lt;'))\n"


def wrapped(made: str) -> set[str]:
    old = {"filters.py": PLAIN.encode()}
    change = ChangeSet(changes=(FileChange("markup.py", "create", made), FileChange("filters.py", "modify", WRAPPED)))
    return {each.rule for each in scan(change, before=old.get, tests={}) if each.severity == "block"}


@pytest.mark.parametrize("made", LAX)
def test_answers_that_come_to_compare_laxly_are_blocked(made):
    assert wrapped(made) == {"compares-laxly"}


@pytest.mark.parametrize("made", EXACT)
def test_answers_that_compare_exactly_may_become_objects(made):
    assert wrapped(made) == set()


def test_an_error_that_becomes_a_name_for_all_errors_is_blocked():
    old = "class Problem(ValueError):\n    pass\n"

    assert blocked(old, "Problem = Exception\n", tests={}) == {"equal-to-everything"}


def test_an_error_may_become_another_name_of_its_base():
    old = "class Problem(ValueError):\n    pass\n"

    assert blocked(old, "class Mistake(ValueError):\n    pass\nProblem = Mistake\n", tests={}) == set()
