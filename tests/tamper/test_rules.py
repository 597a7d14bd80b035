"""Every rule about product code, by its own examples."""

from __future__ import annotations

import pytest

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.tamper import scan
from windtunnel.tamper.product import RULES
from windtunnel.tamper.scan import SCRIPT_RULES

EXAMPLES = [each for rule in (*RULES, *SCRIPT_RULES) for each in rule.examples]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: f"{each.path}: {each.after[:60]!r}")
def test_a_rule_blocks_exactly_what_its_example_says(example):
    old = {example.path: example.before.encode()} if example.before else {}
    change = ChangeSet(changes=(FileChange(example.path, "modify", example.after),))

    found = scan(change, before=old.get)

    assert {each.rule for each in found if each.severity == "block"} == set(example.blocks)


@pytest.mark.parametrize("rule", [*RULES, *SCRIPT_RULES], ids=lambda rule: rule.name)
def test_a_rule_has_examples_of_both_kinds(rule):
    assert {bool(each.blocks) for each in rule.examples} == {True, False}


@pytest.mark.parametrize("example", [each for each in EXAMPLES if each.blocks], ids=lambda each: f"{each.after[:60]!r}")
def test_what_was_there_before_is_no_finding(example):
    change = ChangeSet(changes=(FileChange(example.path, "modify", example.after + "\n\n"),))

    found = scan(change, before={example.path: example.after.encode()}.get)

    assert [each for each in found if each.severity == "block"] == []


def test_code_that_moves_to_another_file_is_not_new():
    text = "import os\ndef stop():\n    os._exit(3)\n"
    change = ChangeSet(changes=(FileChange("old.py", "delete"), FileChange("new.py", "create", text)))

    assert [each for each in scan(change, before={"old.py": text.encode()}.get) if each.severity == "block"] == []


def test_a_finding_says_where_and_shows_the_words():
    change = ChangeSet(changes=(FileChange("calc.py", "modify", "import os\n\nos._exit(0)\n"),))

    (found,) = scan(change, before={"calc.py": b""}.get)

    assert (found.path, found.line, found.evidence) == ("calc.py", 3, "os._exit")


def test_code_that_this_python_cannot_read_is_still_searched():
    change = ChangeSet(changes=(FileChange("calc.py", "modify", "type X = (\nimport os; os._exit(0)\n"),))

    assert {each.rule for each in scan(change, before={"calc.py": b""}.get)} == {"unreadable", "exits-early"}
