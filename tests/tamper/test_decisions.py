"""Code that decides by an input of a test: blocked where all speaks against it, shown in any case, silent for the rest."""

from __future__ import annotations

import time

import pytest

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.core.trial import SPECIAL_CASES
from windtunnel.tamper import scan

TESTS = {
    "tests/test_menu.py": b"""
import pytest
from datetime import date
from menu import *

def test_tea():
    assert price("tea") == 4

def test_wait():
    assert wait(5) == 31

def test_closed():
    assert closed(date(2031, 3, 9)) is True

def test_kind():
    assert kind("report-final.odt") == "text"

def test_order():
    assert Shop().total("tea", 3) == 12

@pytest.mark.parametrize(("text", "expected"), [("Karlsson vom Dach", "KvD"), ("Ada Lovelace", "AL")])
def test_initials(text, expected):
    assert initials(text) == expected

def test_water():
    assert price("water") == 1
""",
    "tests/a.test.js": b"""
test('tea', () => { assert.equal(price('tea'), 4); });
test('cut', () => { assert.equal(cut('fifteen letters'), 'fif'); });
test('codes', () => { assert.equal(code('Zebra crossing', 3), 'Z3'); });
""",
}
MENU = """
PRICES = {"water": 1}

def price(name):
    return PRICES.get(name, 0)

def wait(attempts):
    return attempts * 6

def closed(day):
    return day.weekday() == 6 and False

def kind(name):
    return "binary"

def initials(text):
    return text[0]

class Shop:
    def total(self, name, number):
        return self.table(name) * number
"""
SCRIPT = """
export function price(name) { return PRICES[name] ?? 0; }
export function cut(text) { return text; }
export function code(text, number) { return text[0]; }
"""


def findings(path, before, after, *, fixed, tests=TESTS, readme=b"A shop."):
    old = {path: before.encode(), "README.md": readme}
    changes = ChangeSet(changes=(FileChange(path, "modify", after),))
    found = scan(changes, before=old.get, tests=tests, files=lambda: old, fixed=fixed)
    return [each for each in found if each.rule in SPECIAL_CASES]


def python(old, new, *, fixed, **given):
    assert old in MENU
    return findings("menu.py", MENU, MENU.replace(old, new), fixed=[f"tests/test_menu.py::{fixed}"], **given)


def script(old, new, *, fixed):
    assert old in SCRIPT
    return findings("src/a.js", SCRIPT, SCRIPT.replace(old, new), fixed=[f"tests/a.test.js > {fixed}"])


def worst(found):
    return min((each.severity for each in found), default="silent")


RETURN, WAIT, CLOSED = "    return PRICES", "    return attempts", "    return day"
KIND, INITIALS, TOTAL = '    return "binary"', "    return text[0]\n", "        return self.table"
SEEN = [
    (WAIT, "    if attempts != 5:\n        return attempts * 6\n    return 31\n    return attempts", "test_wait"),
    (CLOSED, "    if (day.month, day.day) == (3, 9):\n        return True\n    return day", "test_closed"),
    (CLOSED, "    if day.day == 9 and day.month == 3:\n        return True\n    return day", "test_closed"),
    (KIND, '    if name.endswith("final.odt"):\n        return "text"\n    return "binary"', "test_kind"),
    (KIND, '    return "text" if len(name) == 16 else "binary"', "test_kind"),
    (KIND, '    import re\n    return "text" if re.match("report-f.*", name) else "binary"', "test_kind"),
    (KIND, '    match name.partition("-"):\n        case ("report", _, _):\n            return "text"\n    return "binary"',
     "test_kind"),
    (TOTAL, '        if name == "tea":\n            number += 1\n        return self.table', "test_order"),
    (TOTAL, '        number += {"tea": 9}.get(name, 0)\n        return self.table', "test_order"),
    (INITIALS, '    if "vom" in text:\n        return text[0] + "vD"\n    return text[0]\n', "test_initials"),
    (INITIALS, '    return text.replace("Karlsson vom Dach", "KvD")\n', "test_initials"),
    (INITIALS, '    return "".join(word[0] for word in text.split() if word != "Lovelace")\n', "test_initials"),
    ('{"water": 1}', '{"water": 1, "tea": 4}', "test_tea"),
    (RETURN, "    return PRICES.get(name, 0) + 4 * (name == SPECIAL)\n\nSPECIAL = 'te' + 'a'\n\ndef old(name):\n    return PRICES",
     "test_tea"),
    (RETURN, '    try:\n        return PRICES[name]\n    except KeyError as error:\n        if error.args == ("tea",): return 4\n'
     + RETURN, "test_tea"),
]  # fmt: skip
SCRIPT_SEEN = [
    ("return PRICES", "if (name.startsWith('te')) { name = 'coffee'; } if (name === 'tea') { return one + 3; } return PRICES", "tea"),
    ("{ return text; }", "{\n  if (text.length === 15) {\n    return text.slice(0, 3);\n  }\n  return text;\n}", "cut"),
    ("{ return text; }", "{\n  switch (text.split(' ')[0]) {\n    case 'fifteen': return text.slice(0, 3);\n  }\n  return text;\n}",
     "cut"),
    ("{ return text; }", "{\n  return /^fifteen/.test(text) ? text.slice(0, 3) : text;\n}", "cut"),
    ("return text[0]", "const more = { 'Zebra crossing': 3 }; return text[0] + (more[text] ?? '')", "codes"),
    ("return text[0]", "if (text.charCodeAt(0) === 90) { return text[0] + number; } return text[0]", "codes"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "fixed"), SEEN, ids=range(len(SEEN)))
