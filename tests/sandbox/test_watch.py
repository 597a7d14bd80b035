import errno
import os
import platform
import select
import signal
import socket
import subprocess
import sys

import pytest

from windtunnel.core.effects import BlockedCall, NetworkAttempt
from windtunnel.core.errors import SandboxFailure
from windtunnel.sandbox import seccomp
from windtunnel.sandbox.inside.notices import memory, packed_target
from windtunnel.sandbox.syscalls import MACHINES
from windtunnel.sandbox.watch import Watcher, target_text

NUMBERS = MACHINES[platform.machine()].numbers
PATIENCE_MILLISECONDS = 30_000

PROGRAM = f"""
import ctypes, os, socket, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
def call(number, *arguments):
    result = libc.syscall(ctypes.c_long(number), *(ctypes.c_ulong(a & (2**64 - 1)) if isinstance(a, int) else a for a in arguments))
    return result if result >= 0 else -ctypes.get_errno()
def attempt(function, *arguments):
    try:
        function(*arguments)
    except OSError as error:
        return error.errno
    return 0
def listen():
    code = open(sys.argv[1], "rb").read()
    keep = ctypes.create_string_buffer(code)
    head = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(keep)))
    assert libc.prctl(38, 1, 0, 0, 0) == 0
    channel = socket.socket(fileno=int(sys.argv[2]))
    listener = call({NUMBERS["seccomp"]}, 1, 8, head)
    assert listener >= 0, os.strerror(-listener)
    socket.send_fds(channel, [b"l"], [listener])
    os.close(listener)
if len(sys.argv) > 2:
    listen()
tcp, udp, udp6 = lambda: socket.socket(), socket.socket(type=socket.SOCK_DGRAM), socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
"""


class Watched:
    """A program under the filter, and the watcher that has its listener."""

    def __init__(self, code, *, refuse_network=True):
        ours, theirs = socket.socketpair()
        with ours, theirs:
            command = [sys.executable, "-I", "-c", PROGRAM + code, str(seccomp._path(platform.machine(), watch=True)), str(theirs.fileno())]
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, pass_fds=[theirs.fileno()])
            theirs.close()
            ours.settimeout(PATIENCE_MILLISECONDS / 1000)
            _, (listener,), _, _ = socket.recv_fds(ours, 1, 1)
        self.watcher = Watcher(listener, refuse_network=refuse_network)

    def wait_for_question(self):
        poll = select.poll()
        poll.register(self.watcher, select.POLLIN)
        assert poll.poll(PATIENCE_MILLISECONDS), "the program neither asked nor ended"

    def finish(self):
        """Answer until nobody is left; what the program printed."""
        self.wait_for_question()
        while self.watcher.handle():
            self.wait_for_question()
        self.watcher.close()
        return self.process.communicate()[0]


def watch(code, *, refuse_network=True):
    watched = Watched(code, refuse_network=refuse_network)
    return watched.finish(), watched.watcher


def bare(code):
    return subprocess.run([sys.executable, "-I", "-c", PROGRAM + code], capture_output=True, text=True, check=True).stdout


def refused(target, count=1):
    return NetworkAttempt(target=target, outcome="refused", rule="no network", count=count)


@pytest.mark.parametrize(("name", "arguments"), [
    ("mount", "b'none', b'/missing', b'tmpfs', 0, 0"), ("chroot", "b'/missing'"), ("unshare", "0x10000000"),
    ("setns", "-1, 0"), ("clone", "0x10000011, 0, 0, 0, 0"), ("ptrace", "0, 0, 0, 0"), ("keyctl", "0, -3, 0"),
    ("io_uring_setup", "1, 0"), ("bpf", "0, 0, 0"), ("ioctl", "0, 0x5412, 0"), ("pivot_root", "0, 0"),
])
def test_a_refused_call_gets_eperm_and_is_recorded(name, arguments):
    output, watcher = watch(f"print(call({NUMBERS[name]}, {arguments}))")

    assert output == f"{-errno.EPERM}\n"
    assert watcher.blocked() == (BlockedCall(name=name),)
    assert watcher.network() == ()


def test_refused_calls_are_counted_by_name():
    output, watcher = watch(f"print([call({NUMBERS['chroot']}, b'/missing') for _ in range(3)], call({NUMBERS['setns']}, -1, 0))")

    assert output == "[-1, -1, -1] -1\n"
    assert watcher.blocked() == (BlockedCall(name="chroot", count=3), BlockedCall(name="setns"))


def test_a_refused_family_gets_the_answer_of_the_plain_filter():
    output, watcher = watch("print(attempt(socket.socket, 40, 1, 0), attempt(socket.socketpair, socket.AF_INET))")

    assert output == f"{errno.EAFNOSUPPORT} {errno.EAFNOSUPPORT}\n"
    assert watcher.blocked() == (BlockedCall(name="socket"), BlockedCall(name="socketpair"))


def test_an_address_is_recorded_and_the_call_goes_on():
    code = "print(attempt(udp.connect, ('192.0.2.1', 443)), attempt(udp6.connect, ('2001:db8::1', 53)))"
    output, watcher = watch(code)

    assert output == bare(code)
    assert watcher.network() == (refused("192.0.2.1:443"), refused("[2001:db8::1]:53"))
    assert watcher.blocked() == ()


def test_a_message_with_an_address_is_recorded_and_counted():
    _, watcher = watch("[attempt(udp.sendto, b'', ('192.0.2.7', 9)) for _ in range(3)]")

    assert watcher.network() == (refused("192.0.2.7:9", count=3),)


def test_with_a_network_an_attempt_is_recorded_as_allowed():
    _, watcher = watch("attempt(udp.connect, ('192.0.2.1', 443))", refuse_network=False)

    assert watcher.network() == (NetworkAttempt(target="192.0.2.1:443", outcome="allowed", rule="host network"),)


