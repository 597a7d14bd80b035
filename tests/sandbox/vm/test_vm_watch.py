"""What a program in a machine tried: told as at the process level, by the same code, and never without an end."""

import json
from dataclasses import replace

import pytest
from vm_here import PATIENT

from windtunnel.core.effects import BlockedCall, NetworkAttempt
from windtunnel.core.result import Reason
from windtunnel.sandbox.syscalls import MACHINES

NUMBERS = MACHINES["x86_64"].numbers
TRIES = f"""
import ctypes, json, os, socket, subprocess, threading
libc = ctypes.CDLL(None, use_errno=True)
said = []
def call(number, *arguments):
    result = libc.syscall(number, *arguments)
    said.append(ctypes.get_errno() if result < 0 else 0)
def attempt(act, *arguments):
    try:
        act(*arguments)
        said.append(0)
    except OSError as error:
        said.append(error.errno)
for _ in range(3):
    call({NUMBERS["chroot"]}, b"/tmp")
call({NUMBERS["unshare"]}, 0x10000000)
call({NUMBERS["mount"]}, b"none", b"/tmp", b"tmpfs", 0, 0)
call({NUMBERS["ptrace"]}, 0, 0, 0, 0)
call({NUMBERS["io_uring_setup"]}, 1, 0)
attempt(socket.socket, 40, 1, 0)
attempt(socket.socketpair, socket.AF_INET)
udp, udp6 = socket.socket(type=socket.SOCK_DGRAM), socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
attempt(udp.sendto, b"x", ("192.0.2.7", 9))
attempt(socket.socket().connect, ("192.0.2.1", 443))
attempt(udp6.connect, ("2001:db8::1", 53))
call({NUMBERS["connect"]}, udp.fileno(), 8, 16)
server = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=lambda: server.accept()[0].sendall(b"6")).start()
said.append(socket.create_connection(server.getsockname()).recv(1).decode())
if os.fork() == 0:
    attempt(udp.connect, ("192.0.2.7", 9))
    os._exit(0)
os.wait()
subprocess.Popen(["sleep", "300"], start_new_session=True)
print(json.dumps(said))
"""
MANY = """
import socket
udp = socket.socket(type=socket.SOCK_DGRAM)
for port in [*range(1, 301), 1]:
    try:
        udp.connect(("192.0.2.1", port))
    except OSError:
        pass
"""
WITHOUT_END = f"""
import ctypes, os, time
libc = ctypes.CDLL(None)
{{fork}}
print("begun", flush=True)
while True:
    libc.syscall({NUMBERS["chroot"]}, b"/tmp")
"""
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.xdist_group("vm")]


def refused(target, count=1):
    return NetworkAttempt(target=target, outcome="refused", rule="no network", count=count)


def told(result):
    effects = result.effects
    return (result.reason, result.stdout, effects.blocked, effects.network, effects.network_omitted,
            effects.processes_left, effects.watched)


def test_the_same_program_is_told_of_in_the_same_way_as_at_the_process_level(vm, sandbox, job):
    inside, outside = (one.run(job(TRIES, limits=PATIENT)) for one in (vm, sandbox))

    assert told(inside) == told(outside)
    assert told(inside) == (
        Reason.EXITED, json.dumps([1] * 7 + [97, 97, 101, 101, 101, 14, "6"]) + "\n",
        (BlockedCall(name="chroot", count=3), *(BlockedCall(name=name) for name in (
            "unshare", "mount", "ptrace", "io_uring_setup", "socket", "socketpair"))),
        (refused("192.0.2.7:9", count=2), refused("192.0.2.1:443"), refused("[2001:db8::1]:53")), 0, ("sleep",),
        ("files", "processes", "network", "blocked"))


def test_more_targets_than_the_record_holds_are_counted_as_at_the_process_level(vm, sandbox, job):
    inside, outside = (one.run(job(MANY, limits=PATIENT)) for one in (vm, sandbox))

    assert told(inside) == told(outside)
    assert (len(inside.effects.network), inside.effects.network_omitted) == (256, 44)


def test_an_honest_program_tried_nothing(vm, program):
    effects = vm.run(program("echo 1")).effects

    assert (effects.blocked, effects.network, effects.network_omitted) == ((), (), 0)


@pytest.mark.parametrize("fork", ["", "os.fork(); os.fork()"], ids=["one", "four"])
def test_a_program_that_asks_without_end_is_stopped_in_time_and_what_it_asked_is_told(vm, job, fork):
    result = vm.run(job(WITHOUT_END.format(fork=fork), limits=replace(PATIENT, wall_seconds=6.0)))

    (call,) = result.effects.blocked
    assert (result.reason, call.name, call.count > 10) == (Reason.TIMEOUT, "chroot", True)
    assert result.execution_time < 16.0


def test_a_program_that_asks_without_end_still_runs_out_of_processor_time(vm, job):
    result = vm.run(job(WITHOUT_END.format(fork=""), limits=replace(PATIENT, cpu_seconds=1.0)))

    assert result.reason is Reason.CPU_TIME
