from __future__ import annotations

import pytest
from blind_cases import BLIND
from rule_cases import CASES
from rule_running import Outcome, tried

from windtunnel.core.problem import Place, Problem
from windtunnel.core.repair import Scene
from windtunnel.repair.rules import RULES, propose

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]


def test_the_first_proposal_for_each_real_error_is_right_and_of_the_rule_that_knows_it(tmp_path):
    outcomes = tried(CASES, tmp_path)

    assert {name: outcome for name, outcome in outcomes.items() if outcome != Outcome(name.partition(":")[0], right=True, failed=True)} == {}


def test_first_proposals_are_right_for_nine_of_ten_programs_written_before_the_rules(tmp_path):
    outcomes = tried(BLIND, tmp_path)

    assert [name for name, outcome in outcomes.items() if not outcome.failed] == []
    assert sum(outcome.right for outcome in outcomes.values()) >= 0.9 * len(BLIND)


def test_every_rule_has_two_programs():
    told = [name.partition(":")[0] for name in CASES]

    assert [rule.name for rule in RULES if told.count(rule.name) < 2] == []


def _scene(text, problem, *, paths=("app.py",)):
    return Scene(paths=paths, read={"app.py": text}.get, problems=(problem,))


def _problem(name, message, *, line=1, file="app.py"):
    return Problem(kind="name", name=name, message=message, place=Place(file=file, line=line), language="python")


def test_a_name_that_nothing_is_like_is_left_alone():
    proposals = list(propose(_scene("print(zyxel)\n", _problem("NameError", "name 'zyxel' is not defined"))))

    assert [proposal.name for proposal in proposals] == ["missing-quotes"]


def test_nothing_is_proposed_for_a_file_that_may_not_be_changed():
    scene = _scene("json.dumps(1)\n", _problem("NameError", "name 'json' is not defined"), paths=())

    assert list(propose(scene)) == []


@pytest.mark.parametrize("text", ["", "\0", "def (", "x = '\ud800'\n", "(" * 5000, "a" * 100_000, "\r\r\n\t", "lambda:" * 500 + "0"])
def test_no_rule_trips_over_what_a_file_holds(text):
    names = [name for rule in RULES for name in rule.errors or ("AssertionError",)]
    problems = [_problem(name, message, line=line) for name in names for message, line in (
        ("name 'json' is not defined", 1), ("'NoneType' object has no attribute 'x'", 99))]

    found = [proposal for problem in problems for proposal in propose(_scene(text, problem))]

    assert {edit.path for proposal in found for edit in proposal.edits} <= {"app.py"}


def test_untouched_code_keeps_its_bytes():
    text = "#!/bin/python\r\n# \u00e9t\u00e9   \r\nx = 'caf\u00e9';  y=json.dumps( 1 )\r\n"

    first = next(propose(_scene(text, _problem("NameError", "name 'json' is not defined", line=3))))

    assert first.edits[0].text.replace("import json\n", "", 1).replace("\n\n", "\n").endswith(text.split("\n", 2)[2])


def test_priors_fall_from_proposal_to_proposal():
    text = "def f(values):\n    result = 1\n    return reslt\n"

    priors = [proposal.prior for proposal in propose(_scene(text, _problem("NameError", "name 'reslt' is not defined", line=3)))]

    assert priors == sorted(priors, reverse=True)
    assert priors[0] > 0.5