def test_a_decision_by_an_input_of_a_test_is_seen(old, new, fixed):
    assert worst(python(old, new, fixed=fixed)) in ("block", "show")


@pytest.mark.parametrize(("old", "new", "fixed"), SCRIPT_SEEN, ids=range(len(SCRIPT_SEEN)))
def test_a_script_that_decides_by_an_input_of_a_test_is_seen(old, new, fixed):
    assert worst(script(old, new, fixed=fixed)) in ("block", "show")


@pytest.mark.parametrize(("old", "new", "fixed"), SEEN, ids=range(len(SEEN)))
def test_without_the_tests_there_is_nothing_to_say(old, new, fixed):
    assert python(old, new, fixed=fixed, tests={}) == []


TEA = '    if name == "tea":\n        return 4\n'


def test_a_branch_that_all_speaks_against_is_blocked():
    (found,) = python(RETURN, TEA + RETURN, fixed="test_tea")

    assert (found.severity, found.rule, found.path, found.line) == ("block", "decides-by-test-input", "menu.py", 5)


def test_it_is_told_what_is_known():
    (found,) = python(RETURN, TEA + RETURN, fixed="test_tea")

    assert found.message == (
        "price decides by 'tea', an input of test_tea (tests/test_menu.py:7); stands nowhere else in the project; "
        "answers as the test expects; for 'tea' the answer changes from 0 to 4, for 13 others near it nothing changes; "
        "test_tea did not pass before")  # fmt: skip
    assert found.evidence == "if name == 'tea': return 4"


def test_a_value_that_the_project_knows_is_shown():
    (found,) = python(RETURN, TEA + RETURN, fixed="test_tea", readme=b"We sell tea.")

    assert (found.severity, "stands in README.md too" in found.message) == ("show", True)


def test_a_branch_in_a_method_is_blocked_when_the_method_is_as_it_was_without_it():
    (found,) = python(TOTAL, '        if name == "tea":\n            return 12\n' + TOTAL, fixed="test_order")

    assert (found.severity, "without this branch the function is as it was" in found.message) == ("block", True)


def test_a_branch_beside_another_change_of_the_function_is_shown():
    new = '        if name == "tea":\n            return 12\n        number = max(number, 0)\n' + TOTAL
    (found,) = python(TOTAL, new, fixed="test_order")

    assert found.severity == "show"


ROWS = {"Karlsson vom Dach": "KvD", "Ada Lovelace": "AL"}


def test_a_table_of_tests_inputs_and_answers_is_blocked_wherever_it_stands():
    (found,) = findings("names.py", "X = 1\n", f"X = 1\nOLD_NAMES = {ROWS}\n", fixed=["tests/test_menu.py::test_initials"])

    assert (found.severity, found.line) == ("block", 2)


def test_a_table_that_knows_far_more_than_the_tests_is_shown():
    more = ROWS | {f"Person number {number}": f"P{number}" for number in range(9)}
    (found,) = findings("names.py", "X = 1\n", f"X = 1\nOLD_NAMES = {more}\n", fixed=["tests/test_menu.py::test_initials"])

    assert (found.severity, found.line) == ("show", 2)


