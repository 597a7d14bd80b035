"""The door: who is taken for a container's starter, what it may hand over, and that nobody comes after it."""

from __future__ import annotations

import array
import errno
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from windtunnel.core.errors import SandboxFailure
from windtunnel.sandbox.container.door import Door, NoListener, Starter
from windtunnel.sandbox.inside import kernel

ALLOW = b"\x06\0\0\0\0\0\xff\x7f"


@pytest.fixture
def door(tmp_path):
    made = Door(str(tmp_path))
    yield made
    made.close()


@pytest.fixture
def alive():
    """A process that lives as long as the test, for a container's first."""
    number = os.pidfd_open(os.getpid())
    yield number
    os.close(number)


@pytest.fixture
def come(tmp_path):
    """Comes to the door as this process, with a message and descriptors."""
    made = []

    def send(data=b"\0", descriptors=(), *, close=False):
        comer = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        made.append(comer)
        comer.connect(str(tmp_path / "socket"))
        if data is not None:
            comer.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else [])
        if close:
            comer.close()
        return comer

    yield send
    for comer in made:
        comer.close()


@pytest.fixture
def listener():
    """A real one, of a thread whose filter allows all."""
    found, done = [], threading.Event()

    def run():
        kernel.libc.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        found.append(kernel.filter_calls(kernel.loaded(ALLOW), listen=True))
        done.wait(60)

    thread = threading.Thread(target=run)
    thread.start()
    while not found and thread.is_alive():
        thread.join(0.01)
    yield found[0]
    done.set()
    thread.join()
    os.close(found[0])


def take(door, alive, *, first=None, uid=None, seconds=20.0):
    return door.take(first=os.getpid() if first is None else first, pidfd=alive, uid=os.getuid() if uid is None else uid, seconds=seconds)


def descriptors():
    return len(list(Path("/proc/self/fd").iterdir()))


# --- who comes ---

def test_one_that_comes_without_a_filter_is_taken_with_its_number(door, alive, come):
    come()

    came = take(door, alive)

    assert (came.listener, came.pid) == (-1, os.getpid())
    came.close()


def test_the_listener_that_comes_is_taken(door, alive, come, listener):
    come(b"\0", [listener])

    came = take(door, alive)

    assert Path(f"/proc/self/fd/{came.listener}").readlink() == Path("anon_inode:seccomp notify")
    came.close()


CHILD = "import socket, sys; s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.connect(sys.argv[1]); s.send(b'\\0'); sys.stdin.read()"


def test_a_child_of_the_first_process_is_taken(door, alive, tmp_path):
    with subprocess.Popen([sys.executable, "-I", "-c", CHILD, str(tmp_path / "socket")], stdin=subprocess.PIPE) as child:
        came = take(door, alive)
        child.stdin.close()

    assert came.pid == child.pid
    came.close()


@pytest.mark.parametrize("wrong", [{"first": 1}, {"uid": 54321}], ids=["another parent", "another user"])
def test_a_stranger_is_sent_away_and_the_door_stays_open_for_the_starter_until_its_time(door, alive, come, wrong):
    stranger = come()

    came = take(door, alive, seconds=0.2, **wrong)

    assert came is None
    with pytest.raises(ConnectionResetError):
        stranger.recv(1)


def test_after_a_stranger_the_starter_is_taken(door, alive, come, monkeypatch):
    taken = iter([0, os.getpid()])
    monkeypatch.setattr("windtunnel.sandbox.container.door._child", lambda *_, **__: next(taken))
    come(b"stranger")
    come(b"\0")

    came = take(door, alive)

    assert came.listener == -1
    came.close()


def test_a_container_that_ends_is_not_waited_for(door):
    with subprocess.Popen(["/bin/true"]) as gone:
        number = os.pidfd_open(gone.pid)
        try:
            assert take(door, number, first=gone.pid) is None
        finally:
            os.close(number)


# --- what it hands over ---

@pytest.mark.parametrize("count", [1, 2, 8])
def test_descriptors_that_are_no_listener_are_refused_and_closed(door, alive, come, count):
    reader, writer = os.pipe()
    come(b"\0", [reader] * count)
    before = descriptors()
    try:
        with pytest.raises(SandboxFailure, match="could not take its filter"):
            take(door, alive)
        after = descriptors()
    finally:
        os.close(reader)
        os.close(writer)

    assert after == before - 1, "only the door's own socket has gone"


def test_two_listeners_are_refused(door, alive, come, listener):
    come(b"\0", [listener, listener])

    with pytest.raises(SandboxFailure, match="could not take its filter"):
        take(door, alive)


@pytest.mark.parametrize("number", [errno.EBUSY, errno.EINVAL, errno.ENOSYS])
def test_where_no_listener_is_to_be_had_that_is_told_apart(door, alive, come, number):
    come(bytes([number]))

    with pytest.raises(NoListener, match=os.strerror(number)):
        take(door, alive)


def test_another_failure_of_the_filter_is_ours(door, alive, come):
    come(bytes([errno.EACCES]))

    with pytest.raises(SandboxFailure, match="could not take its filter: Permission denied"):
        take(door, alive)


def test_one_that_goes_without_a_word_has_not_come(door, alive, come):
    come(None, close=True)

    assert take(door, alive) is None


# --- afterwards ---

def test_when_it_has_come_nobody_else_can(door, alive, come, tmp_path):
    come()
    came = take(door, alive)

    with pytest.raises(FileNotFoundError):
        come()
    assert list(tmp_path.iterdir()) == []
    came.close()


def test_one_that_waited_behind_the_starter_is_sent_away(door, alive, come):
    come()
    second = come(None)

    came = take(door, alive)

    with pytest.raises(ConnectionError):
        second.recv(1) or second.send(b"\0")
    came.close()


def test_a_folder_deeper_than_an_address_is_long_has_a_door_too(tmp_path):
    deep = tmp_path.joinpath(*["x" * 50] * 4)
    deep.mkdir(parents=True)

    door = Door(str(deep))

    assert [path.name for path in deep.iterdir()] == ["socket"]
    door.close()
    assert list(deep.iterdir()) == []


# --- the starter that came ---

@pytest.fixture
def pair():
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    yield Starter(connection=ours, listener=-1, pid=1), theirs
    ours.close()
    theirs.close()


@pytest.mark.parametrize(("said", "status"), [((1792).to_bytes(4, "little"), 1792), (b"", None), (b"x", None), (bytes(8), None)])
def test_only_a_wait_status_is_taken_for_the_programs_end(pair, said, status):
    starter, theirs = pair
    theirs.send(said) if said else theirs.close()

    assert starter.ended() == status


def test_nothing_told_is_not_waited_for(pair):
    assert pair[0].ended() is None


def test_one_that_may_go_hears_of_it_and_one_that_is_gone_is_no_error(pair):
    starter, theirs = pair
    starter.let_go()
    heard = theirs.recv(8)
    theirs.close()
    starter.let_go()

    assert heard == b"\0"
