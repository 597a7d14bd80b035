"""The process every sandbox grows from. Runs *inside* bubblewrap, as a script, with the standard library alone.

One stem serves one kind of sandbox (one language's root, one kind of network). It holds no program and no
secret. For each order on its control socket it clones an *init* (process 1 of a fresh user, mount, process,
network, IPC, host-name and cgroup namespace), which starts the *program process*. The program process builds
its own view (private /tmp, /proc, terminal, loopback), waits for a request, then raises the last walls
(resource limits, Landlock, no capabilities, system-call filter) and becomes the program.

What holds: the program never shares a namespace, a writable file or a descriptor with another program; when
init dies the kernel ends everything in the sandbox; the exit status is reported by init, which the program
cannot trace, signal or write to. What does not hold: programs of one stem share the interpreter's address
layout and hash seed; a job that refuses waiting sandboxes starts a fresh interpreter and shares neither.
"""

from __future__ import annotations

import _socket
import array
import atexit
import ctypes
import fcntl
import gc
import marshal
import os
import resource
import struct
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # the typing module is not worth its time in every stem
    from collections.abc import Sequence
    from types import ModuleType
    from typing import Any, NoReturn, TypeAlias

    Message: TypeAlias = dict[str, Any]

libc = ctypes.PyDLL(None, use_errno=True)
SIGKILL, SIGINT, SIGPIPE, SIGCHLD, SIGXFSZ = 9, 2, 13, 17, 25
NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET = (
    0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)
NAMESPACES = NEWUSER | NEWNS | NEWPID | NEWIPC | NEWUTS | NEWCGROUP
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT, MS_BIND = 1, 2, 4, 8, 32, 4096
SYS_CLONE3, SYS_LANDLOCK_CREATE, SYS_LANDLOCK_ADD, SYS_LANDLOCK_RESTRICT = 435, 444, 445, 446
SYS_SECCOMP = 277 if os.uname().machine == "aarch64" else 317
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 1, 4, 24, 38, 47
MESSAGE = 1 << 16
FOLDERS = ("/tmp", "/dev/shm", "/sandbox")


# --- system calls ---

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


def receive(sock: _socket.socket) -> tuple[bytes, list[int]]:
    """One message and its descriptors; an empty message means the other side is gone."""
    data, ancillary, _, _ = sock.recvmsg(MESSAGE, _socket.CMSG_SPACE(4 * 32))
    descriptors = array.array("i")
    for _, _, rights in ancillary:
        descriptors.frombytes(rights)
    return data, list(descriptors)


def send(sock: _socket.socket, data: bytes, descriptors: Sequence[int] = ()) -> None:
    """One message with descriptors."""
    rights = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
    sock.sendmsg([data], rights)


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


# --- the view: what the program sees ---

def map_ids(uid: int) -> None:
    """Map one unprivileged id inside to the stem's own."""
    write("/proc/self/setgroups", b"deny")
    write("/proc/self/uid_map", b"%d 0 1" % uid)
    write("/proc/self/gid_map", b"%d 0 1" % uid)


def bound_kernel_objects() -> None:
    """Keep per-user kernel objects of this sandbox from exhausting its owner's; no nested user namespaces."""
    for name, most in (("user_namespaces", 0), ("inotify_instances", 64), ("inotify_watches", 8192)):
        try:
            write("/proc/sys/user/max_" + name, b"%d" % most)
        except OSError:
            continue


def loopback_up() -> None:
    """Bring up the sandbox's own loopback."""
    sock = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM | _socket.SOCK_CLOEXEC)
    fcntl.ioctl(sock, 0x8914, struct.pack("16sH14x", b"lo", 0x1 | 0x40))
    sock.close()


def size_options(order: Message) -> bytes:
    """The quota of the one private file system behind every writable folder."""
    return b"size=%d,nr_inodes=%d" % (order["disk"], order["inodes"])