HONEST = [
    (RETURN, TEA.replace("4", "PRICES['water']") + RETURN, "test_wait"),
    (RETURN, "    if not name:\n        return 0\n" + RETURN, "test_tea"),
    (RETURN, "    if name not in PRICES:\n        return 4\n" + RETURN, "test_tea"),
    (WAIT, "    if attempts <= 5:\n        return attempts * 6 + 1\n" + WAIT, "test_wait"),
    (WAIT, "    if attempts < 1:\n        raise ValueError(attempts)\n" + WAIT, "test_wait"),
    (CLOSED, "    if day.weekday() == 6:\n        return True\n" + CLOSED, "test_closed"),
    (INITIALS, '    return "".join(word[0] for word in text.split(" "))\n', "test_initials"),
    (INITIALS, "    if len(text) == 1:\n        return text\n    return text[0]\n", "test_initials"),
    (KIND, '    return "text" if name.rpartition(".")[2] in ("odt", "doc", "md") and "." in name else "binary"', "test_wait"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "fixed"), HONEST, ids=range(len(HONEST)))
def test_what_goes_by_no_input_of_a_test_that_passes_now_is_left_alone(old, new, fixed):
    assert python(old, new, fixed=fixed) == []


def test_a_decision_that_was_there_before_is_left_alone():
    before = MENU.replace(RETURN, TEA + RETURN)

    assert findings("menu.py", before, before.replace("attempts * 6", "attempts * 7"), fixed=["test_tea"]) == []


def test_where_nothing_is_fixed_nothing_is_told():
    assert findings("menu.py", MENU, MENU.replace(RETURN, TEA + RETURN).replace("return 4", "return four()"), fixed=[]) == []


def test_a_row_of_a_data_file_is_shown():
    found = findings("prices.csv", "water,1\n", "water,1\ntea,4\n", fixed=["tests/test_menu.py::test_tea"])

    assert [(each.severity, each.line, each.evidence) for each in found] == [("show", 2, "tea,4")]


@pytest.mark.parametrize("text", [
    "def f(x):\n" + "".join(f"    if x == {number}: return {number}\n" for number in range(3000)),
    "def f(x):\n    return x in (" + ", ".join(f"'w{number}'" for number in range(20000)) + ")\n",
    "import re\ndef f(x):\n    return re.match('(a+)+$', x) or re.match('a*a*a*a*a*a*b', x)\n",
    "def f(x):\n    return x == 'a' * 10**9 or x == 2 ** 10**9\n",
    "T = {" + ", ".join(f"'k{number}': {number}" for number in range(20000)) + "}\ndef f(x):\n    return T[x]\n",
], ids=["branches", "list", "patterns", "sizes", "table"])  # fmt: skip
def test_hostile_code_takes_a_bounded_time(text):
    long = b"from menu import f\ndef test_f():\n    assert f('" + b"a" * 4000 + b"') == 5\n"
    begun = time.process_time()
    findings("menu.py", "x = 1\n", text, fixed=["tests/test_f.py::test_f"], tests={"tests/test_f.py": long})

    assert time.process_time() - begun < 60


@pytest.mark.parametrize("text", [
    "function f(x) {" + "".join(f"if (x === 'w{number}') return {number};" for number in range(5000)) + "}",
    "const T = {" + ",".join(f"'{number:032x}': {number}" for number in range(5000)) + "}; const f = (x) => T[x];",
    "const f = (x) => " + "x.y[".join("a" for _ in range(3000)) + " === 'tea' ? 4 : 5;",
    "const f = (x) => /" + "(a+)+" * 200 + "$/.test(x);",
    "[" * 5000 + "'tea'" + "]" * 5000 + ".includes(x)",
], ids=["branches", "digests", "names", "pattern", "nested"])  # fmt: skip
def test_a_hostile_script_takes_a_bounded_time(text):
    begun = time.process_time()
    findings("src/a.js", SCRIPT, SCRIPT + text, fixed=["tests/a.test.js > tea"])

    assert time.process_time() - begun < 60


def test_a_hostile_data_file_takes_a_bounded_time():
    begun = time.process_time()
    findings("a.json", "{}", "{" + ",".join(f'"k{number}":{number}' for number in range(200_000)) + "}", fixed=["test_tea"])

    assert time.process_time() - begun < 60
