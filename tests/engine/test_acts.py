"""Whether an act may be done: policies, people's approvals, and what is written down of both."""

import contextlib
import threading
import time
from dataclasses import replace

import pytest
from trials import CALC, ONE_RUNNER, WRONG, create, modify, write

from windtunnel import Tunnel, config
from windtunnel.core.approval import State
from windtunnel.core.audit import AuditQuery
from windtunnel.core.errors import ApprovalNeeded, IsolationUnavailable, Refused
from windtunnel.core.limits import MIB, Limits
from windtunnel.store.audit.query import find

POLICY = """\
version: 1
default: allow
rules:
  - {id: no-ci, effect: deny, tool: [try, apply], paths: [".github/**"], reason: CI is not for agents}
  - {id: ask-apply, effect: ask, tool: apply, reason: a person looks at every change}
  - {id: no-shell, effect: deny, tool: run, when: "'bash' in request.languages", reason: no shells here}
"""


@pytest.fixture
def make(tmp_path):
    """Makes tunnels under a policy; each actor has a tunnel, all share one state."""
    with contextlib.ExitStack() as made:
        def tunnel(policy=POLICY, actor="ann", **options):
            path = tmp_path / "policy.yaml"
            path.write_text(policy)
            settings = replace(config.load(), state_dir=tmp_path / "state", cache_dir=tmp_path / "cache", pool_size=0, actor=actor,
                               policy=path)
            return made.enter_context(Tunnel(settings, **options))

        yield tunnel


@pytest.fixture
def shop(tmp_path):
    (tmp_path / "shop").mkdir()
    return write(tmp_path / "shop", {"calc.py": WRONG, "test_calc.py": "import calc\ndef test_add():\n    assert calc.add(2, 3) == 5\n"})


def told(tunnel):
    return [(record.entry.kind, record.entry.outcome, dict(record.entry.details.get("policy", {})).get("rule"))
            for record in find(tunnel.audit, AuditQuery())]


def test_what_a_policy_denies_is_not_done_and_is_written_down(make):
    tunnel, ran = make(), []

    with pytest.raises(Refused, match=r"refused by policy: no shells here \(no-shell\)"):
        tunnel.run("echo hi", "bash", on_stdout=ran.append)

    assert (ran, told(tunnel)) == ([], [("run", "denied", "no-shell")])


def test_what_a_policy_allows_is_done_and_the_rule_is_written_down(make):
    tunnel = make()

    assert tunnel.run("print(1)").stdout == "1\n"
    assert told(tunnel) == [("run", "done", "default")]


def test_a_change_to_a_guarded_path_is_not_even_tried(make, shop):
    with pytest.raises(Refused, match="CI is not for agents"):
        make().try_change(shop, [modify("calc.py", CALC), replace(modify(".github/workflows/x.yml", "x"), operation="create")], **ONE_RUNNER)


def test_an_apply_waits_for_somebody_elses_yes_to_exactly_this(make, shop):
    ann, bob = make(), make(actor="bob")
    result = ann.try_change(shop, [modify("calc.py", CALC)], **ONE_RUNNER)
    with pytest.raises(ApprovalNeeded, match="windtunnel approvals approve") as asked:
        ann.apply(shop, result)
    untouched = (shop / "calc.py").read_text()
    bob.approvals.decide(asked.value.approval, by="bob", approve=True)

    ann.apply(shop, result)

    assert (untouched, (shop / "calc.py").read_text()) == (WRONG, CALC)
    assert told(ann)[-2:] == [("apply", "waiting", "ask-apply"), ("apply", "done", "ask-apply")]
    assert ann.approvals.get(asked.value.approval).state is State.USED


def test_an_approval_is_not_for_another_change(make, shop):
    ann = make()
    first, second = (ann.try_change(shop, [modify("calc.py", text)], **ONE_RUNNER) for text in (CALC, CALC + "# more\n"))
    with pytest.raises(ApprovalNeeded) as asked:
        ann.apply(shop, first)
    ann.approvals.decide(asked.value.approval, by="bob", approve=True)

    with pytest.raises(ApprovalNeeded):
        ann.apply(shop, second)

    assert (shop / "calc.py").read_text() == WRONG


def test_a_waiting_act_goes_on_when_it_is_approved_and_also_after_a_restart(make, shop):
    heard = []
    ann = make(approval_seconds=30.0, tell=heard.append)
    result = ann.try_change(shop, [modify("calc.py", CALC)], **ONE_RUNNER)
    with pytest.raises(ApprovalNeeded) as asked:
        make().apply(shop, result)  # as a process that ended while it waited

    timer = threading.Timer(0.6, lambda: make(actor="bob").approvals.decide(asked.value.approval, by="bob", approve=True))
    timer.start()
    ann.apply(shop, result)
    timer.join()

    assert ((shop / "calc.py").read_text(), heard) == (CALC, [f"waiting for approval {asked.value.approval}: a person looks at every change"])


def test_a_waiting_act_ends_when_it_is_denied(make, shop):
    ann = make(approval_seconds=30.0)
    result = ann.try_change(shop, [modify("calc.py", CALC)], **ONE_RUNNER)
    with pytest.raises(ApprovalNeeded) as asked:
        make().apply(shop, result)
    timer = threading.Timer(0.6, lambda: ann.approvals.decide(asked.value.approval, by="bob", approve=False))
    timer.start()

    with pytest.raises(Refused, match="is denied"):
        ann.apply(shop, result)
    timer.join()


