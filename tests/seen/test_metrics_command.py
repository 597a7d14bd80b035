"""``windtunnel metrics``: what it counts, and to whom it tells it."""

import re
import subprocess
import urllib.error
import urllib.request
from datetime import UTC, datetime

import pytest
from exposition_reader import read

from windtunnel import Tunnel
from windtunnel.config import Settings
from windtunnel.core.deed import Deed
from windtunnel.core.exposition import exposition
from windtunnel.core.limits import Limits
from windtunnel.core.result import ExecutionResult, Reason
from windtunnel.serve.prometheus import Collector
from windtunnel.store.history import SqliteHistory
from windtunnel.store.runs import NAME, RunStore, ScenarioRun
from windtunnel.store.tallies import BOUNDS, Counts, HistoryTally


def samples(text):
    """``{name and labels: value}`` of a text that the format allows."""
    return {(name, *(value for _, value in labels)): value_ for family in read(text).values()
            for (name, labels), value_ in family[2].items()}


def result(name, **more):
    return ExecutionResult(**{"id": name, "exit_code": 0, "execution_time": 0.2, **more})


@pytest.fixture
def history(tmp_path):
    made = SqliteHistory(tmp_path / "state" / "history.db")
    for run in (result("a"), result("b", exit_code=3, execution_time=0.01), result("c", execution_time=1e9),
                result("d", exit_code=-9, reason=Reason.TIMEOUT, execution_time=None)):
        made.add(run, limits=Limits())
    now = datetime.now(UTC)
    for number, verdict in enumerate(("good", "good", "not good")):
        made.remember(Deed(id=f"t{number}", timestamp=now, verb="try", project="/p", verdict=verdict))
    yield made
    made.close()


def durations(**found):
    return [found.get(str(at), 0) for at in range(len(BOUNDS) + 1)]


def test_runs_are_counted_by_how_they_ended(history):
    found = HistoryTally(history).counts()

    assert found == Counts(
        runs={"succeeded": 2, "failed": 1, "timeout": 1}, trials={("try", "good"): 2, ("try", "not good"): 1},
        durations=durations(**{"0": 1, "4": 1, str(len(BOUNDS)): 1}), seconds=1e9 + 0.21)


def test_what_is_new_is_added_and_what_is_forgotten_stays_counted(history):
    tally = HistoryTally(history)
    tally.counts()
    history.prune(keep=0)
    history.add(result("e"), limits=Limits())

    assert (tally.counts().runs, tally.counts().trials) == (
        {"succeeded": 3, "failed": 1, "timeout": 1}, {("try", "good"): 2, ("try", "not good"): 1})


def test_another_file_in_its_place_is_counted_from_its_beginning(history):
    tally = HistoryTally(history)
    tally.counts()
    history.close()
    for path in history.path.parent.glob("history.db*"):
        path.unlink()
    history.add(result("e"), limits=Limits())

    assert tally.counts().runs == {"succeeded": 3, "failed": 1, "timeout": 1}


def test_all_that_there_is_stands_in_the_text(history, tmp_path):
    runs = RunStore(tmp_path / "state" / NAME)
    runs.begin(ScenarioRun(id="r", verb="simulate", target="t", folder="f"))
    runs.note("r", cycles=4, metrics={"security_score": 0.75, 'x"} 1\ny': 2.0})
    runs.fail("r", when=1_800_000_000.5, reason="killed")
    runs.close()
    with Tunnel(Settings(state_dir=tmp_path / "state", cache_dir=tmp_path / "cache"), pool_size=0) as tunnel:
        tunnel.keys.create(user="ann", roles=("viewer",))
        collector = Collector(tunnel)
        found = samples(exposition(collector()))
        collector.close()

    wanted = {
        ("sandbox_restart_count",): 1.0, ("sandbox_last_failure_time",): 1_800_000_000.5,
        ("windtunnel_runs_total", "succeeded"): 2.0, ("windtunnel_runs_total", "failed"): 1.0,
        ("windtunnel_runs_total", "timeout"): 1.0, ("windtunnel_trials_total", "try", "good"): 2.0,
        ("windtunnel_trials_total", "try", "not good"): 1.0, ("windtunnel_acts_total", "done"): 1.0,
        ("windtunnel_run_duration_seconds_count",): 3.0, ("windtunnel_run_duration_seconds_sum",): 1e9 + 0.21,
        ("windtunnel_scenario_runs", "open"): 1.0, ("windtunnel_scenario_cycles",): 4.0,
        ("windtunnel_scenario_metric", "security_score"): 0.75, ("windtunnel_scenario_metric", 'x"} 1\ny'): 2.0}
    assert {key: found.get(key) for key in wanted} == wanted


def test_acts_are_counted_as_they_come(tmp_path):
    with Tunnel(Settings(state_dir=tmp_path / "state", cache_dir=tmp_path / "cache"), pool_size=0) as tunnel:
        collector = Collector(tunnel)
        found = []
        for name in ("ann", "bob", "eve"):
            tunnel.keys.create(user=name, roles=("viewer",))
            found.append(samples(exposition(collector()))["windtunnel_acts_total", "done"])
        collector.close()

    assert found == [1.0, 2.0, 3.0]


def test_the_pool_is_shown_once_it_is_there(tunnel):
    tunnel.run("print(1)")
    collector = Collector(tunnel)
    found = samples(exposition(collector()))
    collector.close()

    assert found["windtunnel_pool_size",] == tunnel.pool_size


def test_once_prints_the_text_and_makes_no_file(cli, tmp_path):
    done = cli("metrics", "--once")

    assert (done.returncode, done.stderr, samples(done.stdout)) == (
        0, "", {("sandbox_restart_count",): 0.0, ("sandbox_last_failure_time",): 0.0})
    assert not (tmp_path / "state").exists()


def test_an_address_that_others_reach_is_refused_without_keys(cli):
    done = cli("metrics", "--address", "0.0.0.0", "--port", "0")

    assert (done.returncode, "can be reached from elsewhere, and there is no key" in done.stderr) == (2, True)


def test_a_port_that_is_none_is_refused(cli):
    done = cli("metrics", "--port", "99999")

    assert (done.returncode, done.stderr) == (2, "windtunnel: --port: 99999 is not from 0 to 65535\n")


@pytest.fixture
def listening(cli):
    """The address of a server that was started as a person does."""
    process = cli.start("metrics", "--port", "0", stderr=subprocess.PIPE, text=True)
    yield re.search(r"http://\S+/metrics", process.stderr.readline())[0]
    process.terminate()
    process.communicate(timeout=30)


def status(url, key=None):
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {key}"} if key else {})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_it_is_open_to_this_machine_until_there_is_a_key_and_then_to_keys_that_permit_it(cli, listening):
    before = status(listening)
    keys = {role: re.search(r"wt_\S+|\S{30,}", cli("keys", "create", "--user", role, "--role", role).stdout)[0]
            for role in ("viewer", "auditor")}
    after = [status(listening, key)[0] for key in (None, "wrong", keys["viewer"], keys["auditor"])]

    assert (before[0], samples(before[1])["sandbox_restart_count",], after) == (200, 0.0, [401, 401, 403, 200])
