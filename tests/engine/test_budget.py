"""What the commands of one side of a trial may use together."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from trials import ONE_RUNNER, modify, write

from windtunnel.config import CAPS
from windtunnel.core.limits import GIB, MIB, Limits
from windtunnel.core.ports import Rig
from windtunnel.core.result import Reason
from windtunnel.core.trial import Verdict
from windtunnel.engine import budget as budgets
from windtunnel.engine.budget import Budget, usual_budget
from windtunnel.engine.premises import TRIAL_LIMITS, trial_limits
from windtunnel.engine.trial import Trial, budget_of, try_change

WHOLE = Limits(memory_bytes=2 * GIB, swap_bytes=GIB, processes=200, disk_bytes=512 * MIB, files=8000, cores=2.0)


@pytest.fixture(autouse=True)
def four_processors(monkeypatch):
    monkeypatch.setattr(budgets.os, "cpu_count", lambda: 4)


def test_lanes_are_equal_parts_of_the_whole():
    found = Budget(WHOLE, lanes=2)

    assert found.lane_limits == replace(
        WHOLE, memory_bytes=GIB, swap_bytes=512 * MIB, processes=100, disk_bytes=256 * MIB, files=4000, cores=1.0)


def test_processors_are_not_cut_where_the_machine_has_no_more():
    assert Budget(replace(WHOLE, cores=4.0), lanes=2).lane_limits.cores == 4.0


@pytest.mark.parametrize(("field", "whole", "lanes"), [
    ("memory_bytes", 600 * MIB, 1), ("memory_bytes", 1100 * MIB, 2), ("processes", 40, 1), ("disk_bytes", MIB, 1),
    ("files", 4100, 2), ("files", 100, 1)])
def test_there_are_no_more_lanes_than_are_of_use(field, whole, lanes):
    assert Budget(replace(WHOLE, **{field: whole}), lanes=8).lanes == lanes


def test_no_more_commands_are_under_way_than_there_are_lanes():
    budget, most, under_way, lock = Budget(WHOLE, lanes=2), [0], [0], threading.Lock()

    def command(_):
        with budget.lane() as lane:
            assert lane is not None
            with lock:
                under_way[0] += 1
                most[0] = max(most[0], under_way[0])
            threading.Event().wait(0.02)
            with lock:
                under_way[0] -= 1

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(command, range(16)))

    assert most == [2]


def test_processor_time_of_commands_at_once_is_never_more_than_the_whole():
    budget = Budget(replace(WHOLE, cpu_seconds=10.0), lanes=2)

    with budget.lane() as first, budget.lane() as second:
        first.spent_cpu, second.spent_cpu = 5.0, 1.0
        given = [first.limits.cpu_seconds, second.limits.cpu_seconds]
    with budget.lane() as third, budget.lane() as fourth:
        given += [third.limits.cpu_seconds, fourth.limits.cpu_seconds]

    assert given == [5.0, 5.0, 2.0, 2.0]


def test_a_lane_is_not_waited_for_beyond_the_time_of_the_whole():
    budget = Budget(replace(WHOLE, wall_seconds=0.05))

    with budget.lane(), budget.lane() as second:
        assert second is None


def test_a_lane_comes_back_after_a_failure():
    budget = Budget(replace(WHOLE, cpu_seconds=4.0))

    with pytest.raises(ValueError, match="fault"), budget.lane():
        raise ValueError("fault")

    with budget.lane() as lane:
        assert lane.limits.cpu_seconds == 4.0


def test_where_nobody_asks_every_lane_has_what_a_command_usually_gets(monkeypatch):
    monkeypatch.setattr(budgets, "_memory", lambda caps: 16 * GIB)

    command = replace(TRIAL_LIMITS, cores=4.0)

    found = usual_budget(command, caps=CAPS, jobs=3)

    assert (found.lanes, found.limits.memory_bytes, found.limits.processes) == (3, 12 * GIB, 3072)
    assert found.lane_limits == command


@pytest.mark.parametrize(("memory", "jobs", "lanes", "each"), [
    (3 * GIB, 8, 1, 3 * GIB), (6 * GIB, 8, 3, 2 * GIB), (16 * GIB, 64, 8, 2 * GIB), (16 * GIB, 2, 2, 4 * GIB)])
def test_unasked_lanes_fit_into_the_memory_there_is(monkeypatch, memory, jobs, lanes, each):
    monkeypatch.setattr(budgets, "_memory", lambda caps: memory)

    found = usual_budget(TRIAL_LIMITS, caps=CAPS, jobs=jobs)

    assert (found.lanes, found.lane_limits.memory_bytes) == (lanes, each)


def test_the_caps_bound_the_whole_and_not_each_command():
    caps = replace(CAPS, wall_seconds=3600.0, processes=1000, files=100_000, disk_bytes=GIB, memory_bytes=4 * GIB)

    found = usual_budget(replace(TRIAL_LIMITS, processes=1000, files=100_000, disk_bytes=GIB), caps=caps, jobs=2)

    assert found.limits.over(caps) is None
    assert (found.lane_limits.processes, found.lane_limits.memory_bytes) == (500, 2 * GIB)


@pytest.mark.parametrize(("asked", "jobs", "lanes"), [
    ({}, None, 2), ({"wall_seconds": 20.0}, None, 2), ({"memory_bytes": 4 * GIB - MIB}, None, 1), ({"memory_bytes": 8 * GIB}, 3, 3),
    ({"cpu_seconds": 60.0}, None, 1), ({}, 1, 1)])
def test_only_limits_that_commands_share_make_them_wait_for_each_other(monkeypatch, asked, jobs, lanes):
    monkeypatch.setattr(budgets, "_memory", lambda caps: 8 * GIB)
    caps = replace(CAPS, wall_seconds=3600.0, cores=2.0)
    limits = replace(trial_limits(None, caps=caps), **asked) if asked else None

    assert budget_of(Trial(project=".", changes=(), limits=limits, jobs=jobs), caps=caps).lanes == lanes


# --- with a real sandbox ---

HOG = ("import sys, time\nblock = bytearray({size})\nfor page in range(0, len(block), 4096):\n    block[page] = 1\n"
       "time.sleep(0.5)\nsys.exit(0)\n")


class Watching:
    """A sandbox that counts the memory given to those under way at once."""

    def __init__(self, sandbox):
        self.sandbox, self.level = sandbox, sandbox.level
        self.lock, self.given, self.most, self.memory = threading.Lock(), 0, 0, []

    def run(self, job):
        with self.lock:
            self.given += job.limits.memory_bytes
            self.most = max(self.most, self.given)
            self.memory.append(job.limits.memory_bytes)
        try:
            return self.sandbox.run(job)
        finally:
            with self.lock:
                self.given -= job.limits.memory_bytes

    def close(self):
        self.sandbox.close()


def watched(tunnel) -> tuple[Rig, Watching]:
    sandbox = Watching(tunnel.rig.sandbox)
    return replace(tunnel.rig, sandbox=sandbox), sandbox


@pytest.mark.parametrize("limits", [None, Limits(memory_bytes=600 * MIB, wall_seconds=60, processes=200)])
def test_commands_of_a_trial_never_have_more_memory_between_them_than_the_whole(tunnel, tmp_path, limits):
    project = write(tmp_path, {"calc.py": "ONE = 1\n", "test_calc.py": "import calc\ndef test_one():\n    assert calc.ONE\n"})
    rig, sandbox = watched(tunnel)

    result = try_change(rig, Trial(
        project=project, changes=[modify("calc.py", "ONE = 2\n"), modify("test_calc.py", "import calc\ndef test_one():\n    assert calc.ONE == 2\n")],
        lint="python3 -c pass", build="", limits=limits))

    assert result.limits.memory_bytes >= sandbox.most > 0
    assert len(set(sandbox.memory)) == 1, "both sides have the same lane"


def test_a_command_that_takes_more_than_the_limit_of_the_trial_is_stopped(tunnel, tmp_path):
    project = write(tmp_path, {"hog.py": HOG.format(size=64 * MIB), "lint.py": ""})
    options = {**ONE_RUNNER, "test": "python3 hog.py", "limits": Limits(memory_bytes=256 * MIB, wall_seconds=60)}

    result = try_change(tunnel.rig, Trial(
        project=project, changes=[modify("hog.py", HOG.format(size=512 * MIB))], **options, rerun=False))

    assert (result.verdict, [report.reason for report in result.reports]) == (Verdict.NOT_GOOD, [Reason.OUT_OF_MEMORY])
