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

import _signal  # type: ignore[import-not-found]  # the built-in part, which needs no enum
import _socket
import ctypes
import fcntl
import marshal
import os
import resource
import select
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from windtunnel.sandbox.inside import kernel, python, view, wires
    from windtunnel.sandbox.inside.kernel import Message
else:
    import kernel
    import python
    import view
    import wires

libc = kernel.libc
NAMESPACES = kernel.NEWUSER | kernel.NEWNS | kernel.NEWPID | kernel.NEWIPC | kernel.NEWUTS
WRITABLE = (*view.FOLDERS, "/workspace")
FILTERS: Message = {}


# --- the last walls ---

def landlock_rules(order: Message) -> int:
    """A rule set that leaves only the private folders writable; -1 where the kernel has no Landlock."""
    version = kernel.landlock_version()
    if not version or not order["landlock"]:
        return -1
    everything = kernel.handled(version)
    rules = kernel.rule_set(version, network=True)
    device = kernel.WRITE_FILE | kernel.IOCTL_DEV & everything
    for path, access in [("/", kernel.READ), ("/dev", device), *((path, everything) for path in WRITABLE)]:
        kernel.allow(rules, path, access=access)
    return rules


def confine(order: Message, rules: int) -> int:
    """Landlock, no capabilities, the filter: in this order, because each forbids what the one before needs."""
    if rules >= 0:
        kernel.restrict(rules)
    kernel.drop_capabilities()
    libc.prctl(kernel.PR_SET_DUMPABLE, 1, 0, 0, 0)
    return kernel.filter_calls(FILTERS["watch" if order["watch"] else "plain"], listen=order["watch"])


# --- init ---

def watch_over(channel: _socket.socket, pid: int, traffic: int) -> NoReturn:
    """Wait for the program, end whatever it left, and report; runs as process 1."""
    report(0, [], traffic)  # rehearsed, so that this process pays for its own copies of memory before it matters
    while True:
        ended, status, _ = os.wait4(-1, 0)
        if ended == pid:
            break
    kernel.send(channel, report(status, end_the_rest(), traffic))
    channel.recv(1)  # taking the namespaces apart would keep the supervisor from the processor; let it go first
    os._exit(0)


