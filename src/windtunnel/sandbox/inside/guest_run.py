"""One program in the guest: its control group, its first process, its streams, its end.

What holds: every byte of output is carried by us and counted, so the program has no way to the ports; when the host
says stop, or a limit is passed, the whole group dies at once. What does not hold: the clock of last resort is not here;
the host switches the machine off.
"""

from __future__ import annotations

import _socket
import _thread
import json
import marshal
import os
import select
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from windtunnel.sandbox.inside import guest_port, guest_report, guest_view, kernel, notices, stem, view
    from windtunnel.sandbox.inside.kernel import Message
else:
    import guest_port
    import guest_report
    import guest_view
    import kernel
    import notices
    import stem
    import view

GROUP = "/sys/fs/cgroup/program"
TICK_MILLISECONDS = 40
MOST_DESCRIPTORS = 256
NAMESPACES = kernel.NEWNS | kernel.NEWPID | kernel.NEWIPC | kernel.NEWUTS


# --- the control group ---

def make_group(settings: Message) -> None:
    """With its limits; one that this kernel does not have is an error, because the host counts on it."""
    os.mkdir(GROUP)
    for name, value in settings.items():
        kernel.write(f"{GROUP}/{name}", value.encode())


def number(name: str, field: str = "") -> int | None:
    """A counter of the group; None where this kernel has none."""
    try:
        with open(f"{GROUP}/{name}") as file:
            words = file.read().split()
    except OSError:
        return None
    return int(words[words.index(field) + 1] if field else words[0])


def end_group() -> None:
    """Kill all in it."""
    kernel.write(f"{GROUP}/cgroup.kill", b"1")


# --- streams ---

class Stream:
    """Carries one stream to the host on a thread of its own, and counts it."""

    def __init__(self, source: int, port: int) -> None:
        """Begin."""
        self.total = 0
        self._done = _thread.allocate_lock()
        self._done.acquire()
        _thread.start_new_thread(self._carry, (source, port))

    def _carry(self, source: int, port: int) -> None:
        try:
            while data := os.read(source, guest_port.CHUNK):
                guest_port.write_all(port, data)
                self.total += len(data)
        finally:
            os.close(source)
            self._done.release()

    def wait(self) -> int:
        """Until all is carried; how much it was."""
        with self._done:
            return self.total


class Input:
    """Carries standard input from the host, until as much came as the host says there is."""

    def __init__(self, port: int, target: int, size: int | None) -> None:
        """Begin; a size of None comes later."""
        self._port, self._target, self._size, self._total = port, target, size, 0
        self._lock = _thread.allocate_lock()
        if size == 0:
            os.close(target)
        else:
            _thread.start_new_thread(self._carry, ())

    def end(self, size: int) -> None:
        """There is no more than this."""
        with self._lock:
            self._size = size
            if self._total >= size:
                self._close()

    def _carry(self) -> None:
        while data := os.read(self._port, guest_port.CHUNK):
            try:
                guest_port.write_all(self._target, data)
            except OSError:
                return  # the program does not want it
            with self._lock:
                self._total += len(data)
                if self._size is not None and self._total >= self._size:
                    self._close()
                    return

    def _close(self) -> None:
        if self._target >= 0:
            os.close(self._target)
            self._target = -1


# --- the program's first process ---

def grow(channel: _socket.socket, message: Message, stdio: list[int]) -> NoReturn:
    """In the new namespaces: build the view, start the program, watch over it. Never returns."""
    try:
        order, request = message["order"], message["request"]
        close_all_but(channel.fileno(), *stdio)
        kernel.libc.signal(kernel.SIGCHLD, None)
        traffic = os.open("/proc/self/io", os.O_RDONLY | os.O_CLOEXEC)
        folders = guest_view.build(order)
        kernel.send(channel, b"R", folders)
        for descriptor in folders:
            os.close(descriptor)
        if not channel.recv(1):
            os._exit(0)
        entered = time.process_time_ns()
        kernel.call(kernel.libc.unshare(kernel.NEWCGROUP), "unshare")
        guest_view.place(request, order)
        spent = time.process_time_ns() - entered
        pid = os.fork()
        if pid == 0:
            become(channel, message, stdio=stdio, spent=spent)
        for descriptor in stdio:
            os.close(descriptor)
        kernel.libc.signal(kernel.SIGINT, None)
        kernel.libc.prctl(kernel.PR_SET_DUMPABLE, 0, 0, 0, 0)
        stem.watch_over(channel, pid, traffic)
    except BaseException as error:  # noqa: BLE001 -- told to the host, which raises it
        kernel.refuse(channel, error)
        os._exit(125)