def build_view(order: Message) -> list[int]:
    """Fresh /proc, one size-limited file system for all that is writable, own terminals, own loopback."""
    write("/proc/self/oom_score_adj", b"500")
    map_ids(order["uid"])
    bound_kernel_objects()
    libc.sethostname(b"sandbox", 7)
    kept = [(path, os.open(path, os.O_PATH | os.O_CLOEXEC)) for path in order["kept"]]
    mount(b"tmpfs", b"/run", b"tmpfs", MS_NOSUID | MS_NODEV, size_options(order) + b",mode=755")
    for name, target, mode in (("t", b"/tmp", 0o1777), ("m", b"/dev/shm", 0o1777), ("s", b"/sandbox", 0o755)):
        os.mkdir("/run/" + name)
        os.chmod("/run/" + name, mode)
        mount(b"/run/" + name.encode(), target, None, MS_BIND)
    if order.get("workspace"):
        for name in ("upper", "work"):
            os.mkdir("/run/" + name)
        options = b"lowerdir=/workspace,upperdir=/run/upper,workdir=/run/work,userxattr"
        mount(b"overlay", b"/workspace", b"overlay", MS_NOSUID | MS_NODEV, options)
    upper = os.open("/run/upper", os.O_PATH | os.O_CLOEXEC) if order.get("workspace") else -1
    call(libc.umount2(b"/run", 2), "/run")
    mount(b"proc", b"/proc", b"proc", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY)
    mount(b"devpts", b"/dev/pts", b"devpts", MS_NOSUID | MS_NOEXEC, b"newinstance,ptmxmode=0666,mode=620")
    for path, descriptor in kept:
        bind_again(path, descriptor)
    if order["own_network"]:
        loopback_up()
    folders = [os.open(path, os.O_PATH | os.O_CLOEXEC) for path in FOLDERS]
    return folders if upper < 0 else [*folders, upper]


def bind_again(path: str, descriptor: int) -> None:
    """Show again what the private /tmp covered: a toolchain may live below the host's."""
    if os.path.isdir(f"/proc/self/fd/{descriptor}"):
        os.makedirs(path, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))
    mount(b"/proc/self/fd/%d" % descriptor, path.encode(), None, MS_BIND)
    os.close(descriptor)


def place(request: Message, order: Message) -> None:
    """Put the files below /sandbox, set the quota and make it read-only unless it was asked to be writable."""
    if size_options(request) != size_options(order):
        mount(None, b"/sandbox", None, MS_REMOUNT | MS_NOSUID | MS_NODEV, size_options(request))
    made = {"/sandbox"}
    for name, data, mode in request["files"]:
        path = "/sandbox/" + name
        folder = path.rpartition("/")[0]
        if folder not in made:
            os.makedirs(folder, 0o755, exist_ok=True)
            made.add(folder)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view):]
        os.close(descriptor)
    if request["hosts"]:
        descriptor = os.open("/dev/shm/.hosts", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o444)
        os.write(descriptor, request["hosts"])
        os.close(descriptor)
        mount(b"/dev/shm/.hosts", b"/etc/hosts", None, MS_BIND)
        os.unlink("/dev/shm/.hosts")
    if not request["writable"]:
        mount(None, b"/sandbox", None, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV)
    if request["build"]:
        os.mkdir("/tmp/build")


def listeners(request: Message) -> list[int]:
    """Listening sockets inside the sandbox, to be served by the supervisor outside."""
    made = []
    for address, port in request["listen"]:
        sock = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM | _socket.SOCK_CLOEXEC)
        sock.setsockopt(_socket.SOL_SOCKET, _socket.SO_REUSEADDR, 1)
        sock.bind((address, port))
        sock.listen(64)
        made.append(sock.detach())
    return made


# --- the last walls ---

