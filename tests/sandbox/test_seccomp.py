import errno
import functools
import json
import platform
import shutil
import signal
import struct
import subprocess
import sys

import pytest
from classic_bpf import interpret, seccomp_data

from windtunnel.core.errors import IsolationUnavailable, UsageError
from windtunnel.sandbox import seccomp
from windtunnel.sandbox.syscalls import ALLOWED, MACHINES, WATCHED

HERE = platform.machine()
EPERM, ENOSYS, EAFNOSUPPORT, EPROTONOSUPPORT = (
    seccomp.ERRNO | number for number in (errno.EPERM, errno.ENOSYS, errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT)
)
BOTH = pytest.mark.parametrize("machine", sorted(MACHINES))
ARGUMENTS_DECIDE = frozenset({"clone", "clone3", "personality", "ioctl", "seccomp", "socket", "socketpair", "connect", "sendto"})

REFUSED_AS_IN_DOCKER = """
acct add_key bpf chroot clock_settime create_module delete_module fanotify_init finit_module fsconfig fsmount fsopen
fspick get_kernel_syms get_mempolicy init_module ioperm iopl kcmp kexec_file_load kexec_load keyctl lookup_dcookie
mbind mount mount_setattr move_mount move_pages migrate_pages nfsservctl open_by_handle_at open_tree perf_event_open
pidfd_getfd pivot_root process_madvise query_module quotactl quotactl_fd reboot request_key set_mempolicy
set_mempolicy_home_node setdomainname sethostname setns settimeofday swapoff swapon sysfs syslog _sysctl umount2
unshare uselib userfaultfd ustat vhangup
"""
REFUSED_BEYOND_DOCKER = """
io_uring_setup io_uring_enter io_uring_register ptrace process_vm_readv process_vm_writev name_to_handle_at
fanotify_mark modify_ldt adjtimex clock_adjtime open_tree_attr
"""
REFUSED = frozenset((REFUSED_AS_IN_DOCKER + REFUSED_BEYOND_DOCKER).split())


@functools.cache
def program(machine, watch):
    return seccomp.load(machine, watch=watch)


def verdict(machine, call, *arguments, watch=False, audit=None):
    number = MACHINES[machine].numbers[call] if isinstance(call, str) else call
    return interpret(program(machine, watch), seccomp_data(number, audit or MACHINES[machine].audit, arguments))


@pytest.mark.parametrize(("path", "content"), [pytest.param(p, c, id=p.name) for p, c in seccomp.generate().items()])
def test_the_shipped_file_is_what_the_tables_give(path, content):
    assert path.read_bytes() == content


def test_just_the_generated_files_are_shipped():
    shipped = {path.name for path in next(iter(seccomp.generate())).parent.iterdir()}

    kinds = ("", "-watch", "-restricted", "-unscoped")
    assert shipped == {f"{machine}{kind}.bpf" for machine in ("aarch64", "x86_64") for kind in kinds}


@pytest.mark.parametrize("machine", ["riscv64", "i686", "", "../x86_64"])
def test_a_machine_without_a_filter_is_refused(machine):
    with pytest.raises(IsolationUnavailable) as caught:
        seccomp.load(machine, watch=False)

    assert str(caught.value) == f"no system call filter for machine {machine!r} (there is one for x86_64 and aarch64)"


@pytest.mark.parametrize("family", [0, 40])
def test_a_family_without_a_rule_is_refused(family):
    with pytest.raises(UsageError, match=rf"^families: no rule for \[{family}\] "):
        seccomp.build("x86_64", families=(family,), watch=False)


def test_families_can_be_narrowed():
    local = seccomp.build("x86_64", families=(seccomp.AF_UNIX,), watch=False)
    data = [struct.pack("<IIQ6Q", 41, MACHINES["x86_64"].audit, 0, family, 1, 0, 0, 0, 0) for family in (1, 2, 10, 16)]

    assert [interpret(local, item) for item in data] == [seccomp.ALLOW, EAFNOSUPPORT, EAFNOSUPPORT, EAFNOSUPPORT]


