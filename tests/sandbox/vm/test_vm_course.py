"""A run on a machine whose guest is ours to play: what a guest that was taken over can do to the host is nothing."""

import json
import os
import socket
import struct
import subprocess
import threading
from dataclasses import replace

import pytest
from test_vm_frames import REPORT

from windtunnel.core.errors import SandboxFailure
from windtunnel.core.limits import MIB, Limits
from windtunnel.core.result import Artifact, Reason
from windtunnel.sandbox.vm import course as courses
from windtunnel.sandbox.vm.course import Course
from windtunnel.sandbox.vm.frames import HEAD, Confused, Control

pytestmark = pytest.mark.timeout(60)


class FakeMachine:
    """Sockets like a machine's, with a process to be killed in place of QEMU."""

    def __init__(self):
        pairs = {name: socket.socketpair() for name in ("control", "stdin", "stdout", "stderr")}
        self.sockets = {name: ours for name, (ours, _) in pairs.items()}
        self.guest = {name: theirs for name, (_, theirs) in pairs.items()}
        self.control = Control(self.sockets["control"])
        self.process = subprocess.Popen(["sleep", "60"])
        self.pidfd = os.pidfd_open(self.process.pid)

    def switch_off(self):
        self.process.kill()

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.pidfd)
        for sock in (*self.sockets.values(), *self.guest.values()):
            sock.close()


@pytest.fixture
def machine():
    made = FakeMachine()
    yield made
    made.close()


@pytest.fixture
def play(machine):
    """Starts the guest's part, once it has read the request."""
    threads = []

    def begin(part):
        def act():
            head = machine.guest["control"].recv(HEAD.size, socket.MSG_WAITALL)
            machine.guest["control"].recv(HEAD.unpack(head)[1], socket.MSG_WAITALL)
            part(machine.guest)

        threads.append(threading.Thread(target=act))
        threads[-1].start()

    yield begin
    for thread in threads:
        thread.join()


def frame(kind, payload=b""):
    return HEAD.pack(kind, len(payload)) + payload


def report(**changes):
    return frame(b"E", json.dumps(REPORT | {"stdout": 0, "stderr": 0} | changes).encode())


def file(name, data=b"", mode=-2):
    return struct.pack(">HBi", len(name), 0, mode) + name + data


def test_output_that_comes_after_the_report_is_not_lost(machine, play, sh):
    def part(guest):
        guest["control"].sendall(report(stdout=6, stderr=2))
        guest["stdout"].sendall(b"output")
        guest["stderr"].sendall(b"er")

    course = Course(machine, sh("true"))
    play(part)
    ending = course.run()

    assert (ending.reason, ending.status, course.kept_out.value(), course.kept_err.value()) == (
        Reason.EXITED, 0, b"output", b"er")


def test_a_report_of_more_output_than_was_sent_is_no_result(machine, play, sh, monkeypatch):
    monkeypatch.setattr(courses, "_REST_SECONDS", 0.05)
    course = Course(machine, sh("true"))
    play(lambda guest: guest["control"].sendall(report(stdout=1000)))

    with pytest.raises(Confused):
        course.run()

    assert machine.process.wait(timeout=5) == -9


@pytest.mark.parametrize("sent", [
    frame(b"F", b"[]"), frame(b"Z", b"0"), frame(b"H"), frame(b"P", bytes(16)), HEAD.pack(b"E", 2**31), b"?" * 100,
], ids=["files", "end", "hello", "answer", "long", "noise"])
def test_what_no_agent_says_during_a_run_is_no_result(machine, play, sh, sent):
    course = Course(machine, sh("true"))
    play(lambda guest: guest["control"].sendall(sent))

    with pytest.raises(Confused):
        course.run()


def test_an_agent_that_could_not_start_the_program_is_our_failure(machine, play, sh):
    course = Course(machine, sh("true"))
    play(lambda guest: guest["control"].sendall(frame(b"X", b"no such folder")))

    with pytest.raises(SandboxFailure, match="no such folder"):
        course.run()


def test_a_guest_that_does_not_stop_is_switched_off(machine, play, sh, monkeypatch):
    monkeypatch.setattr(courses, "_GRACE_SECONDS", 0.2)
    asked = []
    course = Course(machine, replace(sh("true"), limits=Limits(wall_seconds=0.2)))
    play(lambda guest: asked.append(guest["control"].recv(HEAD.size)))

    ending = course.run()

    assert (ending.reason, ending.status, asked) == (Reason.TIMEOUT, None, [frame(b"K")])
    assert machine.process.wait(timeout=5) == -9


def test_a_program_that_exits_as_if_it_had_been_stopped_was_not(machine, play, sh):
    course = Course(machine, sh("true"))
    play(lambda guest: guest["control"].sendall(report(status=124 << 8)))

    assert course.run().reason is Reason.EXITED


def collected(machine, job, sent):
    machine.guest["control"].sendall(sent)
    machine.guest["control"].shutdown(socket.SHUT_WR)
    return Course(machine, job).collect()


def asking(sh, **options):
    job = sh("true")
    return replace(job, command=replace(job.command, **options), limits=Limits(disk_bytes=MIB))


def test_what_was_asked_for_is_collected(machine, sh):
    left = collected(machine, asking(sh, build=True), frame(b"A", file(b"program", b"x")) + frame(b"Z", b"3"))

    assert (left.artifacts, left.omitted, left.files) == ({"program": Artifact(data=b"x")}, 3, [])


@pytest.mark.parametrize("sent", [
    frame(b"L", file(b"planted")), frame(b"E", b"{}"), frame(b"A", file(b"../up")), frame(b"Z", b"-1"), frame(b"Z", b""),
    frame(b"A", file(b"big", bytes(3 * MIB))), frame(b"A", file(b"link", b"there", 0o120777)), frame(b"A", file(b"folder", b"", 0o40755)),
], ids=["not asked for", "a second report", "elsewhere", "no number", "nothing", "too much", "a link", "a folder"])
def test_anything_else_is_no_result(machine, sh, sent):
    feeder = threading.Thread(target=lambda: (machine.guest["control"].sendall(sent), machine.guest["control"].shutdown(1)))
    feeder.start()

    with pytest.raises(Confused):
        Course(machine, asking(sh, build=True)).collect()

    feeder.join()


def test_a_machine_that_ends_while_it_is_collected_from_is_our_failure(machine, sh):
    with pytest.raises(SandboxFailure, match="could not be read back"):
        collected(machine, asking(sh, build=True), frame(b"A", file(b"program")))
