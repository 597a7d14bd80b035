"""The whole loop in real sandboxes, on projects small enough to be timed in a moment."""

import json
import subprocess
import time
from pathlib import Path

import pytest

import windtunnel
from windtunnel.core.errors import UsageError
from windtunnel.engine.improve.asked import Improve
from windtunnel.engine.improve.improvement import Outcome
from windtunnel.engine.improve.pacer import WorkloadFailed
from windtunnel.engine.improve.verb import improve

SLOW = "def unique(values):\n    kept = []\n    for value in values:\n        if value not in kept:\n            kept.append(value)\n    return kept\n"
TESTS = "from slow import unique\n\n\ndef test_unique():\n    assert unique([3, 1, 3]) == [3, 1]\n"
WORKLOAD = "from slow import unique\n\nprint(sum(unique([at * 7919 % 2503 for at in range(2500)])))\n"
TWO = SLOW + "\n\ndef common(one, other):\n    return [value for value in one if value in other]\n"
TWO_TESTS = TESTS.replace("import unique", "import common, unique") + "\n\ndef test_common():\n    assert common([1, 2, 3], [3, 2]) == [2, 3]\n"
TWO_WORKLOAD = WORKLOAD.replace("import unique", "import common, unique") + "print(len(common(list(range(2500)), list(range(1, 5000, 2)))))\n"
LISTS = "from slow import unique\n\nprint(len(unique([[at % 700] for at in range(2500)])))\n"


def project(folder, **files):
    folder.mkdir()
    for name, text in ({"slow": SLOW, "test_slow": TESTS, "workload": WORKLOAD} | files).items():
        (folder / f"{name}.py").write_text(text)
    return folder


def contents(folder):
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.rglob("*")}


@pytest.fixture(scope="module")
def improved(small_tunnel, tmp_path_factory):
    """One run of the loop that keeps something, for several tests to look at."""
    folder = tmp_path_factory.mktemp("improved")
    place = project(folder / "shop", slow=TWO, test_slow=TWO_TESTS, workload=TWO_WORKLOAD)
    before = contents(place)
    told = []
    result = improve(small_tunnel.rig, Improve(project=place, tell=told.append), state=folder / "state")
    return place, before, result, folder / "state", told


@pytest.fixture(scope="module")
def small_tunnel(tmp_path_factory):
    from windtunnel.config import Settings
    from windtunnel.tunnel import Tunnel

    folder = tmp_path_factory.mktemp("own")
    with Tunnel(Settings(state_dir=folder / "state", cache_dir=folder / "cache"), pool_size=0) as tunnel:
        yield tunnel


def test_faster_forms_are_kept_with_their_numbers(improved):
    _, _, result, _, told = improved

    kept = {(step.rule, step.function) for step in result.kept}
    assert (result.state, kept) == (Outcome.IMPROVED, {("duplicates", "unique"), ("membership", "common")})
    assert min(step.low for step in result.steps) > 0.1
    assert min(step.compared for step in result.steps) > 20
    assert told[0].startswith("cycle 1: slow.py::")


def test_all_that_was_kept_is_proven_together(improved):
    _, _, result, _, _ = improved

    assert result.low > max(step.low for step in result.steps)
    assert result.before_seconds > 2 * result.after_seconds
    assert "+        if value not in kept_set:" in result.diff
    assert "value in other_set" in result.diff
    assert result.trial.success
    assert "perf_event_open" in result.instructions


def test_the_project_is_the_same_to_the_byte_after_looking(improved):
    place, before, result, _, _ = improved

    assert contents(place) == before
    assert result.untouched


def test_whoever_asks_again_goes_on_with_what_was_judged(improved, small_tunnel):
    place, _, first, state, _ = improved

    again = improve(small_tunnel.rig, Improve(project=place), state=state)

    assert {(one.rule, one.function, one.kept, one.gain) for one in again.steps} == {
        (one.rule, one.function, one.kept, one.gain) for one in first.steps}
    assert again.diff == first.diff
    assert again.notes == ("2 judgements taken from before",)


