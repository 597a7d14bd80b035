"""Budgets of a policy around real acts: charged, lowered, refused, and written down."""

import contextlib
from dataclasses import replace

import pytest
from trials import CALC, ONE_RUNNER, WRONG, modify, write

from windtunnel import BudgetSpent, Tunnel, UsageError, config
from windtunnel.core.allowance import MILLION, Allowance, Counted, Scope
from windtunnel.core.audit import Auditing, AuditQuery
from windtunnel.core.errors import ApprovalNeeded, Refused
from windtunnel.core.result import Reason
from windtunnel.store.audit.query import find

HEAD = "version: 1\ndefault: allow\nbudgets:\n"


@pytest.fixture
def make(tmp_path):
    """Makes tunnels under a policy; each actor has a tunnel, all share one state."""
    with contextlib.ExitStack() as made:
        def tunnel(policy, actor="ann", audit=Auditing.ON, **options):
            path = tmp_path / "policy.yaml"
            path.write_text(policy)
            settings = replace(config.load(), state_dir=tmp_path / "state", cache_dir=tmp_path / "cache", pool_size=0, actor=actor,
                               policy=path, audit=audit)
            return made.enter_context(Tunnel(settings, **options))

        yield tunnel


@pytest.fixture
def shop(tmp_path):
    (tmp_path / "shop").mkdir()
    return write(tmp_path / "shop", {"calc.py": WRONG, "test_calc.py": "import calc\ndef test_add():\n    assert calc.add(2, 3) == 5\n"})


def last(tunnel):
    return next(iter(find(tunnel.audit, AuditQuery(newest_first=True, limit=1)))).entry


def spent(tunnel, scope, name, kind):
    (standing,) = tunnel.allowances.standings([Counted(name=name, allowance=Allowance(id="x", scope=scope, amounts={kind: 10**15}))])
    return standing.spent / MILLION


def test_a_run_is_charged_and_the_record_says_to_which_budgets(make):
    tunnel = make(HEAD + "- {id: day, for: actor, per: day, wall_seconds: 600, cpu_seconds: 600}\n- {id: all, for: total, acts: 9}\n")

    result = tunnel.run("print(1)")

    charged = last(tunnel).details["charged"]
    assert charged["budgets"] == [
        {"budget": "day", "for": "actor", "name": "ann", "kinds": ["wall_seconds", "cpu_seconds"]},
        {"budget": "all", "for": "total", "name": "", "kinds": ["acts"]}]
    assert (charged["amounts"]["acts"], charged["notes"]) == ("1 acts", [])
    assert spent(tunnel, Scope.ACTOR, "ann", "wall_seconds") == pytest.approx(result.execution_time, abs=1e-5)


def test_a_spent_budget_refuses_the_next_act_before_anything_happens(make):
    tunnel, ran = make(HEAD + "- {id: one, for: actor, acts: 1}\n"), []
    tunnel.run("print(1)")

    with pytest.raises(BudgetSpent, match=r"the budget one of the actor ann has 1 acts spent of 1 acts; it never begins anew \(budgets.one\)"):
        tunnel.run("print(2)", on_stdout=ran.append)

    entry = last(tunnel)
    assert (ran, entry.outcome, entry.details["policy"]["rule"]) == ([], "denied", "budgets.one")


def test_one_actors_budget_is_not_anothers(make):
    policy = HEAD + "- {id: one, for: actor, acts: 1}\n"
    make(policy).run("print(1)")

    assert make(policy, actor="bob").run("print(2)").stdout == "2\n"


def test_a_session_has_a_budget_of_its_own(make):
    policy = HEAD + "- {id: each, for: session, acts: 1}\n"
    first = make(policy)
    first.run("print(1)")

    assert make(policy).run("print(2)").stdout == "2\n"
    with pytest.raises(BudgetSpent, match="the budget each of the session"):
        first.run("print(3)")


@pytest.mark.parametrize("audit", list(Auditing))
def test_a_run_is_stopped_when_its_budget_is_over_and_says_so(make, audit):
    tunnel = make(HEAD + "- {id: little, for: total, wall_seconds: 1}\n", audit=audit)

    result = tunnel.run("while True: pass")

    assert (result.reason, result.limits.wall_seconds) == (Reason.TIMEOUT, 0.9)
    assert result.enforced["budget"] == "wall seconds lowered to 0.9, what is left of the budget little"
    with pytest.raises(BudgetSpent):
        tunnel.run("print(1)")


