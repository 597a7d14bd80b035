"""System calls, messages and walls that everything in this folder shares; each wall is one function.

What does not hold: nothing here decides which walls a program gets, and a wall that the kernel does not have is
left out where the docstring says so.
"""

from __future__ import annotations

import _socket
import array
import ctypes
import os
import resource
import stat
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:  # the typing module is not worth its time in every start
    from collections.abc import Sequence
    from typing import Any, NoReturn, TypeAlias

    Message: TypeAlias = dict[str, Any]

libc = ctypes.PyDLL(None, use_errno=True)
SIGINT, SIGKILL, SIGPIPE, SIGTERM, SIGCHLD, SIGXFSZ = 2, 9, 13, 15, 17, 25
NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET = (
    0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_NOATIME, MS_BIND, MS_REC, MS_PRIVATE = 1 << 10, 1 << 12, 1 << 14, 1 << 18
SYS_CLONE3, SYS_LANDLOCK_CREATE, SYS_LANDLOCK_ADD, SYS_LANDLOCK_RESTRICT = 435, 444, 445, 446
SYS_SECCOMP = 277 if os.uname().machine == "aarch64" else 317
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_SUBREAPER, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = (
    1, 4, 24, 36, 38, 47)
READ, WRITE_FILE, REFER, TRUNCATE, IOCTL_DEV = 0b1101, 1 << 1, 1 << 13, 1 << 14, 1 << 15
OF_FILES = 0b111 | TRUNCATE | IOCTL_DEV
MESSAGE = 1 << 16


# --- calls and files ---

def call(result: int, what: object) -> int:
    """The result, or the error that the C library left."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
    return result


def mount(source: bytes | None, target: bytes, kind: bytes | None, flags: int, data: bytes | None = None) -> None:
    """mount(2)."""
    call(libc.mount(source, target, kind, ctypes.c_ulong(flags), data), target)


def clone_init(flags: int) -> tuple[int, int]:
    """Fork into fresh namespaces; (0, -1) in the child, (pid, pidfd) in the parent."""
    pidfd = ctypes.c_int(-1)
    arguments = (ctypes.c_uint64 * 11)(flags | 0x1000, ctypes.addressof(pidfd), 0, 0, SIGCHLD, 0, 0, 0, 0, 0, 0)
    ctypes.pythonapi.PyOS_BeforeFork()
    pid = libc.syscall(SYS_CLONE3, ctypes.byref(arguments), ctypes.sizeof(arguments))
    if pid == 0:
        ctypes.pythonapi.PyOS_AfterFork_Child()
    else:
        ctypes.pythonapi.PyOS_AfterFork_Parent()
    return call(pid, "clone3"), pidfd.value


def read_all(descriptor: int) -> bytes:
    """A whole payload file."""
    size = os.fstat(descriptor).st_size
    data = os.pread(descriptor, size, 0)
    while len(data) < size:
        data += os.pread(descriptor, size - len(data), len(data))
    os.close(descriptor)
    return data


def write(path: str, data: bytes) -> None:
    """Write a kernel file."""
    descriptor = os.open(path, os.O_WRONLY)
    os.write(descriptor, data)
    os.close(descriptor)


def living_name(pid: int | str) -> bytes | None:
    """The name of a process; None for one that is gone, or dead with all its threads."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            head, _, tail = file.read(512).rpartition(b") ")
        dead = tail[:1] in b"ZX" and len(os.listdir(f"/proc/{pid}/task")) <= 1
    except OSError:
        return None
    return None if dead else head.partition(b"(")[2].replace(b"\0", b"")


# --- messages ---

def receive(sock: _socket.socket) -> tuple[bytes, list[int]]:
    """One message and its descriptors; an empty message means the other side is gone."""
    data, ancillary, _, _ = sock.recvmsg(MESSAGE, _socket.CMSG_SPACE(4 * 32), _socket.MSG_CMSG_CLOEXEC)
    descriptors = array.array("i")
    for _, _, rights in ancillary:
        descriptors.frombytes(rights)
    return data, list(descriptors)


def send(sock: _socket.socket, data: bytes, descriptors: Sequence[int] = ()) -> None:
    """One message with descriptors."""
    rights = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
    sock.sendmsg([data], rights)


