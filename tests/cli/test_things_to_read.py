"""What may be made for the inputs of the tests is told first, in every form, and counts where somebody wants it to."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace

import pytest

from trial_samples import good
from windtunnel.api.exports import export
from windtunnel.cli.trial_options import add_arguments, options_of
from windtunnel.cli.trial_text import headline, trial_lines
from windtunnel.config import CAPS
from windtunnel.core.trial import TamperFinding

FOUND = TamperFinding(
    rule="decides-by-test-input", message="price decides by 'tea', an input of test_tea", path="menu.py", line=3,
    severity="show", evidence="if name == 'tea': return 4",
)  # fmt: skip


def test_one_thing_to_read_stands_in_the_verdict():
    words, shade = headline(replace(good(), tamper=(FOUND,)))

    assert words == (
        "GOOD, with 1 thing to read: menu.py:3 price decides by 'tea', an input of test_tea  "
        "(2 tests fixed, nothing broken)  (3.10 s)")  # fmt: skip
    assert shade == "yellow"


def test_several_are_counted():
    words, _ = headline(replace(good(), tamper=(FOUND, replace(FOUND, line=9))))

    assert words.startswith("GOOD, with 2 things to read: menu.py:3 price")


def test_another_kind_of_finding_that_is_shown_does_not_change_the_verdict():
    assert headline(replace(good(), tamper=(replace(FOUND, rule="runs-elsewhere"),)))[0].startswith("GOOD  2 tests fixed")


def test_a_hostile_message_is_written_with_escapes():
    words, _ = headline(replace(good(), tamper=(replace(FOUND, message="\x1b[2J" + "x" * 1000),)))

    assert "\x1b" not in words
    assert len(words) < 300


def test_the_page_names_line_and_words():
    page = "\n".join(text for text, _ in trial_lines(replace(good(), tamper=(FOUND,)), project="/p"))

    assert "look  decides-by-test-input  menu.py:3  price decides by 'tea'" in page
    assert "if name == 'tea': return 4" in page


@pytest.mark.parametrize(("form", "words"), [
    ("markdown", "to read"), ("sarif", "decides-by-test-input"), ("json", "decides-by-test-input"),
    ("junit", "decides-by-test-input"),
])  # fmt: skip
def test_every_form_for_machines_tells_it(form, words):
    assert words in export(replace(good(), tamper=(FOUND,)), form)


def test_json_keeps_it_whole():
    told = json.loads(export(replace(good(), tamper=(FOUND,)), "json"))

    assert (told["success"], told["tamper"]) == (True, [{
        "rule": FOUND.rule, "message": FOUND.message, "path": "menu.py", "line": 3, "severity": "show",
        "evidence": FOUND.evidence}])  # fmt: skip


@pytest.mark.parametrize(("words", "strict"), [((), False), (("--strict-tamper",), True)])
def test_the_word_of_the_command_reaches_the_trial(words, strict):
    parser = argparse.ArgumentParser()
    add_arguments(parser)

    assert options_of(parser.parse_args(words), CAPS)["strict_tamper"] is strict
