"""``windtunnel budget`` as a person starts it."""

import json
import signal
import subprocess
import time

import pytest

POLICY = """\
version: 1
default: allow
budgets:
- {id: day, for: actor, per: day, wall_seconds: 8h, money: 5.00 USD}
- {id: runs, for: total, acts: 1}
"""


@pytest.fixture
def ann(cli, tmp_path):
    (tmp_path / "policy.yaml").write_text(POLICY)
    cli.env |= {"WINDTUNNEL_ACTOR": "ann", "WINDTUNNEL_POLICY": str(tmp_path / "policy.yaml")}
    return cli


def test_each_budget_is_told_with_what_is_spent_and_left(ann, tmp_path):
    ann("run", "-c", "print(1)")

    listed = json.loads(ann("budget", "--json", "--in", str(tmp_path)).stdout)

    assert [(one["budget"], one["for"], one["name"], one["kind"], one["amount"]) for one in listed] == [
        ("day", "actor", "ann", "wall_seconds", "28800"), ("day", "actor", "ann", "money", "5"), ("runs", "total", "", "acts", "1")]
    assert listed[1] == {"budget": "day", "for": "actor", "name": "ann", "kind": "money", "currency": "USD", "amount": "5", "spent": "0",
                         "reserved": "0", "left": "5", "per": "day", "begins_anew": listed[1]["begins_anew"]}
    assert listed[2] == {"budget": "runs", "for": "total", "name": "", "kind": "acts", "currency": None, "amount": "1", "spent": "1",
                         "reserved": "0", "left": "0", "per": None, "begins_anew": None}


def test_a_spent_budget_is_a_refusal_that_a_machine_can_tell(ann):
    ann("run", "-c", "print(1)")

    done = ann("run", "--json", "-c", "print(2)")

    assert (done.returncode, json.loads(done.stdout)["error"]["code"]) == (2, "budget-spent")


def test_the_text_is_a_table(ann, tmp_path):
    lines = ann("budget", "list", "--in", str(tmp_path)).stdout.splitlines()

    assert lines[0].split() == ["budget", "for", "of", "spent", "reserved", "left", "begins", "anew"]
    assert lines[3].split() == ["runs", "total", "1", "acts", "0", "0", "1", "never"]


def test_one_actor_is_shown_alone(ann, tmp_path):
    shown = json.loads(ann("budget", "show", "--actor", "bob", "--json", "--in", str(tmp_path)).stdout)

    assert [(one["name"], one["kind"], one["left"]) for one in shown] == [("bob", "wall_seconds", "28800"), ("bob", "money", "5")]


def test_where_there_are_none_it_says_so(cli, tmp_path):
    done = cli("budget", "--in", str(tmp_path))

    assert (done.returncode, done.stdout) == (0, "there are no budgets here\n")


def test_show_wants_to_know_whose(ann):
    assert ann("budget", "show").returncode == 2


def test_a_run_that_a_budget_stopped_says_which(ann, tmp_path):
    (tmp_path / "policy.yaml").write_text("{version: 1, default: allow, budgets: [{id: little, for: total, wall_seconds: 1}]}")

    done = ann("run", "-c", "while True: pass")

    assert (done.returncode, "(wall seconds lowered to 0.9, what is left of the budget little)" in done.stderr) == (124, True)


def test_runs_at_once_that_another_budget_refuses_use_up_no_acts(ann, tmp_path):
    (tmp_path / "policy.yaml").write_text(
        "{version: 1, default: allow, budgets: [{id: few, for: actor, acts: 5}, {id: time, for: total, cpu_seconds: 3}]}")
    runs = [ann.start("run", "-c", "print('ran')", stdout=subprocess.PIPE) for _ in range(4)]
    ended = [run.communicate(timeout=120) for run in runs]

    listed = json.loads(ann("budget", "--json", "--in", str(tmp_path)).stdout)

    assert [one["spent"] for one in listed if one["kind"] == "acts"] == [str(sum(out == b"ran\n" for out, _ in ended))]


def reserved(cli, folder):
    return [(one["reserved"], one["spent"]) for one in json.loads(cli("budget", "--json", "--in", str(folder)).stdout)]


def test_what_a_killed_run_held_is_charged_and_free_again(ann, tmp_path):
    (tmp_path / "policy.yaml").write_text("{version: 1, default: allow, budgets: [{id: some, for: total, wall_seconds: 20}]}")
    run = ann.start("run", "-c", "import time; time.sleep(60)")
    end = time.monotonic() + 60
    while (during := reserved(ann, tmp_path)) == [("0", "0")]:
        assert time.monotonic() < end
    run.send_signal(signal.SIGKILL)
    run.wait(60)

    ((held, spent),) = reserved(ann, tmp_path)

    assert (during, held, 0 < float(spent) <= 20) == ([("20", "0")], "0", True)
