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
import marshal
import os
import resource
import select
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from windtunnel.sandbox.inside import broker, descendants, kernel
    from windtunnel.sandbox.inside.kernel import Message
else:
    import broker
    import descendants
    import kernel

libc = kernel.libc
DEVICES = {"/dev/null": True, "/dev/zero": True, "/dev/full": True, "/dev/random": False, "/dev/urandom": False}
"""Whether each may also be written to."""
OWN = ("/proc/self/maps", "/proc/self/stat", "/proc/self/statm", "/proc/self/status")
"""Of the first process alone, as each has its own files; a C library learns from ``maps`` how large its stack is."""


# --- the walls ---

def leave_root(uid: int | None) -> None:
    """Become the throw-away user for good."""
    if uid is not None:
        kernel.bound_capabilities()
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    libc.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def drop_capabilities() -> None:
    """No capability in any set, and none to be had again."""
    kernel.bound_capabilities()
    kernel.drop_capabilities()


def confine_files(request: Message) -> None:
    """Landlock: read the language's files, write the private folders, no TCP, nobody outside to signal."""
    version = request["landlock"]
    everything = kernel.handled(version)
    rules = kernel.rule_set(version, network=False)
    reading = dict.fromkeys((*request["read"], *OWN), kernel.READ)
    device = kernel.READ | kernel.IOCTL_DEV
    devices = {path: device | (kernel.WRITE_FILE if writable else 0) for path, writable in DEVICES.items()}
    for path, access in (reading | devices | dict.fromkeys(request["write"], everything)).items():
        allow(rules, path, access=access & everything)
    kernel.restrict(rules)


def allow(rules: int, path: str, *, access: int) -> None:
    """Add one path, or say who cannot reach it and what would do."""
    try:
        kernel.allow(rules, path, access=access)
    except PermissionError:
        raise OSError(
            f"user {os.getuid()}, which root's programs run as, cannot reach {path} (install the tools where every "
            "user may read them, such as /usr or /opt, or start Windtunnel as an ordinary user)") from None


# --- guard, init and the program process ---

def guard(channel: _socket.socket, request: Message) -> None:
    """Start init, and go when nothing is left below us."""
    leave_root(request["uid"])
    libc.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    libc.prctl(kernel.PR_SET_SUBREAPER, 1, 0, 0, 0)
    if os.getppid() != request["supervisor"]:
        os._exit(0)
    pid = os.fork()
    if pid == 0:
        init(channel, request)
    for descriptor in (*request["stdio"], *request["groups"]):
        os.close(descriptor)
    wake = descendants.wakeup()
    libc.prctl(kernel.PR_SET_DUMPABLE, 0, 0, 0, 0)
    poll = select.poll()
    poll.register(channel, 0)
    poll.register(wake, select.POLLIN)
    while descendants.reap(pid) is None:
        events = dict(poll.poll())
        if channel.fileno() in events or (wake in events and signal.SIGTERM in os.read(wake, 512)):
            break
    descendants.end_tree()
    os._exit(0)


def init(channel: _socket.socket, request: Message) -> NoReturn:
    """Enter the control groups, name ourselves, start the program process, watch over it. Never returns."""
    try:
        libc.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        libc.prctl(kernel.PR_SET_SUBREAPER, 1, 0, 0, 0)
        os.setsid()
        for descriptor in request["groups"]:
            os.write(descriptor, b"0")
            os.close(descriptor)
        pidfd = os.pidfd_open(os.getpid())
        kernel.send(channel, b"P%d" % os.getpid(), [pidfd])
        os.close(pidfd)
        handing, taking = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
        pid = os.fork()
        if pid == 0:
            taking.close()
            become(channel, handing, request=request)
        handing.close()
        wake = descendants.wakeup()
        for descriptor in request["stdio"]:
            os.close(descriptor)
        libc.prctl(kernel.PR_SET_DUMPABLE, 0, 0, 0, 0)
        drop_capabilities()
        kernel.limit([(kind, most) for kind, most in request["limits"] if kind == resource.RLIMIT_FSIZE])
        if request["plain"]:
            kernel.filter_calls(kernel.loaded(request["plain"]), listen=False)
        watch_over(channel, taking, request=request, pid=pid, wake=wake)
    except BaseException as error:  # noqa: BLE001 -- reported to the supervisor, which raises it
        kernel.refuse(channel, error)
        os._exit(125)


def watch_over(
    channel: _socket.socket, taking: _socket.socket, *, request: Message, pid: int, wake: int,
) -> NoReturn:
    """Serve the program until it ends, end whatever it left, and report."""
    poll = select.poll()
    poll.register(channel, 0)
    for descriptor in (wake, taking.fileno()):
        poll.register(descriptor, select.POLLIN)
    served, status = None, descendants.reap(pid)
    while status is None:
        for descriptor, event in poll.poll():
            if descriptor == channel.fileno():
                descendants.end_tree()
                os._exit(0)
            elif descriptor == wake:
                os.read(wake, 512)
                status = descendants.reap(pid)
            elif descriptor == taking.fileno():
                poll.unregister(descriptor)
                served = take_listener(taking, request)
                if served is not None:
                    poll.register(served.listener, select.POLLIN)
            elif served is not None and event & select.POLLIN:
                served.answer()
            else:
                poll.unregister(descriptor)
    left = descendants.still_running()
    descendants.end_tree()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    numbers = b"E %d %f %d" % (status, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)
    kernel.send(channel, b"\0".join([numbers, *left[:16]]))
    os._exit(0)


def take_listener(taking: _socket.socket, request: Message) -> broker.Broker | None:
    """The broker for the filter that the program process installed; None when there is no filter."""
    _, descriptors = kernel.receive(taking)
    taking.close()
    if not descriptors:
        return None
    os.set_inheritable(descriptors[0], False)  # noqa: FBT003 -- its one parameter
    return broker.Broker(descriptors[0], request)


def become(channel: _socket.socket, handing: _socket.socket, *, request: Message) -> NoReturn:
    """Raise the walls, each after what it forbids, and become the program. Never returns."""
    try:
        libc.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        libc.prctl(kernel.PR_SET_DUMPABLE, 1, 0, 0, 0)
        os.setsid()
        os.umask(0o022)
        kernel.write("/proc/self/oom_score_adj", b"500")
        kernel.take_streams(request["stdio"])
        os.chdir(request["cwd"])
        if request["landlock"]:
            confine_files(request)
        drop_capabilities()
        if request["filter"]:
            listener = kernel.filter_calls(kernel.loaded(request["filter"]), listen=True)
            kernel.send(handing, b"L", [listener])
            os.close(listener)
        handing.close()
        kernel.limit(request["limits"])
    except BaseException as error:  # noqa: BLE001 -- reported to the supervisor, which raises it
        kernel.refuse(channel, error)
        os._exit(125)
    kernel.execute(request["argv"], request["env"])


def main() -> None:
    """Take the request and keep what it came with from every program."""
    request = marshal.loads(kernel.read_all(int(sys.argv[1])))
    channel = _socket.socket(fileno=request["channel"])
    for descriptor in (request["channel"], *request["stdio"], *request["groups"]):
        os.set_inheritable(descriptor, False)  # noqa: FBT003 -- its one parameter
    try:
        guard(channel, request)
    except BaseException as error:  # noqa: BLE001 -- reported to the supervisor, which raises it
        kernel.refuse(channel, error)
        os._exit(125)


if __name__ == "__main__":
    main()