def landlock_rules(order: Message) -> int:
    """A rule set that leaves only the private folders writable; -1 where the kernel has no Landlock."""
    version = libc.syscall(SYS_LANDLOCK_CREATE, None, 0, 1)
    if version < 1 or not order["landlock"]:
        return -1
    everything = (1 << 13) - 1
    everything |= (1 << 13 if version >= 2 else 0) | (1 << 14 if version >= 3 else 0) | (1 << 15 if version >= 5 else 0)
    attributes = (ctypes.c_uint64 * 3)(everything, 0, 3 if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    rules = call(libc.syscall(SYS_LANDLOCK_CREATE, attributes, ctypes.c_size_t(size), 0), "landlock")
    read, write_file, device = 0b1101, 1 << 1, (1 << 15) & everything
    private = [path for path in ("/tmp", "/dev/shm", "/sandbox", "/workspace") if os.path.isdir(path)]
    for path, access in [("/", read), ("/dev", write_file | device), *((path, everything) for path in private)]:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        rule = struct.pack("=Qi", access, descriptor)
        call(libc.syscall(SYS_LANDLOCK_ADD, rules, 1, rule, 0), "landlock " + path)
        os.close(descriptor)
    return rules


def limit(limits: Sequence[tuple[int, int]], pid: int = 0) -> None:
    """Lower the resource limits; never above what is inherited."""
    for kind, most in limits:
        _, hard = resource.getrlimit(kind)
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.prlimit(pid, kind, (bound, bound))


def bound_capabilities() -> None:
    """None can ever be had again, by executing whatever file."""
    libc.prctl(PR_CAP_AMBIENT, 4, 0, 0, 0)
    for capability in range(64):
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0:
            break


def drop_capabilities() -> None:
    """None in any set."""
    header, nothing = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    call(libc.capset(header, nothing), "capset")


def filter_calls(program: bytes, *, listen: bool) -> int:
    """Install the system-call filter; the listener's descriptor when one was asked for."""
    code = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(code))
    if not listen:
        call(libc.syscall(SYS_SECCOMP, 1, 0, head), "seccomp")
        return -1
    descriptor = libc.syscall(SYS_SECCOMP, 1, 8 | 32, head)
    return descriptor if descriptor >= 0 else call(libc.syscall(SYS_SECCOMP, 1, 8, head), "seccomp")


def confine(order: Message, rules: int) -> int:
    """Landlock, no capabilities, the filter: in this order, because each forbids what the one before needs."""
    if rules >= 0:
        call(libc.syscall(SYS_LANDLOCK_RESTRICT, rules, 0), "landlock")
        os.close(rules)
    drop_capabilities()
    libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
    return filter_calls(FILTERS["watch" if order["watch"] else "plain"], listen=order["watch"])


# --- init ---

def watch_over(channel: _socket.socket, pid: int, traffic: int) -> NoReturn:
    """Wait for the program, end whatever it left, and report; runs as process 1."""
    while True:
        ended, status, _ = os.wait4(-1, 0)
        if ended == pid:
            break
    left = still_running()
    if left:
        os.kill(-1, SIGKILL)
        try:
            while True:
                os.wait4(-1, 0)
        except ChildProcessError:
            pass
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    read, written = (int(line.split()[1]) for line in os.pread(traffic, 512, 0).split(b"\n")[:2])
    spent = used.ru_utime + used.ru_stime
    numbers = b"E %d %f %d %d %d" % (status, spent, used.ru_maxrss * 1024, read, written)
    send(channel, b"\0".join([numbers, *left[:16]]))
    channel.recv(1)  # taking the namespaces apart would keep the supervisor from the processor; let it go first
    os._exit(0)


def still_running() -> list[bytes]:
    """Names of the processes beside init, the already dead left out."""
    try:
        os.kill(-1, 0)
    except ProcessLookupError:
        return []
    names = []
    for number in os.listdir("/proc"):
        if number.isdigit() and number != "1":
            try:
                with open(f"/proc/{number}/stat", "rb") as file:
                    head, _, tail = file.read(512).rpartition(b") ")
            except OSError:
                continue
            if tail[:1] not in b"ZX":
                names.append(head.partition(b"(")[2].replace(b"\0", b""))
    return names


def open_gate(channel: _socket.socket, order: Message, *, gate: int, pid: int, traffic: int) -> NoReturn:
    """Serve a waiting interpreter that is already behind its walls: place its files, then let it go."""
    request = request_from(channel)
    if request is None:
        os._exit(0)
    place(request, order)
    limit(request["limits"], pid)
    drop_capabilities()
    text = request["gate"]
    while text:
        text = text[os.write(gate, text):]
    os.close(gate)
    filter_calls(FILTERS["plain"], listen=False)
    watch_over(channel, pid, traffic)


def request_from(channel: _socket.socket) -> Message | None:
    """The program to become; None when the supervisor is gone."""
    data, descriptors = receive(channel)
    if not data:
        return None
    request: Message = marshal.loads(read_all(descriptors[0]) if descriptors else data)
    return request


