"""Rules of the user's own."""

from __future__ import annotations

import pytest

from windtunnel.core.errors import UsageError
from windtunnel.core.problem import Place, Problem
from windtunnel.core.repair import Scene
from windtunnel.repair.given import propose, read_rules

_RULE = r"""
- name: old-door
  message: has no attribute '(?P<gone>\w+)'
  find: '\b(\w+)\.open_door\('
  replace: '\1.{gone}_gate('
  reason: the door was renamed
  confidence: 0.8
"""
_PROBLEM = Problem(kind="attribute", message="'House' object has no attribute 'front'", place=Place(file="a.py", line=4))


def _scene(text: str, *problems: Problem) -> Scene:
    return Scene(paths=("a.py",), read=lambda path: text if path == "a.py" else None, problems=problems)


def test_a_rule_changes_the_line_nearest_to_the_problem_first() -> None:
    text = "house.open_door(1)\n\n\nhouse.open_door(2)\n"

    made = [one.edits[0].text for one in propose(read_rules(_RULE, file="r.yaml"), _scene(text, _PROBLEM))]

    assert made == ["house.open_door(1)\n\n\nhouse.front_gate(2)\n", "house.front_gate(1)\n\n\nhouse.open_door(2)\n"]


def test_a_rule_says_nothing_of_other_messages() -> None:
    other = Problem(kind="name", message="name 'x' is not defined")

    assert list(propose(read_rules(_RULE, file="r.yaml"), _scene("house.open_door(1)\n", other))) == []


def test_a_proposal_names_its_rule() -> None:
    (one,) = propose(read_rules(_RULE, file="r.yaml"), _scene("house.open_door(1)\n", _PROBLEM))

    assert (one.origin, one.name, one.reason, one.prior) == ("user", "old-door", "the door was renamed", 0.8)


def test_what_a_message_holds_is_never_read_as_a_reference_to_a_group() -> None:
    rules = read_rules("- {name: a, message: 'no (?P<what>.*)', find: b, replace: '{what}'}", file="r.yaml")
    problem = Problem(kind="name", message=r"no \g<0>\1", place=Place(file="a.py", line=1))

    (one,) = propose(rules, _scene("b\n", problem))

    assert one.edits[0].text == "\\g<0>\\1\n"


@pytest.mark.parametrize(("text", "why"), [
    ("a: b: c", "not YAML"), ("a: b", "a list"), ("- 1", "rule 1: not a mapping"),
    ("- {name: a, message: b, find: c}", "rule 1: missing: replace"),
    ("- {name: a, message: b, find: c, replace: d, color: e}", "rule 1: unknown keys: color"),
    ("- {name: a, message: '(', find: c, replace: d}", "rule 1: not a regular expression"),
    ("- {name: a, message: b, find: c, replace: '{what}'}", "does not have"),
    ("- {name: 1, message: b, find: c, replace: d}", "texts"),
    ("- {name: a, message: b, find: c, replace: d, confidence: 2}", "from 0 to 1"),
    ("- {name: a, message: b, find: c, replace: d, confidence: true}", "from 0 to 1")])
def test_a_rule_that_cannot_be_used_is_refused_with_its_number(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        read_rules(text, file="r.yaml")


def test_a_group_that_the_pattern_does_not_have_changes_nothing() -> None:
    rules = read_rules(r"- {name: a, message: b, find: c, replace: '\7'}", file="r.yaml")

    assert list(propose(rules, _scene("c\n", Problem(kind="name", message="b")))) == []
