"""The budgets of a policy file: what is read, and what is refused with line and column."""

import hashlib

import pytest

from windtunnel.core.allowance import MILLION, Allowance, Scope, Window
from windtunnel.core.errors import UsageError
from windtunnel.policy.reading import read_policy

HEAD = "version: 1\nbudgets:\n"
WHOLE = HEAD + """\
  - {id: day, for: actor, per: day, wall_seconds: 1.5, cpu_seconds: 2h, acts: 500, money: 5.00 USD}
  - {id: ever, for: project, money: "0.10 EUR"}
  - {id: hours, for: session, per: hour, acts: 0}
  - {id: all, for: total, per: month, wall_seconds: 0}
"""


def test_all_budgets_are_read_with_exact_amounts():
    sha = hashlib.sha256(WHOLE.encode()).hexdigest()

    assert read_policy(WHOLE.encode(), file="p.yaml").budgets == (
        Allowance(id="day", scope=Scope.ACTOR, per=Window.DAY, policy=sha, amounts={
            "wall_seconds": 1_500_000, "cpu_seconds": 7200 * MILLION, "acts": 500 * MILLION, "money USD": 5 * MILLION}),
        Allowance(id="ever", scope=Scope.PROJECT, policy=sha, amounts={"money EUR": 100_000}),
        Allowance(id="hours", scope=Scope.SESSION, per=Window.HOUR, policy=sha, amounts={"acts": 0}),
        Allowance(id="all", scope=Scope.TOTAL, per=Window.MONTH, policy=sha, amounts={"wall_seconds": 0}))


@pytest.mark.parametrize(("text", "expected"), [
    ("version: 1\nbudgets: {actor: {money: 1}}", "p.yaml:2:10: budgets: not a list of at most 100: a table"),
    (HEAD + "- 5", "p.yaml:3:3: budgets[0]: not a table: 5"),
    (HEAD + "- {for: actor, acts: 1}", "p.yaml:3:3: budgets[0].id: missing"),
    (HEAD + "- {id: a, acts: 1}", "p.yaml:3:3: budgets[0].for: missing"),
    (HEAD + "- {id: a, for: actor}", "p.yaml:3:3: budgets[0]: bounds nothing (name one of wall_seconds, cpu_seconds, acts, money)"),
    (HEAD + "- {id: A b, for: actor, acts: 1}", "p.yaml:3:8: budgets[0].id: not an id of a budget: A b"),
    (HEAD + "- {id: a, for: everyone, acts: 1}", "p.yaml:3:16: budgets[0].for: not one of total, project, actor, session: everyone"),
    (HEAD + "- {id: a, for: actor, per: year, acts: 1}", "p.yaml:3:28: budgets[0].per: not one of hour, day, week, month: year"),
    (HEAD + "- {id: a, for: actor, each: day, acts: 1}", "p.yaml:3:23: budgets[0].each: unknown (known: id, for, per"),
    (HEAD + "- {id: a, for: actor, money: 5}", "p.yaml:3:30: budgets[0].money: not an amount of money: '5' (try '5.00 USD'"),
    (HEAD + "- {id: a, for: actor, money: 5.00}", "p.yaml:3:30: budgets[0].money: not an amount of money: '5.0'"),
    (HEAD + "- {id: a, for: actor, money: 5 dollars}", "p.yaml:3:30: budgets[0].money: not an amount of money: '5 dollars'"),
    (HEAD + "- {id: a, for: actor, money: [5 USD]}", "p.yaml:3:30: budgets[0].money: not an amount of money: 'a list'"),
    (HEAD + "- {id: a, for: actor, acts: 1.5}", "p.yaml:3:29: budgets[0].acts: not a whole number: 1.5"),
    (HEAD + "- {id: a, for: actor, acts: true}", "p.yaml:3:29: budgets[0].acts: not a number of 0 or more: True"),
    (HEAD + "- {id: a, for: actor, acts: 9000000000}", "p.yaml:3:29: budgets[0].acts: more than a budget can count: 9000000000"),
    (HEAD + "- {id: a, for: actor, wall_seconds: -1}", "p.yaml:3:37: budgets[0].wall_seconds: not a number of seconds: -1"),
    (HEAD + "- {id: a, for: actor, wall_seconds: soon}", "p.yaml:3:37: budgets[0].wall_seconds: not a time: soon"),
    (HEAD + "- {id: a, for: actor, wall_seconds: true}", "p.yaml:3:37: budgets[0].wall_seconds: not a number of seconds: True"),
    (HEAD + "- {id: a, for: actor, cpu_seconds: 9999999999}", "p.yaml:3:36: budgets[0].cpu_seconds: not a number of seconds: 9999999999"),
    (HEAD + "- {id: a, for: actor, acts: 1}\n- {id: a, for: total, acts: 1}", "p.yaml:4:8: budgets[1].id: a is there twice"),
    ("version: 1\nrules: [{id: budgets.day, effect: deny}]", "p.yaml:2:14: rules[0].id: not an id of a rule: budgets.day"),
])
def test_a_wrong_budget_is_refused_with_line_and_column(text, expected):
    with pytest.raises(UsageError) as caught:
        read_policy(text.encode(), file="p.yaml")

    assert str(caught.value).startswith(expected)


def test_a_policy_holds_no_more_than_a_hundred_budgets():
    text = HEAD + "".join(f"- {{id: b{at}, for: actor, acts: 1}}\n" for at in range(101))

    with pytest.raises(UsageError, match="not a list of at most 100"):
        read_policy(text.encode(), file="p.yaml")
