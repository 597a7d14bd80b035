"""Runs of scenarios as they are kept: who sees them, how they ended, how often they died."""

import json
import subprocess
import sys

import pytest

from windtunnel.core.errors import NotFound, UsageError
from windtunnel.store.runs import MOST_RUNS, Recovery, RunStore, ScenarioRun


@pytest.fixture
def runs(tmp_path):
    made = RunStore(tmp_path / "runs.db")
    yield made
    made.close()


def run(name, **more):
    return ScenarioRun(id=name, verb="simulate", target="/project", folder=f"/runs/{name}", **more)


def test_a_run_is_found_as_far_as_it_got(runs):
    runs.begin(run("a", owner="ann", seed=2**80))
    runs.note("a", cycles=3, metrics={"security_score": 0.5, "none": float("nan")})

    found = runs.get("a")

    assert found == run("a", owner="ann", seed=2**80, cycles=3, metrics={"security_score": 0.5}, begun=found.begun)


def test_the_newest_is_the_one_that_was_begun_last_and_everybody_sees_their_own(runs):
    for name, owner in (("a", "ann"), ("b", "bob"), ("c", "ann")):
        runs.begin(run(name, owner=owner))

    assert [(runs.newest(owner=who) or run("-")).id for who in (None, "ann", "bob", "eve")] == ["c", "c", "b", "-"]


def test_a_run_of_another_is_answered_like_one_that_is_not_there(runs):
    runs.begin(run("a", owner="ann"))
    messages = []
    for name in ("a", "nothing"):
        with pytest.raises(NotFound) as caught:
            runs.get(name, owner="bob")
        messages.append(str(caught.value))

    assert messages == ["run: no run of that id"] * 2


def test_outcomes_are_counted(runs):
    for name, outcome in (("a", "done"), ("b", "failed"), ("c", "done")):
        runs.begin(run(name))
        runs.end(name, outcome)
    runs.begin(run("d"))

    assert runs.counts() == {"open": 1, "done": 2, "stopped": 0, "failed": 1, "crashed": 0}


def test_a_run_whose_process_is_gone_has_crashed(runs, tmp_path):
    text = ("from windtunnel.store.runs import RunStore, ScenarioRun; import sys; RunStore(sys.argv[1]).begin("
            "ScenarioRun(id='a', verb='v', target='t', folder='f'))")
    subprocess.run([sys.executable, "-c", text, str(tmp_path / "runs.db")], check=True, timeout=60)

    assert (runs.get("a").outcome, runs.counts()["crashed"]) == ("crashed", 1)


def test_a_run_that_is_resumed_is_open_again_and_keeps_what_it_had(runs):
    runs.begin(run("a"))
    runs.note("a", cycles=2, metrics={"x": 1})
    runs.end("a", "stopped")
    runs.begin(run("a"))

    found = runs.get("a")

    assert (found.outcome, found.cycles, found.ended) == ("open", 2, "")


@pytest.mark.parametrize("outcome", ["open", "crashed", "fine"])
def test_only_ends_are_ends(runs, outcome):
    runs.begin(run("a"))

    with pytest.raises(UsageError, match="is not how a run ends"):
        runs.end("a", outcome)


def test_restarts_are_counted_for_all_runs_also_for_one_that_is_not_kept(runs):
    runs.begin(run("a"))
    runs.fail("a", when=100.5, reason="killed by SIGKILL")
    runs.fail("gone", when=90.0, reason="killed by SIGSEGV")

    assert (runs.recovery(), runs.get("a").restarts) == (Recovery(restarts=2, last_failure=100.5), 1)


def test_before_any_failure_both_are_zero(runs):
    assert runs.recovery() == Recovery(restarts=0, last_failure=0.0)


def test_the_oldest_are_forgotten(runs):
    row = ("", "v", "t", "f", "0", "", "", "done", 0, json.dumps({}), 0, 0.0, "", "")
    runs.begin(run("first"))
    runs.database.alone(lambda connection: connection.executemany(
        f"INSERT INTO runs (id, owner, verb, target, folder, seed, begun, ended, outcome, cycles, metrics, restarts, "
        f"last_failure, reason, holder) VALUES ({', '.join('?' * 15)})", [(f"r{n}", *row) for n in range(MOST_RUNS)]))

    assert (len(runs.all(limit=5000)), runs.all(limit=5000)[-1].id) == (MOST_RUNS, "r0")