def close_all_but(*kept: int) -> None:
    """The ports and the other ends of the streams are the agent's alone."""
    first = 3
    for descriptor in (*sorted(kept), MOST_DESCRIPTORS):
        os.closerange(first, descriptor)
        first = descriptor + 1


def become(channel: _socket.socket, message: Message, *, stdio: list[int], spent: int) -> NoReturn:
    """Raise the last walls, hand the filter's listener to the agent, and become the program.

    With the listener goes how many nanoseconds of processor time were not the program's own, ``spent`` before.
    """
    order, request = message["order"], message["request"]
    libc = kernel.libc
    os.setsid()
    os.umask(0o022)
    kernel.take_streams(stdio)
    close_all_but(channel.fileno())
    kernel.limit(request["limits"])
    kernel.bound_capabilities()
    os.setgroups([])
    os.setresgid(order["uid"], order["uid"], order["uid"])
    os.setresuid(order["uid"], order["uid"], order["uid"])
    os.chdir(request["cwd"])
    libc.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    kernel.drop_capabilities()
    libc.prctl(kernel.PR_SET_DUMPABLE, 1, 0, 0, 0)
    listener = kernel.filter_calls(kernel.loaded(message["filter"]), listen=True)
    kernel.send(channel, b"G%d" % (spent + time.process_time_ns()), [listener])
    close_all_but()
    kernel.execute(request["argv"], request["env"])


# --- the run ---