def test_ceilings_of_a_policy_bind_runs_and_trials(make, shop):
    tunnel = make("version: 1\ndefault: allow\ncaps: {memory_bytes: 128m, wall_seconds: 20}\n")

    assert tunnel.run("print(1)").limits.memory_bytes == 128 * MIB
    assert tunnel.try_change(shop, [modify("calc.py", CALC)], **ONE_RUNNER).limits.wall_seconds == 20.0
    with pytest.raises(Refused, match="memory_bytes"):
        tunnel.run("print(1)", limits=Limits(memory_bytes=256 * MIB, wall_seconds=5.0))


def test_a_floor_of_isolation_is_never_gone_below(make):
    tunnel = make("version: 1\ndefault: allow\nmin_isolation: vm\n")

    with pytest.raises(IsolationUnavailable, match="at least the vm level here, and this is the process level"):
        tunnel.run("print(1)")


def test_a_broken_policy_stops_everything(make):
    with pytest.raises(ValueError, match=r"policy\.yaml:2:1"):
        make("version: [\n").run("print(1)")


def test_a_projects_own_policy_tightens(make, shop):
    (shop / ".windtunnel").mkdir()
    (shop / ".windtunnel" / "policy.yaml").write_text("version: 1\ndefault: deny\n")

    with pytest.raises(Refused):
        make().try_change(shop, [modify("calc.py", CALC)], **ONE_RUNNER)


def asked_for(act):
    with pytest.raises(ApprovalNeeded) as asked:
        act()
    return asked.value.approval


def test_an_apply_that_was_approved_is_done_after_another_trial_of_the_same_change(make, shop):
    ann = make()
    first, again = (ann.try_change(shop, [modify("calc.py", CALC)], **ONE_RUNNER) for _ in range(2))
    ann.approvals.decide(asked_for(lambda: ann.apply(shop, first)), by="bob", approve=True)

    ann.apply(shop, again)

    assert (first.id != again.id, (shop / "calc.py").read_text()) == (True, CALC)


def test_an_apply_that_was_approved_is_not_done_when_its_file_has_changed_since(make, shop):
    ann = make()
    first = ann.try_change(shop, [modify("calc.py", CALC)], **ONE_RUNNER)
    ann.approvals.decide(asked_for(lambda: ann.apply(shop, first)), by="bob", approve=True)
    (shop / "calc.py").write_text(WRONG + "# more\n")

    asked_for(lambda: ann.apply(shop, ann.try_change(shop, [modify("calc.py", CALC)], **ONE_RUNNER)))

    assert (shop / "calc.py").read_text() == WRONG + "# more\n"


def test_a_yes_to_a_project_is_not_for_another_that_stands_at_the_same_relative_path(make, shop, tmp_path, monkeypatch):
    ann = make("version: 1\ndefault: ask\n")
    other = write(tmp_path / "other", {"calc.py": WRONG, "test_calc.py": "def test_a():\n    pass\n"})
    monkeypatch.chdir(shop)
    asked = asked_for(lambda: ann.try_change(".", [modify("calc.py", CALC)], **ONE_RUNNER))
    ann.approvals.decide(asked, by="bob", approve=True)
    monkeypatch.chdir(other)

    assert asked_for(lambda: ann.try_change(".", [modify("calc.py", CALC)], **ONE_RUNNER)) != asked


def test_a_yes_to_taking_back_one_change_is_not_for_the_next_of_the_same_files(make, shop):
    free, ann = make("version: 1\ndefault: allow\n"), make("version: 1\ndefault: allow\nrules: [{id: u, effect: ask, tool: undo}]\n")
    free.apply(shop, free.try_change(shop, [modify("calc.py", CALC)], **ONE_RUNNER))
    asked = asked_for(lambda: ann.undo(shop))
    ann.approvals.decide(asked, by="bob", approve=True)
    make("version: 1\ndefault: allow\n").apply(shop, free.try_change(shop, [modify("calc.py", CALC + "# more\n")], **ONE_RUNNER))
    ann = make("version: 1\ndefault: allow\nrules: [{id: u, effect: ask, tool: undo}]\n")

    assert (asked_for(lambda: ann.undo(shop)) != asked, (shop / "calc.py").read_text()) == (True, CALC + "# more\n")


def test_what_a_person_denied_is_written_down_as_denied(make):
    ann = make("version: 1\ndefault: ask\n", approval_seconds=30.0)
    bob = make("version: 1\ndefault: ask\n", actor="bob")
    thread = threading.Thread(target=lambda: deny_first(bob))
    thread.start()

    with pytest.raises(Refused, match="is denied"):
        ann.run("print(1)")
    thread.join(30)

    assert [(kind, outcome) for kind, outcome, _ in told(ann) if kind == "run"] == [("run", "denied")]


def deny_first(tunnel):
    until = time.monotonic() + 60
    while not (waiting := tunnel.approvals.all(State.REQUESTED)):
        assert time.monotonic() < until
    tunnel.approvals.decide(waiting[0].id, by="bob", approve=False)


def test_the_summary_says_how_much_it_leaves_out(make, shop):
    ann = make("version: 1\ndefault: ask\n")

    asked_for(lambda: ann.try_change(shop, [create(f"f{at:02}.txt", "x") for at in range(12)], **ONE_RUNNER))

    assert "f09.txt and 2 more" in ann.approvals.all()[0].summary
