"""What the host and a guest's agent share of watching: the numbers are those of the tables, and nothing else is needed."""

import ast
import sys
from pathlib import Path

import pytest

from windtunnel.sandbox import watch
from windtunnel.sandbox.inside import notices
from windtunnel.sandbox.seccomp import SOCKET_ERRNO
from windtunnel.sandbox.syscalls import MACHINES


def test_the_calls_with_an_answer_of_their_own_have_the_numbers_of_the_tables():
    names = ("connect", "sendto", "socket", "socketpair")
    tables = {machine.audit: {machine.numbers[name]: name for name in names} for machine in MACHINES.values()}

    assert tables == notices.CALLS


def test_a_refused_socket_gets_what_the_plain_filter_answers():
    assert notices.errno.EAFNOSUPPORT == SOCKET_ERRNO


def test_it_imports_nothing_of_ours_because_it_runs_in_the_guest_too():
    tree = ast.parse(Path(notices.__file__).read_text())
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    taken = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}

    assert (imported - sys.stdlib_module_names, taken) == (set(), {"__future__"})


@pytest.mark.parametrize(("packed", "text"), [
    (b"\x02\0\0\x50\xc0\0\2\1", "192.0.2.1:80"), (b"\x0a\0\0\x50" + bytes(15) + b"\2", "[::2]:80"),
    (b"", None), (b"\x02\0", None), (b"\x02\0\0\x50\x7f\0\0\1", None), (b"\x02\0\0\x50" + bytes(16), None),
    (b"\x0a\0\0\x50\xc0\0\2\1", None), (b"\x01\0\0\x50\xc0\0\2\1", None), (b"\x0a\0\0\x50" + bytes(15) + b"\1", None),
    (b"\x0a\0\0\x50" + notices.MAPPED + b"\x7f\0\0\1", None),
])
def test_only_a_packed_outside_address_has_a_text(packed, text):
    assert watch.target_text(packed) == text


@pytest.mark.parametrize(("number", "architecture", "name"), [
    (161, 0xC000003E, "chroot"), (51, 0xC00000B7, "chroot"), (9999, 0xC000003E, None), (161, 1, None)])
def test_a_call_has_the_name_that_its_machine_gives_it(number, architecture, name):
    assert watch.call_name(number, architecture=architecture) == name
