"""Confines one program without namespaces. Runs as a script, with the standard library alone.

Three processes: the *guard* leaves root for good and starts *init*; init starts the *program process*, reports how
it ended and does a few calls in its place; the program process raises its walls (Landlock, no capabilities, the
system-call filter, resource limits) and becomes the program. Orphans come to init, and when init is killed to the
guard, which goes only when nothing is left below it. Both also end everything when the supervisor is gone.

What holds: neither guard nor init can be signalled, traced or written to by the program. What does not hold: were
both killed from outside at one moment, a daemon of the program's could outlive them where there is no control group.
"""

from __future__ import annotations

import _socket
import array
import ctypes
import errno
import fcntl
import marshal
import os
import resource
import select
import signal
import stat
import struct
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn, TypeAlias

    Request: TypeAlias = dict[str, Any]

libc = ctypes.PyDLL(None, use_errno=True)
SYS_LANDLOCK_CREATE, SYS_LANDLOCK_ADD, SYS_LANDLOCK_RESTRICT, SYS_OPENAT2 = 444, 445, 446, 437
SYS_SECCOMP = 277 if os.uname().machine == "aarch64" else 317
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_SUBREAPER, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = (
    1, 4, 24, 36, 38, 47)
READ, WRITE_FILE, READ_DIR, REFER, TRUNCATE, IOCTL_DEV = 0b1101, 1 << 1, 1 << 3, 1 << 13, 1 << 14, 1 << 15
OF_FILES = 0b111 | TRUNCATE | IOCTL_DEV
DEVICES = {"/dev/null": True, "/dev/zero": True, "/dev/full": True, "/dev/random": False, "/dev/urandom": False}
"""Whether each may also be written to."""
OWN = ("/proc/self/maps", "/proc/self/stat", "/proc/self/statm", "/proc/self/status")
"""Of the first process alone, as each has its own files; a C library learns from ``maps`` how large its stack is."""
NOTICE = struct.Struct("=QIIiIQ6Q")
NOTICE_RECEIVE, NOTICE_SEND, NOTICE_VALID = 0xC0502100, 0xC0182101, 0x40082102
RESOLVE_BENEATH, RESOLVE_NO_MAGIC_LINKS = 0x08, 0x02
AT_FDCWD, AT_SYMLINK_NOFOLLOW, AT_EMPTY_PATH = -100, 0x100, 0x1000
UTIME_NOW, UTIME_OMIT = 0x3FFFFFFF, 0x3FFFFFFE


# --- system calls and messages ---

def call(result: int, what: str) -> int:
    """The result, or the error that the C library left."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
    return result


def send(sock: _socket.socket, data: bytes, descriptors: Sequence[int] = ()) -> None:
    """One message with descriptors."""
    rights = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
    sock.sendmsg([data], rights)


def refuse(channel: _socket.socket, error: BaseException) -> None:
    """Tell the supervisor what failed on our side, if it still listens."""
    try:
        send(channel, b"X" + str(error).encode()[:4096])
    except OSError:
        pass


def read_all(descriptor: int) -> bytes:
    """A whole payload file."""
    with open(descriptor, "rb") as file:
        return file.read()


def wakeup() -> int:
    """A descriptor that becomes readable when a child ends or we are told to end."""
    reader, writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    return reader


# --- the tree below us ---

def below(pid: int) -> list[int]:
    """All descendants that can be seen now."""
    found, pending = [], [pid]
    while pending:
        top = pending.pop()
        try:
            for task in os.listdir(f"/proc/{top}/task"):
                with open(f"/proc/{top}/task/{task}/children", "rb") as file:
                    children = [int(word) for word in file.read().split()]
                found += children
                pending += children
        except OSError:
            continue
    return found


def end_tree() -> None:
    """End every descendant; returns when there is none, because orphans become children of ours."""
    while True:
        for pid in below(os.getpid()):
            try:
                resource.prlimit(pid, resource.RLIMIT_NPROC, (0, 0))  # it cannot fork faster than we kill
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.001)


def reap(pid: int) -> int | None:
    """Bury dead children; the wait status of the one asked for, once it is among them."""
    found = None
    try:
        while True:
            ended, status = os.waitpid(-1, os.WNOHANG)
            if not ended:
                return found
            if ended == pid:
                found = status
    except ChildProcessError:
        return found


def still_running() -> list[bytes]:
    """Names of the descendants, the already dead left out."""
    names = []
    for pid in below(os.getpid()):
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                head, _, tail = file.read(512).rpartition(b") ")
        except OSError:
            continue
        if tail[:1] not in b"ZX":
            names.append(head.partition(b"(")[2].replace(b"\0", b""))
    return names


# --- the walls ---

def leave_root(uid: int | None) -> None:
    """Become the throw-away user for good."""
    if uid is not None:
        drop_bounds()
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def drop_bounds() -> None:
    """Empty the bounding set, which an ordinary user cannot, and need not without new privileges."""
    for capability in range(64):
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0:
            break


def drop_capabilities() -> None:
    """No capability in any set, and none to be had again."""
    libc.prctl(PR_CAP_AMBIENT, 4, 0, 0, 0)
    drop_bounds()
    header, nothing = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    call(libc.capset(header, nothing), "capset")


def limit(limits: Sequence[tuple[int, int]]) -> None:
    """Lower the resource limits; never above what is inherited."""
    for kind, most in limits:
        _, hard = resource.getrlimit(kind)
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (bound, bound))


def handled(version: int) -> int:
    """Every access to files that this version of Landlock knows."""
    return ((1 << 13) - 1) | (REFER if version >= 2 else 0) | (TRUNCATE if version >= 3 else 0) | (
        IOCTL_DEV if version >= 5 else 0)


def confine_files(request: Request) -> None:
    """Landlock: read the language's files, write the private folders, no TCP, nobody outside to signal."""
    version = request["landlock"]
    everything = handled(version)
    attributes = (ctypes.c_uint64 * 3)(everything, 3, 3)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = call(libc.syscall(SYS_LANDLOCK_CREATE, attributes, ctypes.c_size_t(size), 0), "landlock")
    for path in (*request["read"], *OWN):
        allow(rules, path, access=READ & everything)
    for path, writable in DEVICES.items():
        allow(rules, path, access=(READ | IOCTL_DEV | (WRITE_FILE if writable else 0)) & everything)
    for path in request["write"]:
        allow(rules, path, access=everything)
    call(libc.syscall(SYS_LANDLOCK_RESTRICT, rules, 0), "landlock")
    os.close(rules)