class Run:
    """The guest's side of one run, from the request to the report."""

    def __init__(self, control: guest_port.Control, message: Message) -> None:
        """Nothing has begun."""
        self.control, self.message = control, message
        self.folders: list[int] = []
        self.report: bytes | None = None
        self.refused: bytes | None = None
        self.dead = False
        self.full = False
        self.cpu_before = 0
        self.input: Input | None = None
        self.notices = notices.Notices(-1)

    def begin(self, ports: dict[str, int]) -> None:
        """Start the first process, and the carrying of its streams."""
        self.channel, inner = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
        (stdin, stdin_end), (stdout_end, stdout), (stderr_end, stderr) = os.pipe(), os.pipe(), os.pipe()
        for descriptor in (stdin, stdout, stderr):
            os.fchown(descriptor, self.message["order"]["uid"], -1)  # or /dev/stdout could not be opened
        self.pid, self.pidfd = kernel.clone_init(NAMESPACES)
        if self.pid == 0:
            grow(inner, self.message, [stdin, stdout, stderr])
        inner.close()
        for descriptor in (stdin, stdout, stderr):
            os.close(descriptor)
        self.input = Input(ports["stdin"], stdin_end, self.message["stdin"])
        self.streams = [Stream(stdout_end, ports["stdout"]), Stream(stderr_end, ports["stderr"])]

    def until_dead(self) -> None:
        """Serve the first process, its questions and the host until nothing of the program lives.

        Each turn serves all that speak, so a program that asks without end cannot drown what the host says.
        """
        self.poll = select.poll()
        self.handlers = {self.channel.fileno(): self._hear, self.pidfd: self._died, self.control.descriptor: self._heed}
        for descriptor in self.handlers:
            self.poll.register(descriptor, select.POLLIN)
        looked = time.monotonic()
        while not self.dead and self.report is None and self.refused is None:
            for descriptor, events in self.poll.poll(TICK_MILLISECONDS):
                if events & select.POLLIN:
                    self.handlers[descriptor]()
                elif descriptor == self.notices.fileno():
                    self.poll.unregister(descriptor)  # nobody is left who could ask
            if time.monotonic() - looked >= TICK_MILLISECONDS / 1000:
                self._look()
                looked = time.monotonic()
        end_group()
        self.notices.close()
        self.channel.close()
        os.waitpid(self.pid, 0)

    def _hear(self) -> None:
        data, descriptors = kernel.receive(self.channel)
        kind = data[:1]
        if kind == b"R":
            self.folders = descriptors
            kernel.write(f"{GROUP}/cgroup.procs", b"%d" % self.pid)
            self.channel.send(b"1")
        elif kind == b"G":
            self.cpu_before = int(data[1:]) // 1000
            self.notices = notices.Notices(descriptors[0])
            self.handlers[descriptors[0]] = self.notices.answer
            self.poll.register(descriptors[0], select.POLLIN)
        elif kind == b"E":
            self.report = data
        elif kind == b"X":
            self.refused = data[1:]
        else:
            self.dead = True

    def _died(self) -> None:
        self.dead = True

    def _heed(self) -> None:
        kind, payload = self.control.receive()
        if kind == b"K":
            end_group()
        elif kind == b"C" and self.input is not None:
            self.input.end(int(payload))

    def _look(self) -> None:
        """Whether the private file system is full, or the processor time used up."""
        if self.folders:
            room = os.statvfs(f"/proc/self/fd/{self.folders[0]}")
            self.full = self.full or room.f_bfree == 0 or room.f_ffree == 0
        most = self.message["cpu_microseconds"]
        if most is not None and self.spent() > most:
            end_group()

    def spent(self) -> int:
        """Microseconds of processor time since the program began."""
        return max(0, (number("cpu.stat", "usage_usec") or 0) - self.cpu_before)

    def tell(self) -> None:
        """How it ended, and what it left."""
        numbers, *left = (self.report or b"E").split(b"\0")
        words = numbers.split()[1:]
        self._look()
        room = os.statvfs(f"/proc/self/fd/{self.folders[0]}") if self.folders else None
        self.control.send(b"E", json.dumps({
            "status": int(words[0]) if words else None, "cpu_microseconds": self.spent(),
            "memory_peak": number("memory.peak"), "processes_peak": number("pids.peak"),
            "oom_kills": number("memory.events", "oom_kill") or 0, "refusals": number("pids.events", "max") or 0,
            "read": int(words[3]) if words else None, "written": int(words[4]) if words else None,
            "stdout": self.streams[0].wait(), "stderr": self.streams[1].wait(), "full": self.full,
            "disk": (room.f_blocks - room.f_bfree) * room.f_frsize if room else 0,
            "left": [name.decode("utf-8", "backslashreplace") for name in left],
            "blocked": [[number, count] for (_, number), count in self.notices.calls.items()],
            "network": [[target.hex(), count] for target, count in self.notices.targets.items()],
            "network_omitted": self.notices.omitted,
        }).encode())
        guest_report.tell(self.control, self.message, self.folders)


def rehearse(payload: bytes) -> None:
    """Run an empty program to its end and tell nobody: what it needs is then in memory, and translated."""
    message = marshal.loads(payload)
    ours, theirs = _socket.socketpair()
    null = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
    make_group(message["group"])
    one = Run(guest_port.Control(ours.fileno()), message)
    one.begin({"stdin": null, "stdout": null, "stderr": null})
    one.until_dead()
    if one.refused is not None:
        raise OSError(one.refused.decode("utf-8", "replace"))
    one.tell()
    for descriptor in (null, one.pidfd, *one.folders):
        os.close(descriptor)
    ours.close()
    theirs.close()
    os.rmdir(GROUP)


def run(control: guest_port.Control, ports: dict[str, int], payload: bytes) -> None:
    """From a request to the last word about it."""
    message = marshal.loads(payload)
    if message["clock"] is not None:
        time.clock_settime_ns(time.CLOCK_REALTIME, message["clock"])
    make_group(message["group"])
    if message["order"]["workspace"]:
        guest_view.show_project()
    view.loopback_up()
    one = Run(control, message)
    one.begin(ports)
    one.until_dead()
    if one.refused is not None:
        control.send(b"X", one.refused)
    else:
        one.tell()