def test_what_answers_otherwise_is_not_kept_though_the_tests_pass(small_tunnel, tmp_path):
    place = project(tmp_path / "shop", workload=LISTS)

    result = improve(small_tunnel.rig, Improve(project=place))

    step, = result.steps
    assert (result.state, step.kept, result.diff, step.gain) == (Outcome.UNCHANGED, False, "", None)
    assert "it answers otherwise" in step.why
    assert "TypeError" in step.why


def test_a_workload_that_prints_something_else_each_time_is_refused(small_tunnel, tmp_path):
    place = project(tmp_path / "shop", workload="import time\n\nprint(time.time_ns())\n")

    with pytest.raises(WorkloadFailed, match="prints something else each time"):
        improve(small_tunnel.rig, Improve(project=place))


def test_a_workload_that_fails_is_refused(small_tunnel, tmp_path):
    place = project(tmp_path / "shop", workload="raise SystemExit(3)\n")

    with pytest.raises(WorkloadFailed, match="ends with 3"):
        improve(small_tunnel.rig, Improve(project=place))


def test_a_project_with_nothing_to_say_is_left_alone(small_tunnel, tmp_path):
    place = project(tmp_path / "shop", slow="def unique(values):\n    return list(dict.fromkeys(values))\n")

    result = improve(small_tunnel.rig, Improve(project=place))

    assert (result.state, result.steps, result.cycles) == (Outcome.UNCHANGED, (), 0)
    assert result.reason == "0 of 0 edits kept; nothing more is proposed"


def test_nothing_is_kept_when_the_time_is_over(small_tunnel, tmp_path):
    place = project(tmp_path / "shop")

    result = improve(small_tunnel.rig, Improve(project=place, seconds=0.1))

    assert (result.state, result.steps) == (Outcome.UNCHANGED, ())
    assert result.reason == "0 of 0 edits kept; the time is over"


def test_databases_are_temporary_ones_whatever_the_environment_says(small_tunnel, tmp_path, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://production/orders")
    names = "DATABASE_URL BOT_DB_PATH BOT_PERFORMANCE_DB MAINTENANCE_DB"
    said = f"import os\n\nfor name in {names.split()!r}:\n    assert '/tmp/windtunnel-' in os.environ[name], name\n"
    place = project(tmp_path / "shop", slow=said + "\n\ndef unique(values):\n    return values\n",
                    test_slow="import slow\n\n\ndef test_unique():\n    assert slow.unique([1]) == [1]\n",
                    workload="import slow\n\nprint(slow.unique([1]))\n")

    result = improve(small_tunnel.rig, Improve(project=place))

    assert result.state is Outcome.UNCHANGED


@pytest.fixture
def own_cli(cli):
    """With the package that is tested here, wherever it is installed."""
    cli.env["PYTHONPATH"] = str(Path(windtunnel.__file__).parent.parent)
    return cli


def test_a_kill_in_the_middle_leaves_the_project_as_it_was(own_cli, tmp_path):
    place = project(tmp_path / "shop")
    before = contents(place)
    journals = tmp_path / "state" / "improve" / "journals"

    started = own_cli.start("improve", str(place), "--apply", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not journals.is_dir() and started.poll() is None:
        time.sleep(0.01)
    started.kill()

    assert started.wait() == -9
    assert contents(place) == before


def test_improve_is_a_command_that_applies_and_can_be_taken_back(own_cli, tmp_path):
    place = project(tmp_path / "shop")

    done = own_cli("improve", str(place), "--apply", "--json", seconds=170)

    told = json.loads(done.stdout)
    assert (done.returncode, told["state"], told["applied"]) == (0, "improved", True)
    assert "kept_set" in (place / "slow.py").read_text()
    assert own_cli("undo", "--project", str(place)).returncode == 0
    assert (place / "slow.py").read_text() == SLOW


@pytest.mark.parametrize(("options", "field"), [
    ({"cycles": 0}, "cycles"), ({"cycles": True}, "cycles"), ({"seconds": -1}, "seconds"),
    ({"seconds": float("nan")}, "seconds"), ({"seed": "x"}, "seed"), ({"worthwhile": 2.0}, "worthwhile"),
    ({"env": {"DATABASE_URL": "postgresql://production"}}, "env")])
def test_what_cannot_be_meant_is_refused(options, field, tmp_path):
    with pytest.raises(UsageError) as refused:
        Improve(project=tmp_path, **options)

    assert refused.value.field == field
