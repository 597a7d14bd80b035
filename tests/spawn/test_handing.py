"""Handing bytes to a program: within its time, and gone with us."""

import os
import select
import signal
import subprocess
import sys

import pytest

from windtunnel.spawn.handing import hand

ENV = {"PATH": os.environ["PATH"]}
WATCHED = """
import os, sys
from windtunnel.spawn.handing import hand
hand(["/bin/sh", "-c", "sleep 600 & echo $! > \\"$1\\"; echo > \\"$2\\"; wait", "sh", *sys.argv[1:]], b"", seconds=600, env=dict(os.environ))
"""


def test_a_program_gets_the_bytes_and_its_answer_comes_back():
    assert hand(["/bin/sh", "-c", "cat; echo to us >&2; exit 3"], b"some\0bytes\n", seconds=60, env=ENV) == (3, "some\0bytes\nto us\n")


def test_large_input_that_nobody_reads_is_no_trap():
    assert hand(["/bin/true"], b"x" * 10_000_000, seconds=60, env=ENV) == (0, "")


def test_a_program_that_cannot_start_is_said():
    assert hand(["/nowhere/at/all"], b"", seconds=60, env=ENV) == (127, "No such file or directory\n")


def test_a_program_that_takes_too_long_is_ended_with_what_it_started(tmp_path):
    pid = tmp_path / "pid"

    code, _ = hand(["/bin/sh", "-c", f"trap '' TERM; sleep 600 & echo $! > {pid}; wait; sleep 600"], b"", seconds=3, env=ENV)

    assert code is None
    assert not (told := pid.read_text() if pid.exists() else "") or gone(int(told))


def test_what_a_program_leaves_behind_is_ended(tmp_path):
    pid = tmp_path / "pid"

    code, _ = hand(["/bin/sh", "-c", f"sleep 600 & echo $! > {pid}"], b"", seconds=60, env=ENV)

    assert code == 0
    assert gone(int(pid.read_text()))


def test_much_output_is_kept_within_bounds():
    code, said = hand(["/bin/sh", "-c", "yes | head -c 5000000"], b"", seconds=120, env=ENV, most_output=1000)

    assert (code, len(said) < 1100, "bytes left out" in said) == (0, True, True)


def test_a_program_gets_no_descriptor_and_no_variable_of_ours():
    code, said = hand(["/bin/sh", "-c", "ls /proc/self/fd; env"], b"", seconds=60, env={"PATH": ENV["PATH"], "ONE": "1"})

    lines = said.splitlines()
    assert code == 0
    assert {line for line in lines if line.isdecimal() and int(line) > 3} == set()
    assert {line.partition("=")[0] for line in lines if "=" in line} - {"PWD", "OLDPWD", "SHLVL", "_", "LC_CTYPE"} == {"PATH", "ONE"}


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_death_of_our_process_ends_the_program(tmp_path, number):
    pid, ready = tmp_path / "pid", tmp_path / "ready"
    os.mkfifo(ready)
    us = subprocess.Popen([sys.executable, "-c", WATCHED, str(pid), str(ready)])
    with ready.open() as file:
        file.read()

    us.send_signal(number)
    us.wait(60)

    assert gone(int(pid.read_text()))


def test_without_the_tie_the_program_would_go_on(tmp_path):
    pid, ready = tmp_path / "pid", tmp_path / "ready"
    os.mkfifo(ready)
    us = subprocess.Popen([sys.executable, "-c", WATCHED.replace("import hand", "import hand, start").replace(
        "hand([", "start([").replace('b"", seconds=600', "output=2") + "\nimport time; time.sleep(600)", str(pid), str(ready)])
    with ready.open() as file:
        file.read()

    us.kill()
    us.wait(60)

    left = os.pidfd_open(int(pid.read_text()))
    alive = not select.select([left], [], [], 0)[0]
    signal.pidfd_send_signal(left, signal.SIGKILL)
    os.close(left)
    assert alive


def gone(pid):
    """Whether a process ends; one that is dead and not yet reaped by its new parent has ended."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], 60)[0])
    finally:
        os.close(handle)
