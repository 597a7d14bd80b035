"""A run that is killed again and again ends like one that was left alone: no cycle lost, none done twice."""

import json
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.engine.recovery.guard import Guard, Guarded, Patience
from windtunnel.engine.recovery.journal import Journal, finished_in
from windtunnel.store.runs import NAME, Recovery, RunStore, ScenarioRun

PROGRAM = [sys.executable, str(Path(__file__).with_name("long_run.py"))]
PLACES = ("step", "half a line", "before fsync", "after fsync")
SEED = 41
AT_ONCE = Patience(first_seconds=0.0, longest_seconds=0.0)


def begun(folder):
    with Journal.begin(folder, seed=SEED):
        return folder


def undisturbed(folder, cycles):
    subprocess.run([*PROGRAM, str(begun(folder)), str(cycles)], check=True, timeout=60, stdout=subprocess.DEVNULL)
    return (folder / "cycles.jsonl").read_bytes()


def killed_at_some_moment(folder, chance):
    """Go on with it, far, and kill it after a few cycles and a moment; whether it was killed before it was done."""
    far = len(finished_in(folder)) + 500
    process = subprocess.Popen([*PROGRAM, str(folder), str(far)], stdout=subprocess.PIPE, text=True)
    with process:
        for _ in range(chance.randrange(1, 4)):
            process.stdout.readline()
        try:
            process.wait(chance.random() * 0.01)
        except subprocess.TimeoutExpired:
            process.kill()
    return process.returncode == -signal.SIGKILL


def test_killed_at_twenty_moments_it_has_each_cycle_once_and_equals_an_undisturbed_run(tmp_path):
    chance, folder, kills = random.Random(20), begun(tmp_path / "killed"), 0
    while kills < 20:
        kills += killed_at_some_moment(folder, chance)
    cycles = len(finished_in(folder)) + 5
    subprocess.run([*PROGRAM, str(folder), str(cycles)], check=True, timeout=60, stdout=subprocess.DEVNULL)

    assert len(finished_in(folder)) == cycles
    assert (folder / "cycles.jsonl").read_bytes() == undisturbed(tmp_path / "alone", cycles)


def is_alive(pid):
    """Whether it runs; one that has ended and that nobody asked about yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def is_ended(pid, seconds=10.0):
    """Whether it is, after a moment: the signal is sent, and the system takes its time."""
    until = time.monotonic() + seconds
    while is_alive(pid) and time.monotonic() < until:
        time.sleep(0.01)
    return not is_alive(pid)


@pytest.fixture
def runs(tmp_path):
    made = RunStore(tmp_path / "runs.db")
    yield made
    made.close()


@pytest.fixture
def guarded(tmp_path, runs):
    """Runs a command over the journal ``run`` under a guard that does not wait."""
    folder, told = begun(tmp_path / "run"), []
    runs.begin(ScenarioRun(id="r1", verb="simulate", target="t", folder=str(folder)))

    def run(*arguments, argv=None, patience=AT_ONCE, sleep=lambda _: None):
        command = argv or [*PROGRAM, str(folder), *map(str, arguments)]
        return Guard(command, run="r1", folder=folder, runs=runs, patience=patience, tell=told.append, sleep=sleep).run()

    run.folder, run.told = folder, told
    return run


def test_a_guard_begins_it_again_wherever_it_died(tmp_path, runs, guarded):
    chance = random.Random(5)
    deaths = [[number, chance.choice(PLACES)] for number in range(3, 11)]
    (tmp_path / "deaths.json").write_text(json.dumps(deaths))

    done = guarded(12, tmp_path / "deaths.json")

    assert done == Guarded(exit_code=0, restarts=8, reasons=("killed by SIGKILL",) * 8)
    assert (guarded.folder / "cycles.jsonl").read_bytes() == undisturbed(tmp_path / "alone", 12)


def test_each_death_is_counted_where_it_lasts(tmp_path, runs, guarded):
    (tmp_path / "deaths.json").write_text(json.dumps([[0, "step"], [0, "half a line"]]))
    guarded(2, tmp_path / "deaths.json")
    runs.close()

    kept = RunStore(tmp_path / "runs.db")
    run, total = kept.get("r1"), kept.recovery()
    kept.close()

    assert (run.restarts, run.reason, total) == (2, "killed by SIGKILL", Recovery(restarts=2, last_failure=run.last_failure))
    assert run.last_failure > 1_700_000_000


def test_one_that_dies_without_finishing_a_cycle_is_given_up(guarded):
    pauses = []

    with pytest.raises(SandboxFailure, match="killed by SIGSEGV, 4 times in a row without finishing a cycle"):
        guarded(argv=["/bin/sh", "-c", "kill -SEGV $$"], sleep=pauses.append,
                patience=Patience(most_restarts=3, first_seconds=1.0, longest_seconds=3.0))

    assert pauses == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(("command", "code"), [("exit 3", 3), ("kill -TERM $$", 143), ("kill -INT $$", 130)])
def test_one_that_ends_by_itself_or_was_asked_to_is_not_begun_again(guarded, command, code):
    assert guarded(argv=["/bin/sh", "-c", command]) == Guarded(exit_code=code, restarts=0, reasons=())


def test_what_it_left_behind_is_ended_before_it_is_begun_again(guarded, tmp_path):
    script = f"test -e {tmp_path}/once && exit 0; touch {tmp_path}/once; sleep 1000 & echo $! > {tmp_path}/left; kill -KILL $$"

    guarded(argv=["/bin/sh", "-c", script])

    assert is_ended((tmp_path / "left").read_text().strip())


GUARDING = """
import sys
from pathlib import Path
from windtunnel.engine.recovery.guard import Guard
from windtunnel.store.runs import RunStore

