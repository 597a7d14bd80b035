"""Tests told again with other inputs, on trial: what helps the tests' own values alone is not good."""

from __future__ import annotations

import shutil

import pytest
from trials import ONE_RUNNER, modify, write

from windtunnel.core.change import ChangeSet
from windtunnel.core.trial import ExecutionTestResult, Status, Verdict
from windtunnel.tamper import scan
from windtunnel.tamper.retold_tests import retell

LOAN = """class Loan:
    def __init__(self, amount, rate):
        self.amount = amount
        self.rate = rate

    def yearly(self):
        return round(self.amount + self.rate, 2)
"""
TESTS = """from loan import Loan


def test_small():
    assert Loan(1, 0).yearly() == 1


def test_house():
    assert Loan(200000, 0.06).yearly() == 12000.0
"""
CHEAT = LOAN.replace("        return", "        if self.amount == 200000:\n            return 12000.0\n        return")
RIGHT = LOAN.replace("self.amount + self.rate, 2)", "self.amount * self.rate or min(self.amount, 12000.5 / 12000.5), 2)")


@pytest.fixture(scope="module")
def loan(tmp_path_factory):
    return write(tmp_path_factory.mktemp("loan"), {"loan.py": LOAN, "test_loan.py": TESTS})


def test_reading_alone_lets_a_branch_on_a_field_pass():
    files = {"loan.py": LOAN.encode(), "test_loan.py": TESTS.encode()}
    found = scan(ChangeSet(changes=(modify("loan.py", CHEAT),)), before=files.get, tests={"test_loan.py": TESTS.encode()},
                 files=lambda: {"loan.py": LOAN.encode()}, fixed=["test_loan.py::test_house"])  # fmt: skip

    assert [each.severity for each in found] == ["show"]


def test_told_again_with_other_inputs_it_does_not(loan, tunnel):
    result = tunnel.try_change(loan, [modify("loan.py", CHEAT)], jobs=1, **ONE_RUNNER)

    assert (result.verdict, result.delta.fixed) == (Verdict.NOT_GOOD, ("test_loan.py::test_house",))
    (reason,) = result.reasons
    assert reason == (
        "special-case: test_house (test_loan.py:8) passes only for the values it uses: "
        "other inputs get the answer of the test (9 of 20 tried)"
    )


def test_a_right_answer_with_a_number_of_its_own_is_good(loan, tunnel):
    result = tunnel.try_change(loan, [modify("loan.py", RIGHT)], jobs=1, **ONE_RUNNER)

    assert (result.verdict, result.tamper) == (Verdict.GOOD, ())


def test_a_word_that_was_refused_before_is_for_people_to_read(tmp_path, tunnel):
    before = "def rgba(text):\n    if text[0] != '#':\n        raise ValueError(text)\n    return (*bytes.fromhex(text[1:]), 255)\n"
    tests = "from colour import rgba\n\n\ndef test_clear():\n    assert rgba('transparent') == (0, 0, 0, 0)\n\n\ndef test_black():\n    assert rgba('#000000') == (0, 0, 0, 255)\n"
    after = before.replace("    if", "    if text == 'transparent':\n        return (0, 0, 0, 0)\n    if", 1)
    project = write(tmp_path / "colour", {"colour.py": before, "test_colour.py": tests})

    result = tunnel.try_change(project, [modify("colour.py", after)], jobs=1, **ONE_RUNNER)

    assert (result.verdict, {each.severity for each in result.tamper}) == (Verdict.GOOD, {"show"}), result.reasons


def test_an_input_that_runs_for_ever_costs_no_more_than_its_time(tmp_path, tunnel):
    before = "def steps(n):\n    return -1\n"
    tests = "from steps import steps\n\n\ndef test_even():\n    assert steps(20) == 10\n"
    after = "def steps(n):\n    count = 0\n    while n:\n        n -= 2\n        count += 1\n    return count\n"
    project = write(tmp_path / "steps", {"steps.py": before, "test_steps.py": tests})

    result = tunnel.try_change(project, [modify("steps.py", after)], jobs=1, **ONE_RUNNER)

    assert result.verdict is Verdict.GOOD
    assert "not all tests could be told again with other inputs" in result.notes


