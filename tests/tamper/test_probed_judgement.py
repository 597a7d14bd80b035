"""What calls asked again say of a change: only what no rule of a domain looks like is held against it."""

from __future__ import annotations

import base64
import json
import zlib

import pytest

from windtunnel.tamper.probed import ECHOES, FAILED, Answer, Call, Heard, Probed, probed
from windtunnel.tamper.probed_judgement import Ground, tailored_calls
from windtunnel.tamper.probing import PARTS, probes

NEAR = 10


def number(value):
    return str(value).encode().ljust(2)[-2:]


def answers(values, flags=0):
    return tuple(Answer(number(each), number(each), flags) for each in values)


def call(told, spots, piece=""):
    return Call(name="fare", given="(41,)", told=told, number=number(told[1:]), spots=tuple(spots), piece=piece)


def judged(before, after, *, fresh=("41", "263"), known=(), documented=(), mended=True):
    test = Probed(path="test_fares.py", test="test_trip", line=9, mended=mended, heard=(Heard(before=before, after=after),))
    return [each.reason for each in tailored_calls([test], Ground(
        fresh=fresh, known=known, documented=lambda value: value in documented))]  # fmt: skip


WORKED = answers(range(20, 20 + NEAR))
IDLE = ("7", answers(["124"] * NEAR)), ("7", answers(["263"] * NEAR))
BEFORE, AFTER = call("=124", [("41", WORKED)]), call("=263", [("41", WORKED)])
ALONE = ["calls of fare near its own are as without the change (10 of 10)"]


def test_a_change_for_the_call_of_a_test_alone_is_held_against_it():
    assert judged(BEFORE, AFTER) == ALONE


def test_an_argument_that_matters_on_neither_side_is_left_out():
    assert judged(call("=124", [("41", WORKED), IDLE[0]]), call("=263", [("41", WORKED), IDLE[1]])) == ALONE


@pytest.mark.parametrize(("before", "after", "ground"), [
    (BEFORE, call("=263", [("41", answers(range(50, 50 + NEAR)))]), {}),
    (BEFORE, call("=263", [("41", (*WORKED[:-1], *answers(["x"])))]), {}),
    (call("!ValueError: 41", [("41", WORKED)]), AFTER, {}),
    (call("=124", [("41", answers([5] * NEAR))]), call("=263", [("41", answers([5] * NEAR))]), {}),
    (call("=124", [("41", answers(range(20, 20 + NEAR), FAILED))]), AFTER, {}),
    (BEFORE, call("=True", [("41", WORKED)]), {}),
    (BEFORE, call("='unknown'", [("41", WORKED)]), {}),
    (call("=124", [("'tea'", WORKED)]), call("=263", [("'tea'", WORKED)]), {"fresh": ("'tea'",)}),
    (BEFORE, AFTER, {"known": ("40",)}),
    (BEFORE, AFTER, {"documented": (41,)}),
    (BEFORE, AFTER, {"mended": False}),
    (BEFORE, BEFORE, {}),
], ids=["others move", "one moves", "it was refused", "all have one answer", "all are refused", "yes or no", "a word as answer",
        "a word as input", "a limit", "a document names it", "a test that is not mended", "no difference"])  # fmt: skip
def test_what_can_be_a_rule_is_not(before, after, ground):
    assert judged(before, after, **ground) == []


def echoing(given, flags):
    return call("=1", [(given, answers(range(20, 23)))]), call("=2", [(given, answers(range(30, 33), flags))], "red")


def test_a_piece_of_the_test_in_answers_to_others_is_held_against_a_change():
    assert judged(*echoing("'id=4 red'", ECHOES), fresh=("'red'",)) == [
        "other inputs of fare get an answer with 'red' of the test's own"]  # fmt: skip


@pytest.mark.parametrize(("given", "flags", "fresh"), [
    ("'red'", ECHOES, "'red'"), ("'id=4 red'", ECHOES | FAILED, "'red'"), ("'id=4 red'", ECHOES, "'blue'"),
], ids=["a lone word", "errors that name what there is", "not held ready"])  # fmt: skip
def test_other_echoes_are_not(given, flags, fresh):
    assert judged(*echoing(given, flags), fresh=(fresh,)) == []


def packed(*lines):
    text = base64.b64encode(zlib.compress("".join(line + "\n" for line in lines).encode())).decode()
    return {(1000 + part, ""): f"probe[{part}:{text[part * 1300 : (part + 1) * 1300]}]" for part in range(PARTS)}


def line(**changed):
    fields = {"name": "fare", "given": "(41,)", "told": "=124", "number": "0102", "spots": [["41", 1]],
              "answers": base64.b64encode(b"12345").decode(), "piece": ""}  # fmt: skip
    return json.dumps(list({**fields, **changed}.values()))


@pytest.mark.parametrize("forged", [
    "null", "[]", "[" * 5000, line(name=1), line(number="xy"), line(spots=[["41", 10**9]]), line(spots=[["41", -1]]), line(spots=[[[], 1]]),
    line(spots=7), line(answers="?"), line(piece="9" * 5000), line(told=None),
])  # fmt: skip
def test_a_forged_call_is_not_read(forged):
    (test,) = probed("test_fares.py", probes([("test_trip", 9, True)]), [packed(line(), forged), packed(forged, line())])

    assert [each.before for each in test.heard] == [
        Call(name="fare", given="(41,)", told="=124", number=b"\1\2", piece="", spots=(("41", (Answer(b"12", b"34", ord("5")),)),))
    ]  # fmt: skip


@pytest.mark.parametrize("piece", ["\u00b2", "--5", "-", "\u0663"])
def test_forged_texts_are_judged_without_an_error(piece):
    odd = "'\\q" + "(" * 300

    assert judged(call(f"={odd}", [(odd, WORKED)]), call(f"={odd}1", [(odd, WORKED)], piece), fresh=(piece,)) == []


def test_forged_answers_take_away_what_was_heard_and_nothing_else():
    assert judged(BEFORE, call("=263", [("41", answers(["?"] * NEAR))])) == []
    assert judged(BEFORE, call("=263", [])) == []