folder = Path(sys.argv[1])
try:
    Guard(["/bin/sh", "-c", "sleep 1000 & echo $$ $!; wait"], run="r1", folder=folder, runs=RunStore(folder / "runs.db")).run()
except KeyboardInterrupt:
    sys.exit(130)
"""


def test_a_guard_that_is_interrupted_ends_the_run(tmp_path):
    with subprocess.Popen([sys.executable, "-c", GUARDING, str(tmp_path)], stdout=subprocess.PIPE, text=True) as process:
        begun_by_it = process.stdout.readline().split()
        process.send_signal(signal.SIGINT)
        process.wait(60)

    assert (process.returncode, [is_ended(pid) for pid in begun_by_it]) == (130, [True, True])


def test_restarts_of_a_guard_are_seen_by_whoever_watches(tmp_path, command_line):
    cli = command_line(tmp_path)
    folder, state = begun(tmp_path / "run"), tmp_path / "state"
    (tmp_path / "deaths.json").write_text(json.dumps([[0, "step"], [1, "half a line"], [2, "after fsync"]]))
    store = RunStore(state / NAME)
    Guard([*PROGRAM, str(folder), "4", str(tmp_path / "deaths.json")], run="r1", folder=folder, runs=store,
          patience=AT_ONCE).run()
    store.close()

    lines = cli("metrics", "--once").stdout.splitlines()

    assert "sandbox_restart_count 3" in lines
    assert [line for line in lines if re.fullmatch(r"sandbox_last_failure_time 1[0-9]{9}(\.[0-9]+)?", line)]


def test_a_program_that_is_not_there_is_our_failure(guarded):
    with pytest.raises(SandboxFailure, match=r"cannot start .*: No such file or directory"):
        guarded(argv=["/nowhere/program"])


def test_a_guard_of_nothing_is_refused(tmp_path, runs):
    with pytest.raises(UsageError, match="argv: names no program"):
        Guard([], run="r1", folder=tmp_path, runs=runs)


@pytest.mark.parametrize("wrong", [{"most_restarts": -1}, {"most_restarts": True}, {"first_seconds": -1.0},
                                   {"first_seconds": 2.0, "longest_seconds": 1.0}, {"longest_seconds": float("nan")}])
def test_patience_without_an_end_is_refused(wrong):
    with pytest.raises(UsageError, match=next(iter(wrong)).replace("longest", "first")):
        Patience(**wrong)