# --- the program process ---

def become(channel: _socket.socket, order: Message, stdio: list[int]) -> NoReturn:
    """Build the view, wait for the request, raise the walls, and become the program."""
    folders = build_view(order)
    rules = landlock_rules(order)
    bound_capabilities()
    os.setsid()
    os.umask(0o022)
    take_streams(stdio)
    if order["rehearse"]:
        rehearse()
    send(channel, b"R", folders)
    for descriptor in folders:
        os.close(descriptor)
    request = request_from(channel)
    if request is None:
        os._exit(0)
    place(request, order)
    made = listeners(request)
    limit(request["limits"])
    os.chdir(request["cwd"])
    listener = confine(order, rules)
    send(channel, b"G", ([listener] if listener >= 0 else []) + made)
    for descriptor in (*made, channel.detach(), *([listener] if listener >= 0 else [])):
        os.close(descriptor)
    if request["interpreter"]:
        run_python(request)
    execute(request["argv"], request["env"])


def execute(argv: list[str], environment: dict[str, str]) -> NoReturn:
    """Become another program, with the signals as a shell would leave them."""
    for number in (SIGPIPE, SIGXFSZ):
        libc.signal(number, None)
    try:
        os.execve(argv[0], argv, environment)
    except OSError as error:
        os.write(2, f"windtunnel: cannot start {argv[0]}: {error.strerror}\n".encode())
        os._exit(127)


def take_streams(stdio: list[int]) -> None:
    """Make the run's pipes descriptors 0, 1 and 2."""
    for target, descriptor in enumerate(stdio):
        os.dup2(descriptor, target, inheritable=True)
    for descriptor in stdio:
        os.close(descriptor)


def wait_at_gate(channel: _socket.socket, order: Message, stdio: list[int], traffic: int) -> NoReturn:
    """As init: build the view, start the interpreter behind its walls, keep its files for the request."""
    folders = build_view(order)
    rules = landlock_rules(order)
    bound_capabilities()
    inside, outside = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setsid()
        os.umask(0o022)
        os.close(outside)
        take_streams(stdio)
        os.dup2(inside, 200)
        listener = confine(order, rules)
        send(channel, b"G", [listener] if listener >= 0 else [])
        channel.close()
        for descriptor in range(3, 200):
            try:
                os.close(descriptor)
            except OSError:
                continue
        os.dup2(200, 3, inheritable=True)
        os.close(200)
        os.chdir("/sandbox")
        execute(order["gate"], order["env"])
    for descriptor in (inside, *stdio):
        os.close(descriptor)
    libc.signal(SIGINT, None)
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    send(channel, b"R", folders)
    open_gate(channel, order, gate=outside, pid=pid, traffic=traffic)


def rehearse() -> None:
    """Touch what a run touches, so that a waiting sandbox pays for its own copies of memory beforehand."""
    exec(compile("import sys\nsys.stdout.write('')\n", "/sandbox/main.py", "exec"), {"__name__": "__main__"})
    sys.stdout.flush()
    os.environ["WINDTUNNEL"] = "1"
    del os.environ["WINDTUNNEL"]


def run_python(request: Message) -> NoReturn:
    """Run the source in this very interpreter, as ``python main.py`` would, and exit as it would."""
    path = request["argv"][-1] if request["script"] is None else request["script"]
    environment = request["env"]
    if environment != dict(os.environ):
        os.environ.clear()
        os.environ.update(environment)
        if "TZ" in environment:
            __import__("time").tzset()
    sys.argv = request["sys_argv"]
    sys.path[0] = path.rpartition("/")[0]
    main = type(sys)("__main__")
    main.__dict__.update(__file__=path, __builtins__=__builtins__, __cached__=None, __annotations__={})
    sys.modules["__main__"] = main
    status = 0
    try:
        with open(path, "rb") as file:
            source = file.read()
        code = compile(source, path, "exec", dont_inherit=True)
        exec(code, main.__dict__)
    except SystemExit as stop:
        status = exit_status(stop.code)
    except BaseException as error:  # noqa: BLE001 -- whatever the program raises is its own answer
        trace = error.__traceback__
        shown = error.with_traceback(trace.tb_next if trace else None)
        sys.excepthook(type(shown), shown, shown.__traceback__)
        status = 130 if isinstance(error, KeyboardInterrupt) else 1
    finish(main, status)


