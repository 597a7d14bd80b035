"""Whatever happens to the supervisor, or to the processes of a simulated outside, nothing of it is left."""

import contextlib
import os
import signal
import time
from pathlib import Path

import pytest

from windtunnel.core.errors import SandboxFailure
from windtunnel.core.ports import Network
from windtunnel.core.scenario import Outside

KILLS = 20
LONG = """
import ctypes, os
from windtunnel.core.ports import Network
from windtunnel.core.scenario import Link, Outside
code = ("import socket\\ns = socket.create_connection(('example.com', 7))\\n"
        "print('up', flush=True)\\nwhile True:\\n    s.sendall(b'x'); s.recv(9)\\n")
while True:
    if os.fork() == 0:
        ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)
        Bubblewrap(pool_size=0).run(python_job(
            code, limits=Limits(wall_seconds=50), on_stdout=lambda data: print(os.getpid(), flush=True),
            network=Network(outside=Outside(link=Link(delay_seconds=0.01)))))
        os._exit(1)
    os.wait()
"""


def descendants(pid):
    found, pending = [], [pid]
    while pending:
        parent = pending.pop()
        try:
            tasks = list(Path(f"/proc/{parent}/task").glob("*/children"))
            children = [int(word) for task in tasks for word in task.read_text().split()]
        except OSError:
            continue
        found += children
        pending += children
    return found


def wait_until(true, seconds=10.0):
    until = time.monotonic() + seconds
    while not true():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def alive(pids):
    found = []
    for pid in pids:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        found += [pid] if state != "Z" else []
    return found


def carriers(pid):
    """The processes of the station below a supervisor, the station first."""
    return [child for child in descendants(pid) if b"windtunnel.sandbox.outside.station" in command(child)]


def command(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@pytest.mark.timeout(120)
def test_killed_supervisors_leave_nothing(supervisor):
    """A namespace lives as long as a process in it or a socket of it, so it goes with the last process."""
    process = supervisor(LONG)
    left, seen = [], []
    for _ in range(KILLS):
        pid = int(process.stdout.readline())
        below = descendants(pid)
        seen.append(len(carriers(pid)))
        os.kill(pid, signal.SIGKILL)
        left += [] if wait_until(lambda below=below: not alive(below)) else alive(below)

    assert left == []
    assert seen == [3] * KILLS


def test_a_run_whose_outside_was_killed_is_our_failure(box, job):
    def kill(_):
        for pid in carriers(os.getpid())[1:]:
            os.kill(pid, signal.SIGKILL)

    with pytest.raises(SandboxFailure, match="the simulated outside ended before the run did"):
        box.run(job("import socket\nsocket.create_connection(('1.2.3.4', 7))\nprint('up')", on_stdout=kill,
                    network=Network(outside=Outside())))


def test_a_station_that_was_killed_is_started_again(run):
    code = "import socket\ns = socket.create_connection(('1.2.3.4', 7))\ns.send(b'x')\nprint(s.recv(1))"
    run(code)
    for pid in carriers(os.getpid())[:1]:
        os.kill(pid, signal.SIGKILL)

    assert wait_until(lambda: not alive(carriers(os.getpid())))
    with contextlib.suppress(SandboxFailure):  # a run that came before its death was seen is lost with it, and says so
        run(code)
    assert run(code).stdout == "b'x'\n"


def test_after_a_run_only_the_station_is_left(run):
    run("print(1)")

    assert wait_until(lambda: len(alive(carriers(os.getpid()))) == 1)