@BOTH
def test_system_call_numbers_agree_with_libseccomp(machine):
    try:
        import pyseccomp
    except (ImportError, OSError, RuntimeError) as error:
        pytest.skip(f"pyseccomp cannot be used: {error}")
    architecture = {"x86_64": pyseccomp.Arch.X86_64, "aarch64": pyseccomp.Arch.AARCH64}[machine]
    theirs = {}
    for name in MACHINES[machine].numbers:
        with_number = pyseccomp.resolve_syscall(architecture, name)
        if with_number >= 0:
            theirs[name] = with_number

    assert len(theirs) > 290
    assert theirs == {name: MACHINES[machine].numbers[name] for name in theirs}


def test_every_name_in_the_policy_is_a_system_call():
    known = frozenset().union(*(machine.numbers for machine in MACHINES.values()))

    assert sorted((ALLOWED | WATCHED | ARGUMENTS_DECIDE | REFUSED) - known) == []


def test_no_system_call_is_both_allowed_and_watched():
    assert sorted(ALLOWED & (WATCHED | ARGUMENTS_DECIDE)) == []


@BOTH
@pytest.mark.parametrize("watch", [False, True])
def test_every_number_gets_the_verdict_of_its_name(machine, watch):
    refused = dict.fromkeys(WATCHED, seccomp.NOTIFY if watch else EPERM)
    expected = {
        number: seccomp.ALLOW if name in ALLOWED else refused.get(name, EPERM)
        for name, number in MACHINES[machine].numbers.items() if name not in ARGUMENTS_DECIDE
    }
    skipped = {MACHINES[machine].numbers[name] for name in ARGUMENTS_DECIDE}

    assert {number: verdict(machine, number, watch=watch) for number in range(1200) if number not in skipped} == {
        number: expected.get(number, ENOSYS) for number in range(1200) if number not in skipped
    }


@pytest.mark.parametrize(("machine", "call"), [
    (machine, call) for machine in MACHINES for call in sorted(REFUSED) if call in MACHINES[machine].numbers
])
def test_a_dangerous_call_is_refused(machine, call):
    assert verdict(machine, call) == EPERM


@BOTH
@pytest.mark.parametrize("audit", [0x40000003, 0x40000028, 0xC000003E, 0xC00000B7, 0xC00000F3])
@pytest.mark.parametrize("watch", [False, True])
def test_another_calling_convention_ends_the_process(machine, audit, watch):
    native = audit == MACHINES[machine].audit

    assert verdict(machine, "getpid", audit=audit, watch=watch) == (seccomp.ALLOW if native else seccomp.KILL)


@pytest.mark.parametrize(("number", "expected"), [
    (0x3FFFFFFF, ENOSYS), (0x40000000, seccomp.KILL), (0x40000027, seccomp.KILL), (0xFFFFFFFE, seccomp.KILL),
    (0xFFFFFFFF, ENOSYS),
])
def test_the_x32_table_ends_the_process(number, expected):
    assert verdict("x86_64", number) == expected


SOCKETS = [
    ((1, 1, 0), seccomp.ALLOW), ((1, 5, 0), seccomp.ALLOW), ((1, 2 | 0o2000000 | 0o4000, 0), seccomp.ALLOW),
    ((2, 1, 0), seccomp.ALLOW), ((2, 1, 6), seccomp.ALLOW), ((10, 2, 17), seccomp.ALLOW),
    ((16, 3, 0), seccomp.ALLOW), ((16, 2, 0), seccomp.ALLOW), ((2 | 1 << 32, 1, 0), seccomp.ALLOW),
    ((2, 3, 1), EAFNOSUPPORT), ((2, 3 | 0o2000000, 255), EAFNOSUPPORT), ((10, 10, 0), EAFNOSUPPORT),
    ((2, 5, 132), EAFNOSUPPORT), ((2, 1, 132), EPROTONOSUPPORT), ((2, 1, 262), EPROTONOSUPPORT),
    ((16, 3, 15), EAFNOSUPPORT), ((16, 1, 0), EAFNOSUPPORT),
    ((17, 3, 0), EAFNOSUPPORT), ((38, 5, 0), EAFNOSUPPORT), ((40, 1, 0), EAFNOSUPPORT), ((44, 3, 0), EAFNOSUPPORT),
    ((40 | 1 << 32, 1, 0), EAFNOSUPPORT), ((0, 1, 0), EAFNOSUPPORT), ((-1, 1, 0), EAFNOSUPPORT),
]


@BOTH
@pytest.mark.parametrize(("arguments", "expected"), SOCKETS)
def test_a_socket_is_allowed_by_family_type_and_protocol(machine, arguments, expected):
    assert verdict(machine, "socket", *arguments) == expected


