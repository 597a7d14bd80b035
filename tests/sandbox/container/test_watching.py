"""How much of a container's run can be seen, and what is made of what the starter tells."""

from __future__ import annotations

import contextlib
import os
import platform
import signal
import socket
import subprocess
import sys

import pytest

from windtunnel.sandbox import seccomp
from windtunnel.sandbox.container import starter
from windtunnel.sandbox.container.door import Starter
from windtunnel.sandbox.container.watching import Sight, Watch, names_below, own_kernel

STATUS = (3 << 8).to_bytes(4, "little")


@pytest.mark.parametrize(("runtime", "own"), [
    ("runc", False), ("crun", False), ("/usr/bin/crun", False), ("io.containerd.runc.v2", False), ("nvidia", False), ("", False),
    ("runsc", True), ("/opt/runsc/bin/runsc", True), ("/opt/runsc/bin/runc", False), ("runsc-kvm", True), ("io.containerd.runsc.v1", True),
    ("kata", True), ("kata-runtime", True), ("io.containerd.kata.v2", True), ("krun", True)])
def test_a_runtime_with_a_kernel_of_its_own_is_known_by_its_name(runtime, own):
    assert own_kernel(runtime) is own


@pytest.mark.parametrize(("processes", "calls"), [(False, False), (True, False), (True, True)])
def test_the_starter_is_made_for_what_can_be_seen(processes, calls):
    machine = platform.machine()
    given = seccomp.load(machine, watch=True) if calls else b""

    assert Sight(processes=processes, calls=calls).starter("/gate") == starter.program(machine, folder="/gate", connect=processes, calls=given)


# --- names ---

FAMILY = """
import os, time
def child(name, *below):
    if os.fork() == 0:
        open("/proc/self/comm", "w").write(name)
        for one in below: child(one)
        print(name, os.getpid(), flush=True)
        time.sleep(60)
child("one")
child("two", "three")
dead = os.fork() or os._exit(0)
os.waitid(os.P_PID, dead, os.WEXITED | os.WNOWAIT)
print("first", os.getpid(), flush=True)
time.sleep(60)
"""


@pytest.fixture
def family():
    """Numbers by name: the first process, its children one and two, three below two; and one is dead, not waited for."""
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", FAMILY], stdout=subprocess.PIPE, text=True, start_new_session=True) as first:
        numbers = dict(first.stdout.readline().split() for _ in range(4))
        yield {name: int(number) for name, number in numbers.items()}
        os.killpg(first.pid, signal.SIGKILL)


def test_living_processes_below_the_first_are_named_but_not_the_one_left_out(family):
    assert sorted(names_below(family["first"], apart_from=0)) == ["one", "three", "two"]
    assert sorted(names_below(family["first"], apart_from=family["two"])) == ["one", "three"]


def test_of_a_process_that_is_gone_nothing_is_below():
    with subprocess.Popen(["/bin/true"]) as gone:
        pass

    assert names_below(gone.pid, apart_from=0) == ()


# --- one run's watch ---

@pytest.fixture
def pair():
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with contextlib.closing(ours), contextlib.closing(theirs):
        theirs.settimeout(20)
        yield Starter(connection=ours, listener=-1, pid=0), theirs


def test_where_no_starter_came_only_files_are_watched_and_nothing_is_served():
    watch = Watch(None, first=1, host_network=False)

    assert (watch.watched, watch.readers(), watch.left, watch.network(), watch.blocked(), watch.omitted(), watch.ended()) == (
        ("files",), {}, (), (), (), 0, False)


def test_when_the_program_has_ended_what_it_left_is_named_and_the_starter_let_go(pair, family):
    comer, theirs = pair
    watch = Watch(comer, first=family["first"], host_network=False)
    ((_, told),) = watch.readers().items()
    theirs.send(STATUS)

    served = told()

    assert (served, sorted(watch.left), theirs.recv(8), watch.ended(), watch.watched) == (
        False, ["one", "three", "two"], b"\0", True, ("files", "processes"))


def test_a_starter_that_went_without_a_word_told_of_no_end(pair, family):
    comer, theirs = pair
    watch = Watch(comer, first=family["first"], host_network=False)
    ((_, told),) = watch.readers().items()
    theirs.close()

    assert (told(), watch.left, watch.ended()) == (False, (), False)


def test_an_end_that_was_told_while_nobody_looked_is_known_afterwards(pair):
    comer, theirs = pair
    watch = Watch(comer, first=os.getpid(), host_network=False)
    theirs.send(STATUS)

    assert watch.ended() is True