def allow(rules: int, path: str, *, access: int) -> None:
    """Add one path and all below it; one that does not exist adds nothing."""
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    except PermissionError:
        raise OSError(
            f"user {os.getuid()}, which root's programs run as, cannot reach {path} "
            "(install the tools where every user may read them, or start as an ordinary user)") from None
    mask = -1 if stat.S_ISDIR(os.fstat(descriptor).st_mode) else OF_FILES
    rule = struct.pack("=Qi", access & mask, descriptor)
    call(libc.syscall(SYS_LANDLOCK_ADD, rules, 1, rule, 0), path)
    os.close(descriptor)


def filter_calls(program: bytes, *, listen: bool) -> int:
    """Install the system-call filter; the listener's descriptor when one was asked for."""
    code = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(code))
    if not listen:
        return call(libc.syscall(SYS_SECCOMP, 1, 0, head), "seccomp")
    descriptor = libc.syscall(SYS_SECCOMP, 1, 8 | 32, head)
    return descriptor if descriptor >= 0 else call(libc.syscall(SYS_SECCOMP, 1, 8, head), "seccomp")


# --- calls done in the program's place ---

class Broker:
    """Does what Landlock does not look at (modes, times, truncation by name), below the writable folders alone.

    The name is copied once and resolved by us beneath the private folder, so rewriting it changes nothing.
    """

    def __init__(self, listener: int, request: Request) -> None:
        """Serve the calls of one filter."""
        self.listener = listener
        self.names = request["brokered"]
        self.top = os.fsencode(request["folder"])
        self.folder = os.open(self.top, os.O_PATH | os.O_CLOEXEC)
        self.writable = tuple(os.fsencode(path) + b"/" for path in request["write"])

    def answer(self) -> None:
        """Serve one call."""
        buffer = bytearray(NOTICE.size)
        try:
            fcntl.ioctl(self.listener, NOTICE_RECEIVE, buffer)
        except OSError:
            return  # the caller is gone
        identity, pid, _, number, _, _, *arguments = NOTICE.unpack(buffer)
        try:
            self.serve(self.names[number], pid, arguments=arguments, identity=identity)
            failure = 0
        except OSError as error:
            failure = error.errno or errno.EPERM
        except (OverflowError, ValueError):
            failure = errno.EFAULT
        try:
            fcntl.ioctl(self.listener, NOTICE_SEND, struct.pack("=QqiI", identity, 0, -failure, 0))
        except OSError:
            pass

    def serve(self, name: str, pid: int, *, arguments: list[int], identity: int) -> None:
        """Open what is meant, make sure that it is the program's own, and act on it."""
        signed = [ctypes.c_int32(argument & 0xFFFFFFFF).value for argument in arguments]
        if name == "fchmod":
            descriptor, rest = self.opened(pid, signed[0]), arguments[1:]
        elif name in ("chmod", "truncate"):
            descriptor, rest = self.named(pid, AT_FDCWD, pointer=arguments[0], flags=0), arguments[1:]
        else:
            flags = signed[3] if name != "fchmodat" else 0
            descriptor, rest = self.named(pid, signed[0], pointer=arguments[1], flags=flags), arguments[2:]
        try:
            times = memory(pid, rest[0], length=32) if name == "utimensat" and rest[0] else None
            fcntl.ioctl(self.listener, NOTICE_VALID, struct.pack("=Q", identity))
            self.act(name, descriptor, argument=rest[0], times=times)
        finally:
            os.close(descriptor)

    def act(self, name: str, descriptor: int, *, argument: int, times: bytes | None) -> None:
        """Do it by descriptor, so that nothing can be put in its place."""
        path = f"/proc/self/fd/{descriptor}"
        info = os.fstat(descriptor)
        if not os.readlink(os.fsencode(path)).startswith(self.writable):
            raise PermissionError(errno.EPERM, "outside")
        if stat.S_ISLNK(info.st_mode):
            raise OSError(errno.EOPNOTSUPP, "a link")
        if name == "truncate":
            os.truncate(path, ctypes.c_int64(argument).value)
        elif name == "utimensat":
            os.utime(path, ns=stamps(times, info))
        else:
            os.chmod(path, argument & 0o7777)

    def opened(self, pid: int, number: int) -> int:
        """A descriptor of the program's, as one of ours."""
        try:
            return os.open(f"/proc/{pid}/fd/{number}", os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            raise OSError(errno.EBADF, "closed") from None

    def named(self, pid: int, base: int, *, pointer: int, flags: int) -> int:
        """What a name leads to, without leaving the private folder on the way."""
        name = memory(pid, pointer, length=4096).partition(b"\0")[0] if pointer else b""
        if not name and (not pointer or flags & AT_EMPTY_PATH):
            return self.opened(pid, base)
        if not name.startswith(b"/"):
            start = os.readlink(os.fsencode(f"/proc/{pid}/cwd" if base == AT_FDCWD else f"/proc/{pid}/fd/{base}"))
            name = start + b"/" + name if name else b""
        if not name:
            raise FileNotFoundError(errno.ENOENT, "no name")
        if not name.startswith(self.top + b"/"):
            raise PermissionError(errno.EPERM, "outside")
        follow = os.O_NOFOLLOW if flags & AT_SYMLINK_NOFOLLOW else 0
        how = struct.pack("=QQQ", os.O_PATH | os.O_CLOEXEC | follow, 0, RESOLVE_BENEATH | RESOLVE_NO_MAGIC_LINKS)
        relative = name[len(self.top):].lstrip(b"/") or b"."
        return call(libc.syscall(SYS_OPENAT2, self.folder, relative, how, ctypes.c_size_t(24)), "openat2")


def memory(pid: int, pointer: int, *, length: int) -> bytes:
    """Bytes of a waiting program; fewer where its memory ends."""
    descriptor = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.pread(descriptor, length, pointer)
    finally:
        os.close(descriptor)


def stamps(times: bytes | None, info: os.stat_result) -> tuple[int, int]:
    """Access and change time in nanoseconds, from what utimensat was given."""
    now = time.time_ns()
    if times is None:
        return now, now
    seconds = struct.unpack("=4q", times)
    made = []
    for old, (whole, part) in zip((info.st_atime_ns, info.st_mtime_ns), (seconds[:2], seconds[2:]), strict=True):
        made.append(now if part == UTIME_NOW else old if part == UTIME_OMIT else whole * 10**9 + part)
    return made[0], made[1]


# --- guard, init and the program process ---

def guard(channel: _socket.socket, request: Request) -> None:
    """Start init, and go when nothing is left below us."""
    leave_root(request["uid"])
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    libc.prctl(PR_SET_SUBREAPER, 1, 0, 0, 0)
    if os.getppid() != request["supervisor"]:
        os._exit(0)
    pid = os.fork()
    if pid == 0:
        init(channel, request)
    for descriptor in (*request["stdio"], *request["groups"]):
        os.close(descriptor)
    wake = wakeup()
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    poll = select.poll()
    poll.register(channel, 0)
    poll.register(wake, select.POLLIN)
    while reap(pid) is None:
        events = dict(poll.poll())
        if channel.fileno() in events or (wake in events and signal.SIGTERM in os.read(wake, 512)):
            break
    end_tree()
    os._exit(0)


def init(channel: _socket.socket, request: Request) -> NoReturn:
    """Enter the control groups, name ourselves, start the program process, watch over it. Never returns."""
    try:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        libc.prctl(PR_SET_SUBREAPER, 1, 0, 0, 0)
        os.setsid()
        for descriptor in request["groups"]:
            os.write(descriptor, b"0")
            os.close(descriptor)
        pidfd = os.pidfd_open(os.getpid())
        send(channel, b"P%d" % os.getpid(), [pidfd])
        os.close(pidfd)
        handing, taking = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
        pid = os.fork()
        if pid == 0:
            taking.close()
            become(channel, handing, request=request)
        handing.close()
        wake = wakeup()
        for descriptor in request["stdio"]:
            os.close(descriptor)
        libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
        drop_capabilities()
        limit([(kind, most) for kind, most in request["limits"] if kind == resource.RLIMIT_FSIZE])
        if request["plain"]:
            filter_calls(request["plain"], listen=False)
        watch_over(channel, taking, request=request, pid=pid, wake=wake)
    except BaseException as error:  # noqa: BLE001 -- reported to the supervisor, which raises it
        refuse(channel, error)
        os._exit(125)


def watch_over(
    channel: _socket.socket, taking: _socket.socket, *, request: Request, pid: int, wake: int,
) -> NoReturn:
    """Serve the program until it ends, end whatever it left, and report."""
    poll = select.poll()
    poll.register(channel, 0)
    for descriptor in (wake, taking.fileno()):
        poll.register(descriptor, select.POLLIN)
    broker, status = None, reap(pid)
    while status is None:
        for descriptor, event in poll.poll():
            if descriptor == channel.fileno():
                end_tree()
                os._exit(0)
            elif descriptor == wake:
                os.read(wake, 512)
                status = reap(pid)
            elif descriptor == taking.fileno():
                poll.unregister(descriptor)
                broker = take_listener(taking, request)
                if broker is not None:
                    poll.register(broker.listener, select.POLLIN)
            elif broker is not None and event & select.POLLIN:
                broker.answer()
            else:
                poll.unregister(descriptor)
    left = still_running()
    end_tree()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    numbers = b"E %d %f %d" % (status, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)
    send(channel, b"\0".join([numbers, *left[:16]]))
    os._exit(0)


def take_listener(taking: _socket.socket, request: Request) -> Broker | None:
    """The broker for the filter that the program process installed; None when there is no filter."""
    data, ancillary, _, _ = taking.recvmsg(16, _socket.CMSG_SPACE(4))
    taking.close()
    if not data or not ancillary:
        return None
    descriptors = array.array("i")
    descriptors.frombytes(ancillary[0][2])
    os.set_inheritable(descriptors[0], False)  # noqa: FBT003 -- its one parameter
    return Broker(descriptors[0], request)


def become(channel: _socket.socket, handing: _socket.socket, *, request: Request) -> NoReturn:
    """Raise the walls, each after what it forbids, and become the program. Never returns."""
    try:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
        os.setsid()
        os.umask(0o022)
        with open("/proc/self/oom_score_adj", "wb") as file:
            file.write(b"500")
        for target, descriptor in enumerate(request["stdio"]):
            os.dup2(descriptor, target, inheritable=True)
        os.chdir(request["cwd"])
        if request["landlock"]:
            confine_files(request)
        drop_capabilities()
        if request["filter"]:
            listener = filter_calls(request["filter"], listen=True)
            send(handing, b"L", [listener])
            os.close(listener)
        handing.close()
        limit(request["limits"])
    except BaseException as error:  # noqa: BLE001 -- reported to the supervisor, which raises it
        refuse(channel, error)
        os._exit(125)
    execute(request["argv"], request["env"])


def execute(argv: list[str], environment: dict[str, str]) -> NoReturn:
    """Become another program, with the signals as a shell would leave them."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execve(argv[0], argv, environment)
    except OSError as error:
        os.write(2, f"windtunnel: cannot start {argv[0]}: {error.strerror}\n".encode())
        os._exit(127)


def main() -> None:
    """Take the request and keep what it came with from every program."""
    request = marshal.loads(read_all(int(sys.argv[1])))
    channel = _socket.socket(fileno=request["channel"])
    for descriptor in (request["channel"], *request["stdio"], *request["groups"]):
        os.set_inheritable(descriptor, False)  # noqa: FBT003 -- its one parameter
    try:
        guard(channel, request)
    except BaseException as error:  # noqa: BLE001 -- reported to the supervisor, which raises it
        refuse(channel, error)
        os._exit(125)


main()
