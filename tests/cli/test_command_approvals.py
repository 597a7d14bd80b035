"""``windtunnel approvals`` as two people start it, who share one state."""

import json
import signal
import subprocess
import time

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
    assert (decided.returncode, decided.stdout) == (0, f"{waiting['id']} approved: run · python, asked by ann\n")
    assert (done.stdout, again.returncode) == ("ran\n", 2)
    assert "approve" in ann("audit", "log", "--actor", "bob").stdout


def test_an_empty_list_says_so(cli):
    assert cli("approvals", "list").stdout == "nothing waits for an approval\n"


@pytest.mark.parametrize("words", [("list",), ("show", "abcdef"), ("approve", "abcdef")])
def test_a_list_that_cannot_be_used_is_a_failure_of_ours(cli, tmp_path, words):
    (tmp_path / "state" / "approvals.db").mkdir(parents=True)

    done = cli("approvals", *words)

    assert (done.returncode, "approvals.db: not a plain file" in done.stderr) == (125, True)


def test_a_denied_run_is_not_done(people):
    ann, bob = people
    ann("run", "-c", "print('ran')")
    (waiting,) = json.loads(bob("approvals", "list", "--json").stdout)

    bob("approvals", "deny", waiting["id"])

    assert (ann("run", "-c", "print('ran')").returncode, json.loads(ann("approvals", "list", "--all", "--json").stdout)[1]["state"]) == (2, "denied")


def test_a_name_that_is_none_is_said(cli):
    done = cli("approvals", "approve", "nothing")

    assert (done.returncode, "there is no approval that begins with 'nothing'" in done.stderr) == (2, True)


def until(look):
    """What it gives as soon as that is something."""
    end = time.monotonic() + 60
    while not (found := look()):
        assert time.monotonic() < end, "it never came"
    return found


def test_a_waiting_run_that_is_killed_is_done_by_the_next_once_it_is_approved(people):
    ann, bob = people
    waiting = ann.start("run", "--wait-approval", "60", "-c", "print('ran')", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    (asked,) = until(lambda: json.loads(bob("approvals", "list", "--json").stdout))
    waiting.send_signal(signal.SIGKILL)
    said = waiting.communicate(timeout=60)[0]
    bob("approvals", "approve", asked["id"])

    again = ann("run", "-c", "print('ran')")

    assert (said, waiting.returncode, again.stdout, again.returncode) == (b"", -signal.SIGKILL, "ran\n", 0)
    assert [one["state"] for one in json.loads(bob("approvals", "list", "--all", "--json").stdout)] == ["used"]


def test_a_waiting_run_goes_on_when_somebody_says_yes(people):
    ann, bob = people
    waiting = ann.start("run", "--wait-approval", "60", "-c", "print('ran')", stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    (asked,) = until(lambda: json.loads(bob("approvals", "list", "--json").stdout))

    bob("approvals", "approve", asked["id"])

    assert (waiting.communicate(timeout=60)[0], waiting.returncode) == (b"ran\n", 0)


def test_whoever_decides_can_see_all_that_is_to_be_done(people):
    ann, bob = people
    ann("run", "-c", "print('ran')", "--env", "A=secret")
    (asked,) = json.loads(bob("approvals", "list", "--json").stdout)

    shown = bob("approvals", "show", asked["id"])

    told = json.loads(shown.stdout)
    assert (told["approval"]["id"], told["what"]["inputs"]["variables"], told["what"]["request"]["verb"]) == (asked["id"], ["A"], "run")
    assert "secret" not in shown.stdout


def test_a_yes_to_one_value_of_a_variable_is_not_for_another(people):
    ann, bob = people
    ann("run", "-c", "print('ran')", "--env", "A=harmless")
    (asked,) = json.loads(bob("approvals", "list", "--json").stdout)
    bob("approvals", "approve", asked["id"])

    other, same = (ann("run", "-c", "print('ran')", "--env", f"A={value}") for value in ("harmful", "harmless"))

    assert (other.returncode, other.stdout, same.stdout) == (2, "", "ran\n")