LOCAL = """
import threading
server = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=lambda: server.accept()[0].sendall(b"6")).start()
answer = socket.create_connection(("0.0.0.0", server.getsockname()[1])).recv(1)
attempt(udp6.connect, ("::1", 9)); attempt(udp6.connect, ("::ffff:127.0.0.1", 9)); attempt(udp.connect, ("127.8.8.8", 9))
path = "\\0windtunnel-test-%d" % os.getpid()
unix = socket.socket(socket.AF_UNIX); unix.bind(path); unix.listen()
socket.socket(socket.AF_UNIX).connect(path)
socket.if_nameindex()
print(answer.decode())
"""


def test_the_loopback_and_local_sockets_work_and_are_not_recorded():
    output, watcher = watch(LOCAL)

    assert output == "6\n"
    assert (watcher.network(), watcher.blocked(), watcher.unreadable) == ((), (), 0)


def test_an_ipv4_address_written_as_ipv6_is_recorded():
    _, watcher = watch("attempt(udp6.connect, ('::ffff:192.0.2.1', 9))")

    assert watcher.network() == (refused("[::ffff:192.0.2.1]:9"),)


def test_more_targets_than_the_record_holds_are_counted():
    _, watcher = watch("[attempt(udp.connect, ('192.0.2.1', port)) for port in [*range(1, 301), 1]]")

    assert watcher.network() == (refused("192.0.2.1:1", count=2), *(refused(f"192.0.2.1:{port}") for port in range(2, 257)))
    assert watcher.omitted == 44


@pytest.mark.parametrize("pointer", [8, 2**47 - 4, 2**64 - 8])
def test_a_bad_pointer_is_the_programs_own_error(pointer):
    output, watcher = watch(f"print(call({NUMBERS['connect']}, udp.fileno(), {pointer}, 16))")

    assert output == f"{-errno.EFAULT}\n"
    assert (watcher.network(), watcher.unreadable) == ((), 1)


@pytest.mark.parametrize("length", [0, 2, 15, -1])
def test_an_address_of_a_wrong_length_is_the_programs_own_error(length):
    code = f"print(call({NUMBERS['connect']}, udp.fileno(), ctypes.create_string_buffer(2), {length}))"
    output, watcher = watch(code)

    assert output == bare(code)
    assert watcher.network() == ()


def test_a_process_killed_while_it_waits_is_no_error():
    watched = Watched("udp.connect(('192.0.2.1', 443))")
    watched.wait_for_question()
    watched.process.send_signal(signal.SIGKILL)
    watched.process.wait()

    watched.finish()

    assert watched.watcher.network() == ()


def test_a_process_killed_while_it_is_answered_is_no_error():
    watched = Watched("udp.connect(('192.0.2.1', 443))")

    class TooLate(Watcher):
        def _record_address(self, notice):
            watched.process.kill()
            watched.process.wait()
            super()._record_address(notice)

    watched.watcher = TooLate(watched.watcher.fileno(), refuse_network=True)
    watched.finish()

    assert (watched.watcher.network(), watched.watcher.unreadable) == ((), 0)


def test_handling_with_nothing_to_answer_returns_at_once():
    watched = Watched("import signal; signal.pause()")

    handled = watched.watcher.handle()

    watched.process.kill()
    assert (handled, watched.finish()) == (True, "")


def test_a_closed_watcher_leaves_calls_refused():
    watched = Watched(f"os.read(0, 0); os.kill(os.getpid(), 19); print(call({NUMBERS['chroot']}, b'/missing'), attempt(udp.connect, ('127.0.0.1', 9)))")
    os.waitpid(watched.process.pid, os.WUNTRACED)
    watched.watcher.close()
    watched.process.send_signal(signal.SIGCONT)

    assert watched.process.communicate()[0] == f"{-errno.ENOSYS} {errno.ENOSYS}\n"
    assert watched.watcher.fileno() == -1


def test_several_processes_of_one_run_are_watched():
    code = "for port in (1, 2):\n    if os.fork() == 0:\n        attempt(udp.connect, ('192.0.2.1', port))\n        os._exit(0)\n    os.wait()"
    _, watcher = watch(code)

    assert watcher.network() == (refused("192.0.2.1:1"), refused("192.0.2.1:2"))


def test_a_descriptor_that_is_no_listener_is_our_failure():
    read, write = os.pipe()
    os.write(write, b"x")
    watcher = Watcher(read, refuse_network=True)

    with pytest.raises(SandboxFailure, match=r"^the system call listener failed: "):
        watcher.handle()

    watcher.close()
    os.close(write)


def test_memory_of_a_process_that_is_gone_is_nothing():
    process = subprocess.Popen(["true"])
    process.wait()

    assert memory(process.pid, 0x1000, length=16) is None


@pytest.mark.parametrize(("raw", "expected"), [
    (b"", None), (b"\x02", None), (b"\x02\0\0\x50\xc0\0\2\1" + bytes(7), None),
    (b"\x02\0\0\x50\xc0\0\2\1" + bytes(8), "192.0.2.1:80"),
    (b"\x00\0\0\x50\xc0\0\2\1" + bytes(8), None), (b"\x10\0" + bytes(10), None), (b"\x01\0/run/docker.sock\0", None),
    (b"\x0a\0\0\x50" + bytes(4) + bytes(16) + bytes(4), None), (b"\x0a\0\0\x50" + bytes(4) + bytes(15) + b"\2", "[::2]:80"),
    (b"\xff" * 28, None),
])
def test_only_outside_internet_addresses_are_targets(raw, expected):
    assert target_text(packed_target(raw) or b"") == expected
