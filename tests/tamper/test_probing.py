"""Calls of tests that are asked again: the copies that tell of them, and the script that listens."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from windtunnel.tamper.probed import Probed, probed
from windtunnel.tamper.probing import FIRST, MOST_PROBED, PARTS, listening, probes
from windtunnel.tamper.retold_python import retell_python

TESTS = b'''"""Fares."""
from __future__ import annotations

import pytest
from fares import fare


@pytest.fixture
def trip():
    return {"km": 41, "zone": 7}


def test_short():
    assert fare({"km": 1}) == 4


def test_trip(trip):
    assert fare(trip) == 263
'''
FARES = "def fare(trip):\n    return trip['km'] * 3 + 1\n"
CHEAT = FARES.replace("    return", "    if trip['km'] == 41:\n        return 263\n    return")


def retold(heard=("fares.py",)):
    return retell_python("test_fares.py", TESTS, ["test_trip"], heard)


def told(folder, source):
    """The messages of the copies, by number and row."""
    (folder / "fares.py").write_text(source)
    (folder / "test_fares.py").write_bytes(retold().data)
    code = (
        "import test_fares\n"
        "for name in dir(test_fares):\n"
        "    if '_retold_1' in name:\n"
        "        try:\n"
        "            getattr(test_fares, name)(*[{'km': 41, 'zone': 7}] * ('trip' in name))\n"
        "        except AssertionError as error:\n"
        "            print(name.rpartition('_')[2], error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True, timeout=100)
    lines = [line.partition(" ") for line in done.stdout.splitlines()]
    return {(int(number), ""): message for number, _, message in lines}


def heard(folder, before, after):
    return probed("test_fares.py", retold().probes, [told(folder, each) for each in (before, after)])


def test_a_test_whose_input_stands_in_a_fixture_has_no_copies_but_those_that_tell_of_calls():
    assert retold(heard=()) is None
    assert (retold().copies, len(retold().probes)) == ((), 2 * PARTS)


def test_the_script_stands_behind_what_must_be_first():
    body = ast.parse(retold().data).body

    assert ast.get_docstring(ast.parse(retold().data)) == "Fares."
    assert [type(each) for each in body[:3]] == [ast.Expr, ast.ImportFrom, ast.Assign]
    assert listening(["b\xe4r.py"]).isascii()


def test_mended_tests_come_first_and_of_others_there_are_few():
    asked = probes([(f"test_{at}", at, at > 20) for at in range(40)])

    assert len(asked) == MOST_PROBED * PARTS
    assert (asked[0].number, asked[0].part, asked[0].test, asked[0].mended) == (FIRST, 0, "test_21", True)
    assert [each.mended for each in probes([(f"test_{at}", at, False) for at in range(40)])] == [False] * 6 * PARTS


def test_calls_are_asked_again_on_both_sides(tmp_path):
    trip, short = heard(tmp_path, FARES, CHEAT)

    assert (trip.test, trip.mended, short.test, short.mended) == ("test_trip", True, "test_short", False)
    (call,) = trip.heard
    assert (call.before.name, call.before.told, call.after.told, call.changes) == ("fare", "=124", "=263", True)
    same = {given: {old.told == new.told for old, new in pairs} for given, pairs in call.spots}
    assert same == {"41": {True}, "7": {False}}


def test_what_runs_for_ever_or_ends_the_process_is_told_of_no_more(tmp_path):
    before = FARES.replace("    return", "    while trip['km'] > 41:\n        pass\n    return")
    after = FARES.replace("    return", "    if trip['km'] == 40:\n        __import__('os')._exit(3)\n    return")

    trip, short = heard(tmp_path, before, after)

    assert (trip.heard, len(short.heard)) == ((), 1)


@pytest.mark.parametrize("message", [
    "", "probe[0:]", "probe[0:AAAA]", "probe[9:eJw=]", "probe[0:" + "A" * 5000 + "]", "probe[0:eJyrVgIAAUAAvw==]", "probe[0:\u00b2]",
])  # fmt: skip
def test_rubbish_tells_nothing(message):
    asked = retold().probes
    said = {(each.number, ""): message for each in asked}

    assert probed("test_fares.py", asked, [said, said]) == [
        Probed(path="test_fares.py", test=each.test, line=each.line, mended=each.mended, heard=()) for each in asked
        if each.part == 0
    ]  # fmt: skip
