"""What a tree uses, counted from outside; the attacks are those that control groups see and a look at /proc may not."""

import os
import subprocess
import sys

import pytest

from windtunnel.core.limits import MIB, Limits
from windtunnel.core.result import Reason, Usage
from windtunnel.sandbox.bubblewrap import Bubblewrap
from windtunnel.sandbox.cgroups import Spent
from windtunnel.sandbox.meter import GroupMeter, TreeMeter

HOLD = "\nprint('ready', flush=True)\nsys.stdin.read()\nos.killpg(0, 9)\n"


@pytest.fixture
def tree(tmp_path):
    """Starts a program that stands in for init and all below it; answers with a meter of it."""
    started, folder = [], os.open(tmp_path, os.O_RDONLY)

    def start(code, *, limits=None, words=1):
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", "import os, sys, threading\nos.setpgid(0, 0)\n" + code + HOLD],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        started.append(process)
        for _ in range(words):
            assert process.stdout.readline() == b"ready\n"
        return TreeMeter(process.pid, limits or Limits(), folder)

    yield start
    for process in started:
        os.killpg(process.pid, 9)
        process.communicate()
    os.close(folder)


def looked(meter, tmp_path):
    """One look, without what the test's own disk adds."""
    before = os.statvfs(tmp_path)
    reason = meter.over()
    return reason, meter.memory_peak - (before.f_blocks - before.f_bfree) * before.f_frsize


LARGE = Limits(memory_bytes=2**50, processes=1000)


def test_memory_shared_after_a_fork_counts_once(tree, tmp_path):
    meter = tree("data = b'x' * (64 << 20)\nfor _ in range(3):\n    if os.fork() == 0: break", limits=LARGE, words=4)

    _, memory = looked(meter, tmp_path)

    assert 60 * MIB < memory < 110 * MIB
    assert meter.processes_peak == 3


def test_memory_of_each_process_counts(tree, tmp_path):
    meter = tree("for _ in range(3):\n    if os.fork() == 0:\n        data = b'x' * (32 << 20); break",
                 limits=LARGE, words=4)

    _, memory = looked(meter, tmp_path)

    assert 90 * MIB < memory < 150 * MIB


def test_threads_count_as_processes(tree):
    meter = tree("if os.fork() == 0:\n    [threading.Thread(target=threading.Event().wait).start() for _ in range(9)]",
                 words=2, limits=LARGE)

    meter.over()

    assert meter.processes_peak == 10


def test_a_tree_over_its_memory_is_over(tree):
    meter = tree("data = b'x' * (64 << 20)", limits=Limits(memory_bytes=16 * MIB))

    assert (meter.over(), meter.final()[1]) == (Reason.OUT_OF_MEMORY, Reason.OUT_OF_MEMORY)


def test_processor_time_of_waited_children_counts(tree):
    code = "import time\nif os.fork() == 0:\n    while time.process_time() < 0.3: pass\n    os._exit(0)\nos.wait()"
    meter = tree(code, limits=Limits(memory_bytes=2**50, cpu_seconds=0.25))

    assert meter.over() is Reason.CPU_TIME
    assert 0.25 < meter.final()[0].cpu_seconds < 1


def test_as_many_processes_as_allowed_are_met_and_not_passed(tree):
    meter = tree("for _ in range(4):\n    if os.fork() == 0: break", words=5,
                 limits=Limits(memory_bytes=2**50, processes=4))

    assert (meter.over(), meter.final()[1]) == (None, Reason.TOO_MANY_PROCESSES)


def test_a_tree_that_is_gone_keeps_its_highest_numbers(tree, tmp_path):
    meter = tree("data = b'x' * (64 << 20)", limits=LARGE)
    _, before = looked(meter, tmp_path)
    os.killpg(meter.init, 9)
    os.waitid(os.P_PID, meter.init, os.WEXITED | os.WNOWAIT)

    meter.over()

    assert meter.final()[0].memory_peak_bytes >= before > 60 * MIB


class Counted:
    """A group with these counters."""

    def __init__(self, **counters):
        self.counters = {"cpu_seconds": 1.0, "memory_peak_bytes": 5, "processes_peak": 2, "oom_kills": 0,
                         "process_refusals": 0} | counters

    def spent(self):
        return Spent(**self.counters)

    def oom_kills(self):
        return self.counters["oom_kills"]

    def cpu_seconds(self):
        return self.counters["cpu_seconds"]


@pytest.mark.parametrize(("counters", "over", "met"), [
    ({}, None, None),
    ({"oom_kills": 1}, Reason.OUT_OF_MEMORY, Reason.OUT_OF_MEMORY),
    ({"cpu_seconds": 2.1}, Reason.CPU_TIME, None),
    ({"process_refusals": 3}, None, Reason.TOO_MANY_PROCESSES),
    ({"oom_kills": 1, "process_refusals": 3}, Reason.OUT_OF_MEMORY, Reason.OUT_OF_MEMORY),
])
def test_a_group_is_judged_by_its_counters(counters, over, met):
    group = Counted(**counters)
    meter = GroupMeter(group, Limits(cpu_seconds=2.0))

    used = Usage(cpu_seconds=group.cpu_seconds(), memory_peak_bytes=5, processes_peak=2)
    assert (meter.over(), meter.final()) == (over, (used, met))


# --- attacks on the count, with and without control groups ---

SHARED = """
import mmap, time
data = mmap.mmap(-1, 200 << 20)
for page in range(0, len(data), 4096):
    data[page] = 1
time.sleep(2)
"""
LEADERLESS = f"""
import ctypes, os, threading, time
def hold():
    time.sleep(0.1)
    data = b"x" * (200 << 20)
    time.sleep(2)
    os._exit(0)
threading.Thread(target=hold).start()
ctypes.CDLL(None).syscall({93 if os.uname().machine == "aarch64" else 60}, 0)  # only this thread ends, and the process looks dead from then on
"""
RELAY = """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel then adds no child's time to its parent's
while True:
    if os.fork() == 0:
        while time.process_time() < 0.1: pass
        os._exit(0)
    try:
        os.wait()
    except ChildProcessError:
        pass
"""
ATTACKS = [
    pytest.param(SHARED, Limits(memory_bytes=64 * MIB), Reason.OUT_OF_MEMORY, id="shared memory"),
    pytest.param(LEADERLESS, Limits(memory_bytes=64 * MIB), Reason.OUT_OF_MEMORY, id="no main thread"),
    pytest.param(RELAY, Limits(cpu_seconds=0.6, wall_seconds=3), Reason.CPU_TIME, id="unwaited children"),
]


@pytest.mark.parametrize(("code", "limits", "reason"), ATTACKS)
def test_a_tree_cannot_hide_what_it_uses_from_a_control_group(sandbox, job, code, limits, reason):
    result = sandbox.run(job(code, limits=limits))

    if not result.enforced["memory"].startswith("cgroup"):
        pytest.skip("no control group may be made here")
    assert result.reason is reason


@pytest.mark.parametrize(("code", "limits", "reason"), ATTACKS)
def test_a_tree_cannot_hide_what_it_uses_from_the_supervisor(job, code, limits, reason):
    sandbox = Bubblewrap(pool_size=0, groups=False)
    try:
        assert sandbox.run(job(code, limits=limits)).reason is reason
    finally:
        sandbox.close()
