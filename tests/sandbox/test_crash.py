"""Whatever happens to the supervisor, nothing of a run is left."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from windtunnel.sandbox import cgroups

LONG = """
sandbox = Bubblewrap(pool_size=2)
sandbox.run(python_job("print(1)"))
print(sandbox.__class__.__name__, flush=True)
sandbox.run(python_job("import time, os\\nfor _ in range(3):\\n    os.fork()\\ntime.sleep(60)", limits=Limits(wall_seconds=50)))
"""


def descendants(pid):
    found, pending = [], [pid]
    while pending:
        parent = pending.pop()
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            children = [int(word) for word in task.read_text().split()]
            found += children
            pending += children
    return found


def wait_until(true, seconds=10.0):
    until = time.monotonic() + seconds
    while not true():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def alive(pids):
    return [pid for pid in pids if state(pid) not in ("", "Z")]


def state(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def group_folders():
    """By a walk that does not mind folders that vanish under it."""
    return {f"{folder}/{name}" for folder, names, _ in os.walk("/sys/fs/cgroup") for name in names
            if name.startswith("windtunnel-")}


def groups_of(pid):
    return {folder for folder in group_folders() if f"-{pid}-" in folder}


def begun(process):
    """Wait until the long run is under way; all processes below the supervisor."""
    assert process.stdout.readline()
    assert wait_until(lambda: len(descendants(process.pid)) >= 12), "the program did not start"
    return descendants(process.pid)


def test_a_killed_supervisor_leaves_no_process(supervisor):
    process = supervisor(LONG)
    below = begun(process)

    process.kill()
    process.wait()

    assert wait_until(lambda: not alive(below), seconds=3), alive(below)


def test_the_next_supervisor_removes_the_groups_of_a_killed_one(supervisor):
    process = supervisor(LONG)
    below = begun(process)
    if os.geteuid() != 0:
        pytest.skip("control groups need root here")
    assert groups_of(process.pid)  # before the kill: after it, a supervisor of another test may be the next
    process.kill()
    process.wait()
    assert wait_until(lambda: not alive(below), seconds=3)

    groups = cgroups.find()
    groups.close()

    assert not groups_of(process.pid)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signalled_supervisor_leaves_nothing(supervisor, number):
    process = supervisor("import signal\nsignal.signal(signal.SIGTERM, signal.default_int_handler)\n" + LONG)
    below = begun(process)

    process.send_signal(number)

    assert process.wait(timeout=10) != 0
    assert not alive(below)
    assert not groups_of(process.pid)


def test_a_killed_stem_is_our_failure_and_the_next_run_works(supervisor):
    process = supervisor("""
import threading, time, os, signal
from windtunnel.core.errors import SandboxFailure
sandbox = Bubblewrap(pool_size=0)
for _ in range(10):
    sandbox.run(python_job("print(1)"))
    (grown,) = sandbox._stems.values()
    threading.Timer(0.3, grown.stem.process.kill).start()
    try:
        sandbox.run(python_job("import time; time.sleep(20)"))
    except SandboxFailure as failure:
        print("failure", flush=True)
print(sandbox.run(python_job("print(1)")).stdout)
""")

    assert process.communicate(timeout=60)[0].split() == ["failure"] * 10 + ["1"]


def test_a_closed_sandbox_cancels_its_runs(supervisor):
    process = supervisor("""
import threading
sandbox = Bubblewrap(pool_size=0)
for _ in range(20):
    sandbox.run(python_job("print(1)"))
    threading.Timer(0.1, sandbox.close).start()
    print(sandbox.run(python_job("import time; time.sleep(20)")).reason)
""")

    assert process.communicate(timeout=60)[0].split() == ["cancelled"] * 20


def test_a_forked_child_of_the_supervisor_uses_its_own_stems(supervisor):
    process = supervisor("""
import os
sandbox = Bubblewrap(pool_size=1)
sandbox.run(python_job("print(1)"))
pid = os.fork()
if pid == 0:
    print(sandbox.run(python_job("print('child')")).stdout, end="", flush=True)
    sandbox.close()
    os._exit(0)
os.waitpid(pid, 0)
print(sandbox.run(python_job("print('parent')")).stdout, end="", flush=True)
""")

    assert process.communicate(timeout=30)[0].split() == ["child", "parent"]


def test_a_thread_that_ends_does_not_take_its_sandboxes_with_it(supervisor):
    process = supervisor("""
import threading
sandbox = Bubblewrap(pool_size=1)
for number in range(3):
    thread = threading.Thread(target=lambda: print(sandbox.run(python_job("print(1)")).stdout, end="", flush=True))
    thread.start()
    thread.join()
(grown,) = sandbox._stems.values()
print(grown.stem.alive())
""")

    assert process.communicate(timeout=30)[0].split() == ["1", "1", "1", "True"]


def mounts_and_files():
    """Of all but tests of containers, which are at work beside these and have their own look at what they leave."""
    others = re.compile(rf"^windtunnel-(?!{os.getpid()}-)(\d+-|filter|host)|/windtunnel-\d+-|/wt-(docker|podman)-|/netns")
    mounted = [line.split(" ", 2)[2] for line in Path("/proc/self/mountinfo").read_text().splitlines() if not others.search(line)]
    return sorted(mounted), sorted(path.name for path in Path("/tmp").iterdir() if not others.search(path.name))


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.xdist_group("alone")
def test_two_thousand_runs_leave_nothing_behind(supervisor):
    process = supervisor("""
import os, threading
sandbox = Bubblewrap(pool_size=2)
for _ in range(20):
    sandbox.run(python_job("print(1)"))
sandbox.flush()
before = len(os.listdir("/proc/self/fd"))
def work(count):
    for number in range(count):
        assert sandbox.run(python_job("print(1)")).stdout == "1\\n"
threads = [threading.Thread(target=work, args=(500,)) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
sandbox.flush()
print("descriptors", len(os.listdir("/proc/self/fd")) - before, flush=True)
groups = sandbox._groups
print("groups", sum(len(list(parent.glob("run-*"))) for parent in set(groups.parents.values())) if groups else 2, flush=True)
import sys; sys.stdin.close()
sandbox.close()
print("threads", threading.active_count(), "children", open(f"/proc/self/task/{os.getpid()}/children").read().split(), flush=True)
""")
    before = mounts_and_files()

    lines = process.communicate(timeout=500)[0].splitlines()

    assert lines[0] in ("descriptors 0", "descriptors -9", "descriptors 9"), lines
    assert lines[1:] == [lines[1], "threads 2 children []"]
    assert int(lines[1].split()[1]) <= 8, "more groups than waiting sandboxes"
    after = mounts_and_files()
    assert after[0] == before[0]
    assert {name for name in set(after[1]) - set(before[1]) if "windtunnel" in name} == set()
    assert not groups_of(process.pid)


def test_no_zombie_is_left_by_a_burst():
    script = Path(__file__).with_name("conftest.py")
    code = f"""
import sys, threading; sys.path.insert(0, {str(script.parent)!r})
from conftest import python_job, Bubblewrap
sandbox = Bubblewrap(pool_size=2)
done = []
threads = [threading.Thread(target=lambda: done.append(sandbox.run(python_job("print(1)")).stdout)) for _ in range(50)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(len(done), set(done) == {{"1\\n"}})
"""
    import sys

    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)

    assert answer.stdout == "50 True\n", answer.stderr