@BOTH
@pytest.mark.parametrize(("arguments", "expected"), SOCKETS)
def test_a_watched_filter_asks_about_refused_families(machine, arguments, expected):
    asked = seccomp.NOTIFY if expected == EAFNOSUPPORT else expected

    assert verdict(machine, "socket", *arguments, watch=True) == asked


ARGUMENTS = [
    ("clone", (0x11,), seccomp.ALLOW), ("clone", (0x3D0F00,), seccomp.ALLOW),
    *[("clone", (flag | 0x11,), EPERM) for flag in (0x20000, *(1 << bit for bit in range(25, 31)))],
    ("clone3", (0, 0), ENOSYS),
    *[("personality", (value,), seccomp.ALLOW) for value in (0, 8, 0x20000, 0x20008, 0xFFFFFFFF)],
    ("personality", (0x40000,), EPERM), ("personality", (0x400000,), EPERM),
    ("ioctl", (0, 0x5401), seccomp.ALLOW),
    *[("ioctl", (0, request | high), EPERM) for request in (0x5412, 0x541C, 0x5423) for high in (0, 1 << 32, 0xFFFFFFFF << 32)],
    ("seccomp", (1, 0), seccomp.ALLOW), ("seccomp", (1, 8), EPERM), ("seccomp", (1, 1 | 8 | 32), EPERM),
    ("socketpair", (1, 1), seccomp.ALLOW), ("socketpair", (30, 1), EAFNOSUPPORT),
    ("connect", (3, 0x1000, 16), seccomp.ALLOW), ("sendto", (3, 0, 0, 0, 0x1000, 16), seccomp.ALLOW),
]


@BOTH
@pytest.mark.parametrize(("call", "arguments", "expected"), ARGUMENTS)
def test_arguments_decide(machine, call, arguments, expected):
    assert verdict(machine, call, *arguments) == expected


@BOTH
@pytest.mark.parametrize(("call", "arguments", "expected"), [
    ("clone", (0x11,), seccomp.ALLOW), ("clone", (0x10000011,), seccomp.NOTIFY),
    ("ioctl", (0, 0x5401), seccomp.ALLOW), ("ioctl", (0, 0x5412), seccomp.NOTIFY),
    ("clone3", (0, 0), ENOSYS), ("seccomp", (1, 8), EPERM), ("socketpair", (30, 1), seccomp.NOTIFY),
    ("connect", (3, 0x1000, 16), seccomp.NOTIFY), ("sendto", (3, 0, 0, 0, 0, 0), seccomp.ALLOW),
    ("sendto", (3, 0, 0, 0, 0x1000, 16), seccomp.NOTIFY), ("sendto", (3, 0, 0, 0, 1 << 32, 16), seccomp.NOTIFY),
])
def test_a_watched_filter_asks_about_arguments(machine, call, arguments, expected):
    assert verdict(machine, call, *arguments, watch=True) == expected


CONFINE = """
import ctypes, json, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
def call(number, *arguments):
    result = libc.syscall(ctypes.c_long(number), *(ctypes.c_ulong(a & (2**64 - 1)) if isinstance(a, int) else a for a in arguments))
    return result if result >= 0 else -ctypes.get_errno()
def confine(path, flags=0):
    code = open(path, "rb").read()
    head = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(keep := ctypes.create_string_buffer(code))))
    assert libc.prctl(38, 1, 0, 0, 0) == 0
    result = call({"x86_64": 317, "aarch64": 277}[os.uname().machine], 1, flags, head)
    assert result >= 0, os.strerror(-result)
    return result
if sys.argv[1]:
    confine(sys.argv[1])
"""


