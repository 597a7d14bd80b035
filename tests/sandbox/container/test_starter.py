"""The starter: what its source becomes, how it starts a program on each machine, and that it never does without its filter."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from starting import HERE, Gate, emulator, ran

from windtunnel.core.errors import IsolationUnavailable, UsageError
from windtunnel.sandbox import seccomp
from windtunnel.sandbox.container import starter

BOTH = pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")
SHOW = "import os, sys; sys.stdout.write(repr((sys.argv[1:], sorted(os.environb.items()), os.getcwd())))"
FOLDER = Path(starter.__file__).with_name("starters")


# --- source and bytes ---

@BOTH
def test_the_shipped_code_is_what_an_assembler_makes_of_its_source(machine, tmp_path):
    prefix = "" if machine == HERE else f"{machine}-linux-gnu-"
    tools = [shutil.which(f"{prefix}{tool}") for tool in ("as", "objcopy")]
    if None in tools:
        pytest.skip(f"{prefix}as and {prefix}objcopy are not installed here (apt-get install binutils{'' if machine == HERE else f'-{machine}-linux-gnu'})")

    subprocess.run([tools[0], "-o", tmp_path / "start.o", FOLDER / f"start-{machine}.S"], check=True)
    subprocess.run([tools[1], "-O", "binary", "-j", ".text", tmp_path / "start.o", tmp_path / "start.bin"], check=True)

    assert (tmp_path / "start.bin").read_bytes() == (FOLDER / f"start-{machine}.bin").read_bytes()


def test_a_machine_without_a_starter_is_refused():
    with pytest.raises(IsolationUnavailable, match="no container can be started on machine 'riscv64'"):
        starter.program("riscv64", folder="/windtunnel", connect=False)


# --- the program it starts ---

texts = st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), max_size=20)
names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True).filter(lambda name: name != "LC_CTYPE")
HARD = ["", "'", '"', "$HOME", "`id`", "$(id)", "a b", "\n", "\\", "-n", "--", "*", "a=b", "; exit 3", "\t", "#", "!", "~", "\u2028", "'\"'\"'"]


@settings(max_examples=25, deadline=None)
@given(arguments=st.lists(st.one_of(texts, st.sampled_from(HARD)), max_size=5), env=st.dictionaries(names, texts, max_size=4))
@example(arguments=HARD, env={"A": "'; touch /tmp/x; '", "B": "\n", "C": "$(id)", "D": ""})
def test_every_word_and_variable_arrives_as_it_was_and_no_other_does(tmp_path_factory, arguments, env):
    code, said, _ = ran(tmp_path_factory.mktemp("gate"), [sys.executable, "-I", "-S", "-c", SHOW, *arguments], env, cwd="/usr")

    came = sorted((name.encode(), value.encode()) for name, value in env.items())
    words, variables, cwd = eval(said)
    assert (words, [item for item in variables if item[0] != b"LC_CTYPE"], cwd, code) == (arguments, came, "/usr", 0)


@BOTH
@pytest.mark.parametrize(("argv", "env", "told"), [
    (["echo", "a  b", "", "c"], {"PATH": "/none/such::/etc/passwd:/bin:/usr/bin"}, (0, b"a  b  c\n", b"")),
    (["echo", "found"], {}, (0, b"found\n", b"")),
    (["/usr/bin/env"], {"-u": "x", "--chdir": "/"}, (0, b"-u=x\n--chdir=/\n", b"")),
    (["/usr/bin/printf", "%s", "\udcff\udcfe"], {}, (0, b"\xff\xfe", b"")),
    (["/bin/sh", "-c", "echo $0 $#; exit 7", "zero", "one"], {}, (7, b"zero 1\n", b"")),
    (["/bin/sh", "-c", "kill -9 $$"], {}, (137, b"", b"")),
    (["/bin/sh", "-c", "exit 255"], {}, (255, b"", b"")),
    (["/none/such"], {}, (127, b"", b"windtunnel: cannot start /none/such: No such file or directory\n")),
    (["none-such"], {"PATH": "/usr/bin:/bin"}, (127, b"", b"windtunnel: cannot start none-such: No such file or directory\n")),
    ([""], {}, (127, b"", b"windtunnel: cannot start : No such file or directory\n")),
    (["/etc/passwd"], {}, (126, b"", b"windtunnel: cannot start /etc/passwd: it cannot be executed\n")),
    (["passwd"], {"PATH": "/etc:/none"}, (126, b"", b"windtunnel: cannot start passwd: it cannot be executed\n")),
], ids=lambda value: str(value)[:40])
def test_a_program_is_found_and_ends_as_a_shell_would_tell_it(machine, tmp_path, argv, env, told):
    assert ran(tmp_path, argv, env, machine=machine) == told


@BOTH
def test_a_folder_that_is_missing_is_126_and_nothing_starts(machine, tmp_path):
    told = ran(tmp_path, ["/bin/echo", "started"], cwd="/no/such/folder", machine=machine)

    assert told == (126, b"", b"windtunnel: cannot start in /no/such/folder: no such folder, or one that is closed\n")


@pytest.mark.parametrize("folder", ["with space", "-", "--", "$HOME", "a'b", "a\nb"])
def test_any_folder_can_be_the_one_it_starts_in(tmp_path, folder):
    (tmp_path / folder).mkdir()

    _, said, _ = ran(tmp_path, [sys.executable, "-I", "-S", "-c", "import os; print(repr(os.getcwd()))"], cwd=f"{tmp_path}/{folder}")

    assert eval(said) == f"{tmp_path}/{folder}"


@BOTH
@pytest.mark.parametrize("first", ["#!/bin/sh\n", ""], ids=["with an interpreter", "without"])
@pytest.mark.parametrize("name", ["a=b", "-n", "with space"])
def test_a_program_of_any_name_is_started(machine, tmp_path, name, first):
    program = tmp_path / name
    program.write_text(f'{first}echo "$0" "$@"\n')
    program.chmod(0o755)

    assert ran(tmp_path, [str(program), "one", "a=b"], {"A": "1"}, machine=machine) == (0, f"{program} one a=b\n".encode(), b"")


def test_words_too_many_for_the_kernel_are_the_programs_failure(tmp_path):
    code, said, _ = ran(tmp_path, ["/bin/echo", *["x" * 100_000] * 100])

    assert (code, said) == (126, b"")


@pytest.mark.parametrize(("argv", "env", "cwd", "said"), [
    (["a\0b"], {}, "/", "zero character"), (["a"], {"A": "\0"}, "/", "zero character"), (["a"], {}, "/\0", "zero character"),
    (["a", "x" * (17 << 20)], {}, "/", "too long")])
def test_a_command_that_no_kernel_could_take_is_refused_beforehand(argv, env, cwd, said):
    with pytest.raises(UsageError, match=said):
        starter.run_block(argv, env, cwd=cwd)


# --- what the program gets of it ---

def test_the_program_has_three_descriptors_a_session_of_its_own_and_every_signal(tmp_path):
    code = ("import os, signal; print(sorted(map(int, os.listdir('/proc/self/fd')))[:-1], os.getsid(0) == os.getpgrp() == os.getpid(), "
            "signal.pthread_sigmask(signal.SIG_BLOCK, []))")
    leaked = os.open("/etc/passwd", os.O_RDONLY)
    try:
        told = ran(tmp_path, [sys.executable, "-I", "-S", "-c", code], connect=False, pass_fds=[leaked])
    finally:
        os.close(leaked)

    assert told == (0, b"[0, 1, 2] True set()\n", b"")


def test_a_signal_to_its_group_or_to_the_starter_is_the_programs_own_affair(tmp_path):
    code = "trap '' TERM; kill -TERM 0; kill -TERM $PPID; kill -INT $PPID; kill -HUP $PPID; exit 5"

    assert ran(tmp_path, ["/bin/sh", "-c", code]) == (5, b"", b"")


def test_a_program_that_kills_the_starter_ends_it_and_nothing_is_told(tmp_path):
    with Gate(tmp_path, ["/bin/sh", "-c", "kill -9 $PPID"], connect=True) as gate:
        gate.came()

        assert (gate.open().end()[0], gate.connection.recv(8)) == (-signal.SIGKILL, b"")


LOOK = "exec 2>&1; exec 3</proc/$PPID/mem && echo open"


@pytest.fixture
def open_folder():
    """One that others come to."""
    with tempfile.TemporaryDirectory(prefix="wt-gate-", dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@ROOT
def test_the_program_cannot_look_into_the_starter_as_it_could_into_another_parent(open_folder):
    nobody = {"user": 12345, "group": 12345, "extra_groups": []}
    parent = subprocess.run(["/bin/sh", "-c", f"sh -c '{LOOK}'; :"], capture_output=True, timeout=30, check=False, cwd="/", **nobody)

    code, said, _ = ran(open_folder, ["/bin/sh", "-c", LOOK], **nobody)

    assert (parent.stdout, code, b"Permission denied" in said) == (b"open\n", 2, True)


# --- what it tells ---

@BOTH
@pytest.mark.parametrize(("code", "status", "ended"), [("exit 3", 3 << 8, 3), ("kill -15 $$", 15, 143)])
def test_it_tells_how_the_program_ended_and_ends_the_same_way_once_it_is_answered(machine, tmp_path, code, status, ended):
    with Gate(tmp_path, ["/bin/sh", "-c", code], connect=True, machine=machine) as gate:
        came = gate.came()
        told = gate.open().told()
        waiting = gate.process.poll()
        gate.connection.send(b"\0")

        assert (came, told, waiting, gate.end()[0]) == ((b"\0", []), status, None, ended)


def test_one_whose_host_is_gone_ends_without_an_answer(tmp_path):
    with Gate(tmp_path, ["/bin/sh", "-c", "exit 4"], connect=True) as gate:
        gate.came()
        gate.connection.close()

        assert gate.open().end()[0] == 4


# --- never without its filter ---

LISTENER = "anon_inode:seccomp notify"
SHIPPED = {machine: seccomp.load(machine, watch=True) for machine in ("x86_64", "aarch64")}


def test_its_filter_is_the_one_given_and_its_listener_is_handed_over_before_the_gate(tmp_path):
    with Gate(tmp_path, ["/usr/bin/grep", "-E", "^(Seccomp|NoNewPrivs):", "/proc/self/status"], connect=True, calls=SHIPPED[HERE]) as gate:
        came = gate.came()
        gate.open().told()
        gate.connection.send(b"\0")

        assert (came, gate.end()) == ((b"\0", [LISTENER]), (0, b"NoNewPrivs:\t1\nSeccomp:\t2\n", b""))


def failed(step):
    return 125, b"", f"windtunnel: no program was started, for want of its {step}\n".encode()


def test_a_filter_that_the_kernel_refuses_starts_nothing(tmp_path):
    with Gate(tmp_path, ["/bin/echo", "started"], connect=True, calls=b"\xff" * 8) as gate:
        came = gate.came()
        waiting = gate.open().process.poll()
        gate.connection.close()

        assert (came, waiting, gate.end()) == ((bytes([errno.EINVAL]), []), None, failed("filter "))


def test_a_second_listener_is_not_to_be_had_and_then_nothing_starts(tmp_path):
    """As within another sandbox that listens: the starter of a starter, whose filter lets it ask."""
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    inner.mkdir()
    outer.mkdir()
    allow = b"\x06\0\0\0\0\0\xff\x7f"
    with Gate(inner, ["/bin/echo", "started"], connect=True, calls=allow) as first:
        alone = first.came()
        first.process.kill()
        with Gate(outer, [str(first.path)], connect=True, calls=allow) as gate:
            gate.came()
            gate.open()
            os.close(first.descriptors.pop())
            came = first.came()
            first.connection.close()
            gate.told()
            gate.connection.send(b"\0")

            assert (alone, came, gate.end()) == ((b"\0", [LISTENER]), (bytes([errno.EBUSY]), []), failed("filter "))


@BOTH
def test_without_its_socket_it_starts_nothing(machine, tmp_path):
    emulator(machine)
    with Gate(tmp_path, ["/bin/true"], machine=machine) as gate:
        gate.listening.close()
        (tmp_path / "start").unlink()
        (tmp_path / "start").write_bytes(starter.program(machine, folder=str(tmp_path), connect=True))
        (tmp_path / "start").chmod(0o755)
        done = subprocess.run([*emulator(machine), str(tmp_path / "start")], capture_output=True, timeout=30, check=False)

        assert (done.returncode, done.stdout, done.stderr) == failed("socket ")


@BOTH
def test_without_a_word_at_the_gate_it_starts_nothing(machine, tmp_path):
    with Gate(tmp_path, ["/bin/echo", "started"], machine=machine) as gate:
        (tmp_path / "go").unlink()
        (tmp_path / "go").touch()
        (tmp_path / "start").rename(tmp_path / "again")
        done = subprocess.run([*emulator(machine), str(tmp_path / "again")], capture_output=True, timeout=30, check=False)
        gate.process.kill()

        assert (done.returncode, done.stdout, done.stderr) == failed("gate   ")


@BOTH
def test_without_a_command_it_starts_nothing(machine, tmp_path):
    with Gate(tmp_path, ["/bin/echo", "started"], machine=machine, block=False) as gate:
        assert gate.open().end() == failed("command")


@pytest.mark.skipif(HERE != "x86_64", reason="the filter of this machine is loaded on this machine")
def test_where_the_filter_is_there_and_nobody_listens_a_watched_call_is_refused(tmp_path):
    code = "import ctypes; libc = ctypes.CDLL(None, use_errno=True); print(libc.unshare(0x10000000), ctypes.get_errno())"
    with Gate(tmp_path, [sys.executable, "-I", "-S", "-c", code], connect=True, calls=SHIPPED[HERE]) as gate:
        gate.came()
        os.close(gate.descriptors.pop())
        gate.open().told()
        gate.connection.send(b"\0")

        assert gate.end() == (0, f"-1 {errno.ENOSYS}\n".encode(), b"")