def refuse(channel: _socket.socket, error: BaseException) -> None:
    """Tell the supervisor what failed on our side, if it still listens."""
    said = str(error) if isinstance(error, OSError) else repr(error)
    try:
        send(channel, b"X" + said.encode("utf-8", "replace")[:4096])
    except OSError:
        pass


# --- walls ---

def limit(limits: Sequence[tuple[int, int]], pid: int = 0) -> None:
    """Lower the resource limits; never above what is inherited."""
    for kind, most in limits:
        _, hard = resource.getrlimit(kind)
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.prlimit(pid, kind, (bound, bound))


def bound_capabilities() -> None:
    """None can ever be had again, by executing whatever file; an ordinary user cannot do this, and need not."""
    libc.prctl(PR_CAP_AMBIENT, 4, 0, 0, 0)
    for capability in range(64):
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0:
            break


CAPABILITY_HEADER, NO_CAPABILITIES = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()


def drop_capabilities() -> None:
    """None in any set."""
    call(libc.capset(CAPABILITY_HEADER, NO_CAPABILITIES), "capset")


def loaded(program: bytes) -> tuple[object, bytes]:
    """A filter laid out for the kernel: the memory that holds it, and the head that points there."""
    code = ctypes.create_string_buffer(program, len(program))
    return code, struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(code))


def filter_calls(program: tuple[object, bytes], *, listen: bool) -> int:
    """Install the system-call filter; the listener's descriptor when one was asked for, else -1."""
    _, head = program
    if not listen:
        call(libc.syscall(SYS_SECCOMP, 1, 0, head), "seccomp")
        return -1
    descriptor = libc.syscall(SYS_SECCOMP, 1, 8 | 32, head)
    return descriptor if descriptor >= 0 else call(libc.syscall(SYS_SECCOMP, 1, 8, head), "seccomp")


def landlock_version() -> int:
    """What this kernel has; zero for none."""
    version: int = libc.syscall(SYS_LANDLOCK_CREATE, None, 0, 1)
    return max(0, version)


def handled(version: int) -> int:
    """Every access to files that this version of Landlock knows."""
    return ((1 << 13) - 1) | (REFER if version >= 2 else 0) | (TRUNCATE if version >= 3 else 0) | (
        IOCTL_DEV if version >= 5 else 0)


def rule_set(version: int, *, network: bool) -> int:
    """A new set that refuses all files, abstract sockets and signals outside, and without ``network`` TCP as well."""
    attributes = (ctypes.c_uint64 * 3)(handled(version), 0 if network else 3, 3)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    return call(libc.syscall(SYS_LANDLOCK_CREATE, attributes, ctypes.c_size_t(size), 0), "landlock")


def allow(rules: int, path: str, *, access: int) -> None:
    """Add one path and all below it; one that does not exist adds nothing."""
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    mask = -1 if stat.S_ISDIR(os.fstat(descriptor).st_mode) else OF_FILES
    rule = struct.pack("=Qi", access & mask, descriptor)
    call(libc.syscall(SYS_LANDLOCK_ADD, rules, 1, rule, 0), "landlock " + path)
    os.close(descriptor)


def restrict(rules: int) -> None:
    """Enter the set for good."""
    call(libc.syscall(SYS_LANDLOCK_RESTRICT, rules, 0), "landlock")
    os.close(rules)


# --- becoming ---

def take_streams(stdio: Sequence[int]) -> None:
    """Make the run's pipes descriptors 0, 1 and 2."""
    for target, descriptor in enumerate(stdio):
        os.dup2(descriptor, target, inheritable=True)
    for descriptor in stdio:
        os.close(descriptor)


def execute(argv: list[str], environment: dict[str, str]) -> NoReturn:
    """Become another program, with the signals as a shell would leave them."""
    for number in (SIGPIPE, SIGXFSZ, SIGINT):
        libc.signal(number, None)
    try:
        os.execve(argv[0], argv, environment)
    except OSError as error:
        os.write(2, f"windtunnel: cannot start {argv[0]}: {error.strerror}\n".encode())
        os._exit(127)