def run(code, *, confined, arguments=()):
    path = str(seccomp._path(HERE, watch=False)) if confined else ""
    command = [sys.executable, "-I", "-c", CONFINE + code, path, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


ATTEMPTS = {
    "new user namespace by unshare": ("unshare", (0x10000000,), errno.EPERM),
    "new user namespace by clone": ("clone", (0x10000011, 0, 0, 0, 0), errno.EPERM),
    "clone3": ("clone3", (0, 0), errno.ENOSYS),
    "enter a namespace": ("setns", (-1, 0), errno.EPERM),
    "mount": ("mount", (b"none", b"/missing", b"tmpfs", 0, 0), errno.EPERM),
    "new mount interface": ("fsopen", (b"missing", 0), errno.EPERM),
    "pick up a mount": ("open_tree", (-1, b"missing", 0), errno.EPERM),
    "change root": ("chroot", (b"/missing",), errno.EPERM),
    "trace": ("ptrace", (0, 0, 0, 0), errno.EPERM),
    "read another memory": ("process_vm_readv", (1, 0, 0, 0, 0, 0), errno.EPERM),
    "take a descriptor": ("pidfd_getfd", (-1, 0, 0), errno.EPERM),
    "io_uring": ("io_uring_setup", (1, 0), errno.EPERM),
    "user fault handler": ("userfaultfd", (1,), errno.EPERM),
    "session keyring": ("keyctl", (0, -3, 0), errno.EPERM),
    "performance events": ("perf_event_open", (0, 0, -1, -1, 0), errno.EPERM),
    "load a program into the kernel": ("bpf", (0, 0, 0), errno.EPERM),
    "load a module": ("finit_module", (-1, b"", 0), errno.EPERM),
    "open by handle": ("open_by_handle_at", (-1, 0, 0), errno.EPERM),
    "set the clock": ("clock_settime", (99, 0), errno.EPERM),
    "address randomisation off": ("personality", (0x40000,), errno.EPERM),
    "type into a terminal": ("ioctl", (0, 0x5412, 0), errno.EPERM),
    "type into a terminal with bit 32": ("ioctl", (0, 0x5412 | 1 << 32, 0), errno.EPERM),
    "own listener": ("seccomp", (1, 8, 0), errno.EPERM),
    "virtual machine socket": ("socket", (40, 1, 0), errno.EAFNOSUPPORT),
    "kernel crypto socket": ("socket", (38, 5, 0), errno.EAFNOSUPPORT),
    "packet socket": ("socket", (17, 3, 0), errno.EAFNOSUPPORT),
    "raw socket": ("socket", (2, 3, 1), errno.EAFNOSUPPORT),
    "device events": ("socket", (16, 3, 15), errno.EAFNOSUPPORT),
    "multipath TCP": ("socket", (2, 1, 262), errno.EPROTONOSUPPORT),
}

ATTEMPT_ALL = """
for name, (number, arguments) in eval(sys.argv[2]).items():
    sys.stdout.flush()
    if os.fork() == 0:
        own = os.getpid()
        result = call(number, *arguments)
        if os.getpid() == own:
            print(json.dumps([name, result]), flush=True)
        os._exit(0)
    os.wait()
"""


def attempt_all(*, confined):
    numbers = MACHINES[HERE].numbers
    attempts = {name: (numbers[call], arguments) for name, (call, arguments, _) in ATTEMPTS.items()}
    result = run(ATTEMPT_ALL, confined=confined, arguments=[repr(attempts)])
    assert result.stderr == ""
    return dict(json.loads(line) for line in result.stdout.splitlines())


@pytest.fixture(scope="module")
def bare():
    return attempt_all(confined=False)


@pytest.fixture(scope="module")
def confined():
    return attempt_all(confined=True)


@pytest.mark.parametrize("attempt", sorted(ATTEMPTS))
def test_what_the_kernel_would_do_is_refused_under_the_filter(attempt, bare, confined):
    refusal = -ATTEMPTS[attempt][2]

    assert confined[attempt] == refusal
    if bare[attempt] == refusal:
        pytest.skip("this kernel refuses it by itself, so the filter's part does not show here")


FOREIGN = """
import mmap
page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
page.write(bytes.fromhex(sys.argv[2]))
address = ctypes.addressof(ctypes.c_char.from_buffer(page))
ctypes.CFUNCTYPE(ctypes.c_long)(address)()
os._exit(7)
"""


@pytest.mark.skipif(HERE != "x86_64", reason="the second and third call tables are those of x86_64")
@pytest.mark.parametrize("code", [
    pytest.param("b814000000cd80c3", id="32-bit getpid by int 0x80"),
    pytest.param("b8270000400f05c3", id="x32 getpid"),
])
def test_a_call_through_another_table_ends_the_process(code):
    codes = [run(FOREIGN, confined=confined, arguments=[code]).returncode for confined in (False, True)]

    assert codes == [7, -signal.SIGSYS]


HONEST = {
    "a pool of processes": """
import multiprocessing
if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(sum(pool.map(abs, [-1, -2, -3])))
""",
    "threads": """
import concurrent.futures
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    print(sum(pool.map(abs, [-1, -2, -3])))
""",
    "a subprocess": """
import subprocess
print(subprocess.run(["sh", "-c", "echo $((1 + 2 + 3))"], capture_output=True, text=True, check=True).stdout.strip())
""",
    "a server on the loopback": """
import socket, threading
server = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=lambda: server.accept()[0].sendall(b"6")).start()
print(socket.create_connection(server.getsockname()).recv(1).decode())
""",
    "datagrams and pairs": """
import socket
one, two = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
one.bind(("127.0.0.1", 0)); two.sendto(b"2", one.getsockname())
left, right = socket.socketpair(); left.sendall(b"4")
print(int(one.recv(1)) + int(right.recv(1)))
""",
    "an event loop with a child": """
import asyncio
async def main():
    child = await asyncio.create_subprocess_exec("echo", "6", stdout=asyncio.subprocess.PIPE)
    print((await child.communicate())[0].decode().strip())
asyncio.run(main())
""",
    "interface names by netlink": """
import socket
names = [name for _, name in socket.if_nameindex()]
netlink = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, 0)
print(6 if "lo" in names else names)
""",
    "a filter of its own": """
code = struct.pack("HBBI", 6, 0, 0, 0x7FFF0000)
open("/proc/self/comm").read()
keep = ctypes.create_string_buffer(code)
print(6 if libc.prctl(22, 2, ctypes.create_string_buffer(struct.pack("HxxxxxxP", 1, ctypes.addressof(keep)))) == 0 else "refused")
""",
}


@pytest.mark.parametrize("program", sorted(HONEST))
def test_honest_work_goes_on_under_the_filter(program):
    result = run(HONEST[program], confined=True)

    assert (result.returncode, result.stdout, result.stderr) == (0, "6\n", "")


NODE = """
const {Worker} = require("worker_threads"), http = require("http");
const server = http.createServer((_, r) => r.end("3")).listen(0, "127.0.0.1", () =>
  http.get(server.address(), r => r.on("data", d => new Worker("require('worker_threads').parentPort.postMessage(3)", {eval: true})
    .on("message", m => { console.log(Number(d) + m); server.close(); r.destroy(); }))));
"""
JAVA = "class Main { public static void main(String[] a) throws Exception { var t = new Thread(() -> System.out.println(6)); t.start(); t.join(); } }"
RUNTIMES = {
    "gcc": ("main.c", '#include <stdio.h>\nint main(void) { puts("6"); }\n', "gcc main.c -o main && ./main"),
    "node": ("main.js", NODE, "node main.js"),
    "java": ("Main.java", JAVA, "java Main.java"),
    "go": ("main.go", 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println(6) }\n', "HOME=$PWD go run main.go"),
    "rustc": ("main.rs", 'fn main() { println!("6"); }\n', "rustc main.rs && ./main"),
    "ruby": ("main.rb", "puts Thread.new { 6 }.value\n", "ruby main.rb"),
    "Rscript": ("main.R", 'cat(6, "\\n", sep = "")\n', "Rscript main.R"),
    "perl": ("main.pl", "print `echo 6`;\n", "perl main.pl"),
}


@pytest.mark.slow
@pytest.mark.parametrize("tool", sorted(RUNTIMES))
def test_a_runtime_works_under_the_filter(tool, tmp_path):
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    name, source, command = RUNTIMES[tool]
    (tmp_path / name).write_text(source)
    result = run("os.chdir(sys.argv[2]); os.execv('/bin/sh', ['sh', '-c', sys.argv[3]])", confined=True,
                 arguments=[str(tmp_path), command])

    assert (result.returncode, result.stdout) == (0, "6\n"), result.stderr


def test_without_a_listener_a_watched_call_is_still_refused():
    code = f"print(call({MACHINES[HERE].numbers['chroot']}, b'/missing'), call({MACHINES[HERE].numbers['connect']}, 0, 0, 0))"
    watching = str(seccomp._path(HERE, watch=True))
    result = subprocess.run([sys.executable, "-I", "-c", CONFINE + code, watching], capture_output=True, text=True, check=True)

    assert result.stdout == f"{-errno.ENOSYS} {-errno.ENOSYS}\n"