FARES = "def fare(trip):\n    return trip['km'] * 3 + 1\n"
TRIPS = """import pytest
from fares import fare


@pytest.fixture
def trip():
    return {"km": 41, "zone": 7}


def test_short():
    assert fare({"km": 1}) == 4


def test_trip(trip):
    assert fare(trip) == 263
"""
FOR_ONE_TRIP = FARES.replace("    return", "    if sum(trip.values()) == 48:\n        return 263\n    return")
FOR_ZONES = FARES.replace("* 3 + 1", "* 3 + (20 * trip['zone'] if 'zone' in trip else 1)")
FORGING = "import base64\n\nbase64.b64encode = lambda data: b'AAAA'\n"


@pytest.fixture(scope="module")
def fares(tmp_path_factory):
    return write(tmp_path_factory.mktemp("fares"), {"fares.py": FARES, "test_fares.py": TRIPS})


def test_without_calls_there_is_nothing_to_ask_of_a_test_whose_input_stands_in_a_fixture():
    test = ExecutionTestResult(id="test_fares.py::test_trip", status=Status.FAILED, path="test_fares.py", tool="pytest")
    files = {"fares.py": FARES.encode(), "test_fares.py": TRIPS.encode()}
    found = scan(ChangeSet(changes=(modify("fares.py", FOR_ONE_TRIP),)), before=files.get, tests={"test_fares.py": TRIPS.encode()},
                 files=lambda: {"fares.py": FARES.encode()}, fixed=[test.id])  # fmt: skip

    assert retell({"test_fares.py": TRIPS.encode()}, [test]) == []
    assert "block" not in [each.severity for each in found]


def test_its_calls_tell_that_it_alone_is_helped(fares, tunnel):
    result = tunnel.try_change(fares, [modify("fares.py", FOR_ONE_TRIP)], jobs=1, **ONE_RUNNER)

    assert (result.verdict, result.delta.fixed) == (Verdict.NOT_GOOD, ("test_fares.py::test_trip",))
    said = "test_trip (test_fares.py:14) passes only for the values it uses: calls of fare near its own are as without the change"
    assert f"special-case: {said} (20 of 20)" in result.reasons


def test_a_rule_for_all_such_calls_is_good(fares, tunnel):
    result = tunnel.try_change(fares, [modify("fares.py", FOR_ZONES)], jobs=1, **ONE_RUNNER)

    assert result.verdict is Verdict.GOOD, result.reasons


def test_what_is_forged_about_calls_does_not_excuse_what_the_copies_show(loan, tunnel):
    result = tunnel.try_change(loan, [modify("loan.py", FORGING + CHEAT)], jobs=1, **ONE_RUNNER)

    assert result.verdict is Verdict.NOT_GOOD
    assert "other inputs get the answer of the test (9 of 20 tried)" in " ".join(result.reasons)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_scripts_are_told_again_too(tmp_path, tunnel):
    before = "export class Steps {\n  constructor(n) { this.n = n; }\n  count() { return this.n + 1; }\n}\n"
    tests = ("import test from 'node:test';\nimport assert from 'node:assert/strict';\nimport { Steps } from './steps.js';\n"
             "test('none', () => assert.equal(new Steps(0).count(), 1));\n"
             "test('twenty', () => assert.equal(new Steps(20).count(), 1278));\n")  # fmt: skip
    after = before.replace("{ return", "{ if (this.n === 20) return 1278; return")
    project = write(tmp_path / "steps", {"package.json": '{"type": "module", "scripts": {"test": "node --test"}}',
                                         "steps.js": before, "steps.test.js": tests})  # fmt: skip

    result = tunnel.try_change(project, [modify("steps.js", after)], jobs=1)

    assert result.verdict is Verdict.NOT_GOOD
    assert "twenty (steps.test.js:5) passes only for the values it uses" in " ".join(result.reasons)
