"""``windtunnel approvals`` as two people start it, who share one state."""

import json

import pytest

POLICY = "version: 1\ndefault: allow\nrules:\n  - {id: ask-run, effect: ask, tool: run, reason: somebody looks first}\n"


@pytest.fixture
def people(cli, command_line, tmp_path):
    """Ann, who asks, and Bob, who may decide."""
    (tmp_path / "policy.yaml").write_text(POLICY)
    bob = command_line(tmp_path)
    for one, name in ((cli, "ann"), (bob, "bob")):
        one.env |= {"WINDTUNNEL_ACTOR": name, "WINDTUNNEL_POLICY": str(tmp_path / "policy.yaml")}
    return cli, bob


def test_a_run_waits_for_somebody_elses_yes_and_then_goes_on_once(people):
    ann, bob = people
    asked = ann("run", "-c", "print('ran')")
    (waiting,) = json.loads(bob("approvals", "list", "--json").stdout)

    own = ann("approvals", "approve", waiting["id"])
    decided = bob("approvals", "approve", waiting["id"][:6], "--note", "looked at it")
    done, again = ann("run", "-c", "print('ran')"), ann("run", "-c", "print('ran')")

    assert (asked.returncode, "somebody looks first" in asked.stderr, waiting["requester"]) == (2, True, "ann")
    assert (own.returncode, "somebody else has to decide" in own.stderr) == (2, True)
    assert (decided.returncode, decided.stdout) == (0, f"{waiting['id']} approved: run, asked by ann\n")
    assert (done.stdout, again.returncode) == ("ran\n", 2)
    assert "approve" in ann("audit", "log", "--actor", "bob").stdout


def test_an_empty_list_says_so(cli):
    assert cli("approvals", "list").stdout == "nothing waits for an approval\n"


def test_a_denied_run_is_not_done(people):
    ann, bob = people
    ann("run", "-c", "print('ran')")
    (waiting,) = json.loads(bob("approvals", "list", "--json").stdout)

    bob("approvals", "deny", waiting["id"])

    assert (ann("run", "-c", "print('ran')").returncode, json.loads(ann("approvals", "list", "--all", "--json").stdout)[1]["state"]) == (2, "denied")


def test_a_name_that_is_none_is_said(cli):
    done = cli("approvals", "approve", "nothing")

    assert (done.returncode, "there is no approval that begins with 'nothing'" in done.stderr) == (2, True)