def test_a_trial_is_charged_to_its_project_by_whatever_name_it_is_called(make, shop, monkeypatch):
    tunnel = make(HEAD + "- {id: p, for: project, wall_seconds: 600, acts: 5}\n")
    monkeypatch.chdir(shop)

    tunnel.try_change(".", [modify("calc.py", CALC)], **ONE_RUNNER)

    assert (spent(tunnel, Scope.PROJECT, str(shop), "acts"), spent(tunnel, Scope.PROJECT, str(shop), "wall_seconds") > 0) == (1, True)


def test_a_trial_for_which_too_little_is_left_has_no_verdict(make, shop):
    tunnel = make(HEAD + "- {id: little, for: project, wall_seconds: 0.2}\n")
    write(shop, {"test_calc.py": "import time\ndef test_add():\n    time.sleep(30)\n"})

    with pytest.raises(BudgetSpent, match="the budget little of the project"):
        tunnel.try_change(shop, [modify("calc.py", CALC)], **ONE_RUNNER)

    assert last(tunnel).outcome == "denied"


def test_a_run_without_a_project_is_not_counted_for_any(make):
    assert make(HEAD + "- {id: none, for: project, acts: 0}\n").run("print(1)").stdout == "1\n"


def test_a_projects_own_budget_tightens_and_never_loosens(make, shop):
    (shop / ".windtunnel").mkdir()
    (shop / ".windtunnel" / "policy.yaml").write_text(HEAD + "- {id: own, for: total, acts: 0}\n- {id: one, for: total, acts: 99}\n")
    tunnel = make(HEAD + "- {id: one, for: total, acts: 1}\n")

    with pytest.raises(BudgetSpent, match="the budget own"):
        tunnel.try_change(shop, [modify("calc.py", CALC)], **ONE_RUNNER)
    (shop / ".windtunnel" / "policy.yaml").write_text(HEAD + "- {id: one, for: total, acts: 99}\n")
    tunnel.try_change(shop, [modify("calc.py", CALC)], **ONE_RUNNER)
    with pytest.raises(BudgetSpent, match="1 acts spent of 1 acts"):
        tunnel.try_change(shop, [modify("calc.py", CALC)], **ONE_RUNNER)


def test_nobody_is_asked_about_what_could_not_be_paid_for(make):
    tunnel = make("version: 1\ndefault: ask\nbudgets: [{id: none, for: total, acts: 0}]\n")

    with pytest.raises(BudgetSpent):
        tunnel.run("print(1)")

    assert tunnel.approvals.all() == []


def test_what_is_denied_or_waits_is_not_charged(make):
    tunnel = make("version: 1\ndefault: ask\nrules: [{id: no, effect: deny, when: \"'bash' in request.languages\"}]\n"
                  "budgets: [{id: some, for: total, acts: 5}]\n")

    with pytest.raises(Refused):
        tunnel.run("echo", "bash")
    with pytest.raises(ApprovalNeeded):
        tunnel.run("print(1)")

    assert spent(tunnel, Scope.TOTAL, "", "acts") == 0


def test_money_is_spent_before_a_call_and_written_down(make):
    tunnel = make(HEAD + "- {id: models, for: actor, per: month, money: 1.00 USD}\n")

    tunnel.spend("0.75 USD", purpose="an answer of a model")

    entry = last(tunnel)
    assert (entry.kind, entry.outcome, entry.details["inputs"], entry.details["charged"]["amounts"]) == (
        "spend", "done", {"money": "0.75 USD", "purpose": "an answer of a model"}, {"money USD": "0.75 USD"})
    with pytest.raises(BudgetSpent, match=r"has 0\.75 USD spent of 1 USD"):
        tunnel.spend("0.26 USD", purpose="one more")
    assert last(tunnel).outcome == "denied"


def test_what_is_no_money_is_refused(make):
    with pytest.raises(UsageError, match="not an amount of money"):
        make(HEAD + "- {id: models, for: actor, money: 1.00 USD}\n").spend("lots", purpose="x")


def test_money_that_is_spent_stops_runs_too(make):
    tunnel = make(HEAD + "- {id: models, for: actor, money: 1.00 USD}\n")
    tunnel.spend("1.00 USD", purpose="all of it")

    with pytest.raises(BudgetSpent, match="1 USD spent of 1 USD"):
        tunnel.run("print(1)")


def test_a_policy_without_budgets_counts_nothing(make, tmp_path):
    make("version: 1\ndefault: allow\n").run("print(1)")

    assert not (tmp_path / "state" / "budgets.db").exists()