def report(status: int, left: list[bytes], traffic: int) -> bytes:
    """How the program ended and what its tree used."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    read, written = (int(line.split()[1]) for line in os.pread(traffic, 512, 0).split(b"\n")[:2])
    spent = used.ru_utime + used.ru_stime
    numbers = b"E %d %f %d %d %d" % (status, spent, used.ru_maxrss * 1024, read, written)
    return b"\0".join([numbers, *left[:16]])


def end_the_rest() -> list[bytes]:
    """Kill whatever is left beside init and wait until it is gone; the names of what was still running."""
    try:
        os.kill(-1, 0)
    except ProcessLookupError:
        return []
    names = [kernel.living_name(number) for number in os.listdir("/proc") if number.isdigit() and number != "1"]
    os.kill(-1, kernel.SIGKILL)
    try:
        while True:
            os.wait4(-1, 0)
    except ChildProcessError:
        pass
    return [name for name in names if name is not None]


def open_gate(channel: _socket.socket, order: Message, *, gate: int, pid: int, traffic: int) -> NoReturn:
    """Serve a waiting interpreter that is already behind its walls: place its files, then let it go."""
    request = request_from(channel)
    if request is None:
        os._exit(0)
    view.place(request, order)
    kernel.limit(request["limits"], pid)
    kernel.drop_capabilities()
    feed(gate, request["gate"], pid)
    kernel.filter_calls(FILTERS["plain"], listen=False)
    watch_over(channel, pid, traffic)


def feed(gate: int, text: bytes, pid: int) -> None:
    """Write to an interpreter until it has read everything or is dead.

    The pipe holds one page and takes no more before that is read, so a last wait for room is a wait for the reader;
    a named pipe that lost its writer before its reader came would keep that reader waiting for ever.
    """
    poll = select.poll()
    poll.register(gate, select.POLLOUT)
    poll.register(os.pidfd_open(pid), select.POLLIN)
    rest = memoryview(text or b"\n")
    while all(descriptor == gate for descriptor, _ in poll.poll()):
        if not rest:
            break
        rest = rest[os.write(gate, rest[:4096]):]
    os.close(gate)


def request_from(channel: _socket.socket) -> Message | None:
    """The program to become; None when the supervisor is gone."""
    data, descriptors = kernel.receive(channel)
    if not data:
        return None
    request: Message = marshal.loads(kernel.read_all(descriptors[0]) if descriptors else data)
    return request


# --- the program process ---

def become(channel: _socket.socket, order: Message, stdio: list[int]) -> NoReturn:
    """Build the view, wait for the request, raise the walls, and become the program."""
    folders, told = view.build(order)
    rules = landlock_rules(order)
    kernel.bound_capabilities()
    os.setsid()
    os.umask(0o022)
    kernel.take_streams(stdio)
    if order["rehearse"]:
        python.rehearse()
    kernel.send(channel, b"R" + told, folders)
    for descriptor in folders:
        os.close(descriptor)
    request = request_from(channel)
    if request is None:
        os._exit(0)
    view.place(request, order)
    outside = request["outside"]
    made = view.listeners(request) if outside is None else wires.lay(outside)
    kernel.limit(request["limits"])
    os.chdir(request["cwd"])
    listener = confine(order, rules)
    kernel.send(channel, b"G", ([listener] if listener >= 0 else []) + made)
    if outside is not None and not channel.recv(1):  # nobody may speak before somebody carries what is said
        os._exit(0)
    for descriptor in (*made, channel.detach(), *([listener] if listener >= 0 else [])):
        os.close(descriptor)
    if request["interpreter"]:
        python.run(request)
    kernel.execute(request["argv"], request["env"])


def wait_at_gate(channel: _socket.socket, order: Message, stdio: list[int], traffic: int) -> NoReturn:
    """As init: build the view, start the interpreter behind its walls, keep its files for the request."""
    folders, told = view.build(order)
    rules = landlock_rules(order)
    kernel.bound_capabilities()
    inside, outside = gate_for(order)
    pid = os.fork()
    if pid == 0:
        os.setsid()
        os.umask(0o022)
        become_waiting(channel, order, stdio=stdio, gate=inside, rules=rules)
    for descriptor in ([inside] if inside >= 0 else []) + stdio:
        os.close(descriptor)
    libc.signal(kernel.SIGINT, None)
    libc.prctl(kernel.PR_SET_DUMPABLE, 0, 0, 0, 0)
    kernel.send(channel, b"R" + told, folders)
    open_gate(channel, order, gate=outside, pid=pid, traffic=traffic)


def gate_for(order: Message) -> tuple[int, int]:
    """Both ends of the pipe that the interpreter waits at; the reading end is -1 when it opens the pipe itself."""
    if order["pipe"]:
        os.mkfifo(order["pipe"], 0o600)
        inside, outside = -1, os.open(order["pipe"], os.O_RDWR | os.O_CLOEXEC)
    else:
        inside, outside = os.pipe()
    fcntl.fcntl(outside, fcntl.F_SETPIPE_SZ, 4096)
    return inside, outside


def become_waiting(
    channel: _socket.socket, order: Message, *, stdio: list[int], gate: int, rules: int,
) -> NoReturn:
    """Raise the walls and become an interpreter that waits for its program, on descriptor 3 or at its source."""
    kernel.take_streams(stdio)
    if gate >= 0:
        os.dup2(gate, 200)
    listener = confine(order, rules)
    kernel.send(channel, b"G", [listener] if listener >= 0 else [])
    channel.close()
    for descriptor in range(3, 200):
        try:
            os.close(descriptor)
        except OSError:
            continue
    if gate >= 0:
        os.dup2(200, 3, inheritable=True)
        os.close(200)
    os.chdir(order["cwd"])
    kernel.execute(order["gate"], order["env"])


# --- the stem ---

def serve(control: _socket.socket) -> NoReturn:
    """Clone a sandbox for each order until the supervisor is gone."""
    while True:
        data, descriptors = kernel.receive(control)
        if not data:
            os._exit(0)
        order = marshal.loads(data)
        channel, stdio, groups = descriptors[0], descriptors[1:4], descriptors[4:]
        sock = _socket.socket(fileno=channel)
        try:
            pid, pidfd = kernel.clone_init(NAMESPACES | (kernel.NEWNET if order["own_network"] else 0))
            if pid == 0:
                control.close()
                grow(sock, order, stdio=stdio, groups=groups)
            kernel.send(sock, b"P", [pidfd])
            os.close(pidfd)
        except OSError as error:
            kernel.refuse(sock, error)
        sock.close()
        for descriptor in (*stdio, *groups):
            os.close(descriptor)


def enter(groups: list[int]) -> None:
    """Enter the control groups, and from there see them as the top of the tree, which tells nothing of the host's."""
    for descriptor in groups:
        os.write(descriptor, b"0")
        os.close(descriptor)
    kernel.call(libc.unshare(kernel.NEWCGROUP), "unshare")


def grow(channel: _socket.socket, order: Message, *, stdio: list[int], groups: list[int]) -> NoReturn:
    """In the new init: enter the control groups, start the program process, watch over it. Never returns."""
    try:
        libc.signal(kernel.SIGCHLD, None)
        libc.prctl(kernel.PR_SET_PDEATHSIG, kernel.SIGKILL, 0, 0, 0)
        # Counts what was read and written by this process and all it has waited for; opened while that is allowed.
        traffic = os.open("/proc/self/io", os.O_RDONLY | os.O_CLOEXEC)
        enter(groups)
        if order["gate"]:
            wait_at_gate(channel, order, stdio, traffic)
        pid = os.fork()
        if pid == 0:
            os.close(traffic)
            become(channel, order, stdio)
        for descriptor in stdio:
            os.close(descriptor)
        libc.signal(kernel.SIGINT, None)
        libc.prctl(kernel.PR_SET_DUMPABLE, 0, 0, 0, 0)
        kernel.bound_capabilities()
        kernel.drop_capabilities()
        kernel.filter_calls(FILTERS["plain"], listen=False)
        watch_over(channel, pid, traffic)
    except BaseException as error:  # noqa: BLE001 -- reported to the supervisor, which raises it
        kernel.refuse(channel, error)
        os._exit(125)


def main() -> NoReturn:
    """Take the filters from the control socket, settle, serve."""
    control = _socket.socket(fileno=int(sys.argv[1]))
    libc.signal(kernel.SIGCHLD, ctypes.c_void_p(1))
    _signal.signal(_signal.SIGINT, _signal.default_int_handler)  # as usual, also where our caller ignores it
    libc.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    _, descriptors = kernel.receive(control)
    given = marshal.loads(kernel.read_all(descriptors[0]))
    FILTERS.update({name: kernel.loaded(program) for name, program in given.items()})
    kernel.send(control, b"R%d" % kernel.landlock_version())
    python.settle(("kernel", "python", "view", "wires"))
    serve(control)


if __name__ == "__main__":
    main()