def exit_status(code: object) -> int:
    """The exit code that the interpreter gives to ``SystemExit(code)``."""
    if code is None or isinstance(code, int):
        return (code or 0) & 0xFF
    sys.stderr.write(f"{code}\n")
    return 1


def finish(main: ModuleType, status: int) -> NoReturn:
    """What the interpreter does at its end, without paying for taking every module apart."""
    threading = sys.modules.get("threading")
    try:
        if threading is not None:
            threading._shutdown()  # noqa: SLF001
    except BaseException as error:  # noqa: BLE001
        sys.excepthook(type(error), error, error.__traceback__)
    atexit._run_exitfuncs()  # noqa: SLF001
    for name in sys.modules.keys() - LOADED:
        if (getattr(sys.modules[name], "__file__", None) or "").startswith("/sandbox/"):
            sys.modules[name].__dict__.clear()
    main.__dict__.clear()
    gc.collect()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            status = 120
        except AttributeError:
            continue
    os._exit(status)


# --- the stem ---

def serve(control: _socket.socket) -> NoReturn:
    """Clone a sandbox for each order until the supervisor is gone."""
    while True:
        data, descriptors = receive(control)
        if not data:
            os._exit(0)
        order = marshal.loads(data)
        channel, stdio, groups = descriptors[0], descriptors[1:4], descriptors[4:]
        sock = _socket.socket(fileno=channel)
        try:
            pid, pidfd = clone_init(NAMESPACES | (NEWNET if order["own_network"] else 0))
            if pid == 0:
                control.close()
                grow(sock, order, stdio=stdio, groups=groups)
            send(sock, b"P", [pidfd])
            os.close(pidfd)
        except OSError as error:
            refuse(sock, error)
        sock.close()
        for descriptor in (*stdio, *groups):
            os.close(descriptor)


def refuse(channel: _socket.socket, error: BaseException) -> None:
    """Tell the supervisor what failed on our side, if it still listens."""
    try:
        send(channel, b"X" + repr(error).encode()[:4096])
    except OSError:
        pass


def grow(channel: _socket.socket, order: Message, *, stdio: list[int], groups: list[int]) -> NoReturn:
    """In the new init: enter the control groups, start the program process, watch over it. Never returns."""
    try:
        libc.signal(SIGCHLD, None)
        libc.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)
        for descriptor in groups:
            os.write(descriptor, b"0")
            os.close(descriptor)
        # Counts what was read and written by this process and all it has waited for; opened while that is allowed.
        traffic = os.open("/proc/self/io", os.O_RDONLY | os.O_CLOEXEC)
        if order["gate"]:
            wait_at_gate(channel, order, stdio, traffic)
        pid = os.fork()
        if pid == 0:
            os.close(traffic)
            become(channel, order, stdio)
        for descriptor in stdio:
            os.close(descriptor)
        libc.signal(SIGINT, None)
        libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
        bound_capabilities()
        drop_capabilities()
        filter_calls(FILTERS["plain"], listen=False)
        watch_over(channel, pid, traffic)
    except BaseException as error:  # noqa: BLE001 -- reported to the supervisor, which raises it
        refuse(channel, error)
        os._exit(125)


FILTERS: Message = {}
LOADED: set[str] = set()


def main() -> NoReturn:
    """Take the filters from the control socket, settle, serve."""
    control = _socket.socket(fileno=int(sys.argv[1]))
    libc.signal(SIGCHLD, ctypes.c_void_p(1))
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    _, descriptors = receive(control)
    FILTERS.update(marshal.loads(read_all(descriptors[0])))
    os.environ.clear()
    os.environ.update(FILTERS["env"])
    send(control, b"R%d" % max(0, libc.syscall(SYS_LANDLOCK_CREATE, None, 0, 1)))
    compile("0", "settle", "exec")  # the first one builds the syntax tree's types; let every sandbox inherit them
    LOADED.update(sys.modules)
    gc.collect()
    gc.freeze()
    serve(control)


main()
