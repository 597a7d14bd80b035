"""One sandbox, from its order to its end; the other side of the channel is played by the test."""

import contextlib
import gc
import marshal
import os
import socket
import subprocess
import warnings

import pytest

from windtunnel.core.errors import SandboxFailure, WindtunnelError
from windtunnel.sandbox import stems
from windtunnel.sandbox.slot import Slot, order_slot, remove_soon


@pytest.fixture
def slot():
    """A slot whose other side is ``slot.inner``."""
    made = []

    def make(*, gate=None):
        channel, inner = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        slot = Slot(channel=channel, stdin=-1, stdout=-1, stderr=-1, group=None, order={"gate": gate})
        made.append((slot, inner))
        return slot, inner

    yield make
    for slot, inner in made:
        slot.discard()
        inner.close()


@pytest.fixture
def sleeper():
    process = subprocess.Popen(["/bin/sleep", "60"])
    yield process
    process.kill()
    process.wait()


def tell(inner, data, *paths):
    descriptors = [os.open(path, os.O_RDONLY) for path in paths]
    socket.send_fds(inner, [data], descriptors)
    for descriptor in descriptors:
        os.close(descriptor)


def birth(inner, process):
    descriptor = os.pidfd_open(process.pid)
    socket.send_fds(inner, [b"P"], [descriptor])
    os.close(descriptor)


def test_a_slot_is_settled_when_its_birth_and_its_folders_are_known(slot, sleeper):
    made, inner = slot()
    tell(inner, b"R", "/tmp", "/dev/shm", "/")
    birth(inner, sleeper)

    made.settle()

    assert (made.init(), len(made.folders), made.alive(), made.heard) == (sleeper.pid, 3, True, [])


def test_a_run_quicker_than_the_word_of_its_birth_is_kept_for_the_watch(slot, sleeper):
    made, inner = slot()
    tell(inner, b"R", "/tmp")
    tell(inner, b"G")
    tell(inner, b"E 0 0 0")
    birth(inner, sleeper)

    made.settle()

    assert made.heard == [(b"G", []), (b"E 0 0 0", [])]


def test_a_waiting_interpreter_hands_out_its_listener_before_it_is_settled(slot, sleeper):
    made, inner = slot(gate=["node"])
    birth(inner, sleeper)
    tell(inner, b"G", "/dev/null")
    tell(inner, b"R", "/tmp")

    made.settle()

    assert (len(made.handed), made.heard) == (1, [])


def test_what_could_not_be_built_says_why(slot):
    made, inner = slot()
    tell(inner, b"Xno such mount")

    with pytest.raises(SandboxFailure, match="the sandbox could not be built: no such mount"):
        made.settle()


def test_an_end_before_it_was_ready_is_our_failure(slot):
    made, inner = slot()
    inner.close()

    with pytest.raises(SandboxFailure, match="it ended before it was ready"):
        made.settle()


@pytest.mark.parametrize("word", [b"P", b"R"])
@pytest.mark.timeout(30)
def test_descriptors_lost_on_the_way_are_a_typed_failure(slot, sleeper, word, monkeypatch):
    monkeypatch.setattr("windtunnel.sandbox.slot._READY_SECONDS", 0.5)
    made, inner = slot()
    tell(inner, word)
    if word == b"R":
        birth(inner, sleeper)

    with pytest.raises(WindtunnelError):
        made.settle()


def test_discarding_closes_everything_that_came(slot, sleeper, no_leak):
    with no_leak():
        made, inner = slot()
        tell(inner, b"R", "/tmp", "/dev/shm")
        birth(inner, sleeper)
        made.settle()

        made.discard()
        made.discard()
        inner.close()

    assert sleeper.wait(timeout=5) == -9


def test_discarding_closes_what_was_heard_and_never_watched(slot, no_leak):
    with no_leak():
        made, inner = slot()
        tell(inner, b"G", "/dev/null")
        inner.close()

        with pytest.raises(SandboxFailure):
            made.settle()
        made.discard()


def test_a_dead_slot_is_not_alive(slot, sleeper):
    made, inner = slot()
    tell(inner, b"R", "/tmp")
    birth(inner, sleeper)
    made.settle()
    sleeper.kill()
    sleeper.wait()

    assert not made.alive()


@pytest.mark.parametrize("size", [10, 200_000])
def test_a_request_arrives_inline_or_through_memory(slot, size):
    made, inner = slot()
    made.request({"argv": ["x" * size]})

    data, descriptors, _, _ = socket.recv_fds(inner, 1 << 16, 4)
    if descriptors:
        data = os.pread(descriptors[0], 1 << 20, 0)
        os.close(descriptors[0])

    assert marshal.loads(data) == {"argv": ["x" * size]}
    assert bool(descriptors) == (size > 100_000)


def test_a_request_to_a_sandbox_that_is_gone_is_left_to_settling(slot, no_leak):
    made, inner = slot()
    inner.close()

    with no_leak():
        made.request({"argv": ["x" * 200_000]})


class Deaf:
    """A stem that is gone."""

    def __init__(self):
        self.control, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        other.close()


def test_an_order_to_a_dead_stem_is_our_failure_and_leaks_nothing(no_leak):
    stem = Deaf()

    with no_leak(), pytest.raises(SandboxFailure, match="the stem of the sandboxes is gone"):
        order_slot(stem, {"gate": None}, None)

    stem.control.close()


def test_a_group_that_cannot_be_entered_leaks_nothing(no_leak):
    class Vanished:
        def entrances(self):
            raise FileNotFoundError

    stem = Deaf()

    with no_leak():
        with contextlib.suppress(FileNotFoundError, SandboxFailure):
            order_slot(stem, {"gate": None}, Vanished())
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            gc.collect()

    stem.control.close()


def test_a_group_is_removed_once_its_last_process_is_gone():
    answers = iter([False, False, True])

    class Busy:
        def remove(self):
            return next(answers)

    assert remove_soon(Busy(), seconds=5)


def test_a_group_that_stays_busy_is_given_up():
    class Busy:
        def remove(self):
            return False

    assert not remove_soon(Busy(), seconds=0.01)


def test_a_real_slot_keeps_its_descriptors_to_itself():
    stem = stems.Stem(stems.Kind(interpreter=None, paths=()), bubblewrap=stems.candidates()[0])
    order = {"uid": 1000, "disk": 1 << 20, "inodes": 100, "own_network": True, "landlock": True, "watch": True,
             "rehearse": False, "gate": None, "pipe": None, "cwd": "/sandbox", "env": {}, "workspace": False, "alias": None, "kept": []}
    made = order_slot(stem, order, None)
    made.settle()

    inheritable = [os.get_inheritable(number) for number in (made.pidfd, *made.folders)]
    made.discard()
    stem.close()

    assert inheritable == [False] * 4
