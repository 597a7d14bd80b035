"""The restricted level: Landlock, a system-call filter and resource limits, for hosts that forbid namespaces.

What holds: a program reads only its language's files and its own private folder, and writes only the latter; it
makes no socket; it signals, traces and limits no process but its own; it has no capability and never host uid 0; its
whole tree dies with the run. What does not hold: it shares the host's process numbers, host name and file tree, so
it can learn that a path or a process exists; without control groups memory, processes and disk are counted many
times a second, not held by the kernel. ``docs/restricted.md`` has the whole table.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import fcntl
import itertools
import marshal
import os
import platform
import re
import resource
import socket
import stat
import subprocess
import tempfile
import threading
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from windtunnel.core.effects import Effects
from windtunnel.core.errors import IsolationUnavailable, SandboxFailure, UsageError
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Job
from windtunnel.core.result import Artifact, Command, ExecutionResult, Level, Reason, Usage
from windtunnel.sandbox import cgroups, harvest
from windtunnel.sandbox import seccomp as filters
from windtunnel.sandbox.bubblewrap import _EXIT, _exit_code, _reason
from windtunnel.sandbox.identity import HostUser
from windtunnel.sandbox.meter import GroupMeter, Meter, TreeMeter
from windtunnel.sandbox.request import rlimits
from windtunnel.sandbox.root import minimal_root
from windtunnel.sandbox.slot import remove_soon
from windtunnel.sandbox.stems import _base_python, _memory_file, landlock_version
from windtunnel.sandbox.syscalls import MACHINES
from windtunnel.spawn import Ending, Kept, Watched, start, supervise
from windtunnel.spawn.supervise import receive

_CONFINE = Path(__file__).with_name("confine.py")
_SHARED_PLACE = "/tmp"  # noqa: S108 -- a fresh 0700 folder is made below it
_SANDBOX, _TMP = "/sandbox", "/tmp"  # noqa: S108 -- names that programs know
_PLACE = re.compile(r"^(@|-[^/=]*=)?(/(?:sandbox|tmp))(?=/|$)")
"""A path as programs know it, also as ``@/tmp/arguments`` and ``--option=/tmp/value``."""
_NAME = re.compile(r"windtunnel-(\d+)-(\d+)-\w+")
_READY_SECONDS, _END_SECONDS = 20.0, 3.0
_NEWEST_LANDLOCK, _SCOPED_LANDLOCK = 7, 6
_ROOT_NEEDS = 0b11101011
"""CAP_CHOWN, DAC_OVERRIDE, FOWNER, KILL, SETGID and SETUID, by which root becomes a throw-away user."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What this kernel offers."""

    landlock: int
    """The version; zero for none."""
    seccomp: bool
    machine: str
    children: bool = True
    """Whether /proc lists the children of a process."""


def facts() -> Facts:
    """Ask the kernel."""
    import ctypes  # noqa: PLC0415 -- slow to import, and needed once

    libc = ctypes.CDLL(None, use_errno=True)
    machine = platform.machine()
    notify = ctypes.c_uint32(filters.NOTIFY)
    seccomp = machine in MACHINES and not libc.syscall(
        MACHINES[machine].numbers["seccomp"], 2, 0, ctypes.byref(notify))
    children = Path(f"/proc/self/task/{threading.get_native_id()}/children").exists()
    return Facts(landlock=landlock_version(), seccomp=seccomp, machine=machine, children=children)


class Restricted:
    """Runs jobs at the restricted level, one cold start each; safe from many threads, and again in a forked child.

    ``landlock``, ``seccomp`` and ``groups`` take a wall away, for tests that show what it is good for.
    """

    level = Level.RESTRICTED

    def __init__(
        self, *, facts: Facts | None = None, landlock: bool = True, seccomp: bool = True, groups: bool = True,
    ) -> None:
        """Remove what dead supervisors left; nothing is started before the first run."""
        self._facts, self._landlock, self._seccomp, self._use_groups = facts, landlock, seccomp, groups
        self._begin()
        for parent in {_SHARED_PLACE, _own_place()}:
            sweep(parent)
        atexit.register(_close, weakref.ref(self))

    def _begin(self) -> None:
        self._pid = os.getpid()
        self._idle = threading.Condition()
        self._running = 0
        self._closing = threading.Event()
        self._groups: cgroups.Groups | None = None
        self._probed = False

    def run(self, job: Job) -> ExecutionResult:
        """Run one job to its end; when this returns, nothing of it lives."""
        if os.getpid() != self._pid:
            self._begin()
        _refuse(job)
        known = self._known()
        with self._counted(), _throw_away() as uid, Private(uid) as private, self._group(job.limits) as group:
            private.place(job.command)
            request = _request(job, private, uid=uid, grouped=group is not None)
            request |= self._walls(known)
            with Tree(request, group) as tree:
                return self._watch_over(job, tree, private=private, uid=uid)

    def _known(self) -> Facts:
        """What the kernel offers, or a refusal that says what would do."""
        known = self._facts = self._facts or facts()
        if self._landlock and not known.landlock:
            raise IsolationUnavailable(
                "this kernel has no Landlock, which the restricted level stands on (take Linux 5.13 or newer with "
                "landlock in /sys/kernel/security/lsm, and a container runtime that allows landlock_* calls)")
        if self._seccomp and not known.seccomp:
            raise IsolationUnavailable(
                f"this kernel has no system call filter with a listener for {known.machine} (take Linux 5.5 or newer "
                "with CONFIG_SECCOMP_FILTER, on x86_64 or aarch64)")
        if not known.children:
            raise IsolationUnavailable(
                "/proc does not list the children of a process, so a run could not be ended as a whole "
                "(take a kernel with CONFIG_PROC_CHILDREN)")
        return known

    def _walls(self, known: Facts) -> dict[str, Any]:
        version = min(known.landlock, _NEWEST_LANDLOCK) if self._landlock else 0
        walls: dict[str, Any] = {"landlock": version, "filter": b"", "plain": b"", "brokered": {}}
        if self._seccomp:
            variant = filters.UNSCOPED if self._landlock and version < _SCOPED_LANDLOCK else filters.RESTRICTED
            numbers = MACHINES[known.machine].numbers
            walls["filter"] = filters.load(known.machine, watch=False, variant=variant)
            walls["plain"] = filters.load(known.machine, watch=False)
            walls["brokered"] = {numbers[name]: name for name in filters.BROKERED if name in numbers}
        return walls

    def _watch_over(self, job: Job, tree: Tree, *, private: Private, uid: int | None) -> ExecutionResult:
        limits, spill = job.limits, Path(job.spill) if job.spill else None
        # The meter adds the blocks of the private file system; here that is the host's, so it gets one without any.
        with _descriptor("/proc", os.O_PATH) as nothing:
            meter = GroupMeter(tree.group, limits) if tree.group else TreeMeter(tree.init, limits, nothing)
            disk = DiskMeter(private, limits)

            def tick() -> Reason | None:
                if self._closing.is_set():
                    return Reason.CANCELLED
                return meter.over() or _too_many(meter, limits) or disk.over()

            watched = Watched(
                channel=tree.channel, pidfd=tree.pidfd, stdin=tree.stdin, stdout=tree.stdout, stderr=tree.stderr,
                kept_out=Kept(limits.output_bytes, sink=job.on_stdout, spill=spill and spill / "stdout"),
                kept_err=Kept(limits.output_bytes, sink=job.on_stderr, spill=spill and spill / "stderr"),
                wall_seconds=limits.wall_seconds, tick=tick, input=job.command.stdin, live_input=job.stdin)
            tree.stdin = tree.stdout = tree.stderr = -1
            ending = supervise(watched)
            tree.end()
        usage, reason, code = _accounts(limits, ending, meter=meter, disk=disk)
        files, omitted = harvest.survey(private.shown(sandbox=not job.read_only))
        return ExecutionResult(
            exit_code=_EXIT.get(reason, code), reason=reason, stdout_bytes=watched.kept_out.value(),
            stderr_bytes=watched.kept_err.value(), stdout_dropped=watched.kept_out.dropped,
            stderr_dropped=watched.kept_err.dropped, execution_time=ending.wall_seconds, language=job.language.name,
            level=self.level, limits=limits, enforced=self._enforced(limits, tree, uid=uid), usage=usage,
            artifacts=private.artifacts(job.command, most_bytes=limits.disk_bytes),
            effects=Effects(files=files, files_omitted=omitted, processes_left=ending.left,
                            watched=("files", "processes")))

    def _enforced(self, limits: Limits, tree: Tree, *, uid: int | None) -> dict[str, str]:
        by = f"cgroup v{tree.group.version}" if tree.group else None
        version = tree.request["landlock"]
        inside = "" if uid is not None or os.geteuid() else ", an ordinary user outside this user namespace"
        held = {"host user": f"uid {os.geteuid() if uid is None else uid}{inside}", "capabilities": "none",
                "no new privileges": "yes", "wall time": "supervisor", "output": "supervisor", "open files": "rlimit",
                "memory": by or "supervisor", "disk": "supervisor and rlimit", "files": "supervisor",
                "processes": by or ("rlimit of a throw-away user" if uid is not None else "supervisor")}
        if version:
            held |= {"landlock": f"version {version}", "root": "the host's, read-only, minimal paths by landlock"}
        if tree.request["filter"]:
            held |= {"system calls": "allow-list", "network": "none, by system call filter"}
        if version >= _SCOPED_LANDLOCK:
            held["signals"] = "landlock scope"
        elif version and tree.request["filter"]:
            held["signals"] = "all refused, by system call filter"
        if by:
            held |= {"cores": by, "cpu weight": by, "swap": by}
        if limits.cpu_seconds is not None:
            held["cpu time"] = by or "supervisor and rlimit"
        return held

    @contextlib.contextmanager
    def _group(self, limits: Limits) -> Iterator[cgroups.Group | None]:
        with self._idle:
            if not self._probed:
                self._groups = cgroups.find() if self._use_groups else None
                self._probed = True
            groups = self._groups
        if groups is None:
            yield None
            return
        group = groups.make()
        try:
            group.apply(limits)
            yield group
        finally:
            remove_soon(group, seconds=_END_SECONDS)

    @contextlib.contextmanager
    def _counted(self) -> Iterator[None]:
        with self._idle:
            self._running += 1
        try:
            yield
        finally:
            with self._idle:
                self._running -= 1
                self._idle.notify_all()

    def close(self) -> None:
        """Cancel the runs under way and return when they are gone; the next run begins anew."""
        if os.getpid() != self._pid:
            return
        self._closing.set()
        with self._idle:
            self._idle.wait_for(lambda: not self._running, timeout=_READY_SECONDS)
        if self._groups is not None:
            self._groups.close()
        self._begin()


def _close(reference: weakref.ref[Restricted]) -> None:
    sandbox = reference()
    if sandbox is not None:
        sandbox.close()


# --- one run's processes ---


class Tree:
    """The guard, init and all below it (see ``confine.py``); on the way out of ``with`` none of them lives."""

    def __init__(self, request: Mapping[str, Any], group: cgroups.Group | None) -> None:
        """Start the guard and wait until it has named init."""
        self.request, self.group = dict(request), group
        self.channel, inner = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._said, output = os.pipe()
        (stdin, self.stdin), (self.stdout, stdout), (self.stderr, stderr) = os.pipe(), os.pipe(), os.pipe()
        self.pidfd, self.init = -1, -1
        for descriptor in (stdin, stdout, stderr) if request["uid"] is not None else ():
            os.fchown(descriptor, request["uid"], request["uid"])  # or /dev/stdout could not be opened
        given = [stdin, stdout, stderr, *(group.entrances() if group else [])]
        self.request |= {"supervisor": os.getpid(), "channel": inner.fileno(), "stdio": given[:3], "groups": given[3:]}
        given.append(_memory_file(marshal.dumps(self.request)))
        try:
            self._guard: subprocess.Popen[bytes] = start(
                [_base_python(), "-I", "-S", str(_CONFINE), str(given[-1])], pass_fds=[inner.fileno(), *given],
                output=output, env={})
        except BaseException:
            self._close()
            raise
        finally:
            inner.close()
            for descriptor in (output, *given):
                os.close(descriptor)

    def __enter__(self) -> Self:
        """Hear who init is, or why there is none."""
        try:
            self._hear()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _hear(self) -> None:
        self.channel.settimeout(_READY_SECONDS)
        try:
            data, descriptors = receive(self.channel)
        except TimeoutError as error:
            raise SandboxFailure("a sandbox was not ready within 20 seconds; is the machine overloaded?") from error
        if data[:1] != b"P":
            raise SandboxFailure(f"the sandbox could not be built: {self._complaint(data)}")
        (self.pidfd,), self.init = descriptors, int(data[1:])
        self.channel.settimeout(None)

    def _complaint(self, data: bytes) -> str:
        if data[:1] == b"X":
            return data[1:].decode("utf-8", "replace")
        self.end()
        os.set_blocking(self._said, False)
        with contextlib.suppress(BlockingIOError):
            return os.read(self._said, 4096).decode("utf-8", "replace").strip() or "it ended before it was ready"
        return "it ended before it was ready"

    def end(self) -> None:
        """Return when nothing of the run lives; the guard takes the closed channel as its word to end all."""
        self.channel.close()
        try:
            self._guard.wait(timeout=_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._guard.kill()
            self._guard.wait()
            raise SandboxFailure("processes of a run did not end within 3 seconds of being killed") from None
        finally:
            self._kill_members()

    def _kill_members(self) -> None:
        """Whoever is still in the control group, should both guard and init have been killed by others."""
        for folder in set(self.group.folders.values()) if self.group else ():
            for pid in set((folder / "cgroup.procs").read_text().split()) - {"0"}:  # zero would mean ourselves
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), 9)

    def __exit__(self, *_: object) -> None:
        """End it, if it has not ended."""
        try:
            self.end()
        finally:
            self._close()

    def _close(self) -> None:
        self.channel.close()
        for descriptor in (self.pidfd, self._said, self.stdin, self.stdout, self.stderr):
            if descriptor >= 0:
                os.close(descriptor)
        self.pidfd = self._said = self.stdin = self.stdout = self.stderr = -1


# --- one run's folder ---


class Private:
    """The folder that stands in for the sandbox's file system: ``sandbox`` and ``tmp`` below one of its own.

    Its name carries our process number and start time, and we hold a lock on it, which the kernel lets go when we die.
    """

    def __init__(self, uid: int | None) -> None:
        """Make it; with a throw-away user the two folders are that user's, and nobody else's."""
        self._uid = uid
        parent = _SHARED_PLACE if uid is not None else _own_place()
        prefix = f"windtunnel-{os.getpid()}-{cgroups.start_time(os.getpid())}-"
        self.path = os.path.realpath(tempfile.mkdtemp(prefix=prefix, dir=parent))
        self.sandbox, self.tmp = self.path + _SANDBOX, self.path + _TMP
        self._lock = os.open(self.path, _FOLDER)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        if uid is not None:
            os.fchmod(self._lock, 0o711)
        self._open: dict[str, int] = {}
        for name, path in ((_TMP, self.tmp), (_SANDBOX, self.sandbox)):
            self._folder(path)
            self._open[name] = os.open(path, _FOLDER)

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove it with all that is in it."""
        for descriptor in self._open.values():
            os.close(descriptor)
        try:
            _clear(self._lock)
            os.rmdir(self.path)  # noqa: PTH106
        finally:
            os.close(self._lock)

    def located(self, text: str) -> str:
        """A path of the sandbox, or a search path of such, as it is here; anything else as it is."""
        return ":".join(_PLACE.sub(lambda match: f"{match[1] or ''}{self.path}{match[2]}", part)
                        for part in text.split(":"))

    def place(self, command: Command) -> None:
        """Put the files below ``sandbox``; refuse names that lead elsewhere."""
        made = {self.sandbox}
        for name, data in command.files.items():
            steps = name.split("/")
            if not all(steps) or {".", ".."} & set(steps) or "\0" in name:
                raise UsageError(f"files: not a relative path: {name[:200]!r} (try src/main.py)", field="files")
            for depth in range(1, len(steps)):
                folder = "/".join([self.sandbox, *steps[:depth]])
                if folder not in made:
                    self._folder(folder)
                    made.add(folder)
            self._file(f"{self.sandbox}/{name}", data, executable=name in command.executables)
        if command.build:
            self._folder(f"{self.tmp}/build")

    def _folder(self, path: str) -> None:
        os.mkdir(path, 0o700)  # noqa: PTH102
        if self._uid is not None:
            os.chown(path, self._uid, self._uid)

    def _file(self, path: str, data: bytes, *, executable: bool) -> None:
        with Path(path).open("xb") as file:
            file.write(data)
            os.fchmod(file.fileno(), 0o555 if executable else 0o444)
            if self._uid is not None:
                os.fchown(file.fileno(), self._uid, self._uid)

    def shown(self, *, sandbox: bool) -> dict[str, int]:
        """The writable folders by the name the program knows, as descriptors."""
        return {name: folder for name, folder in self._open.items() if sandbox or name != _SANDBOX}

    def artifacts(self, command: Command, *, most_bytes: int) -> dict[str, Artifact]:
        """What the command asked to read back."""
        name = "build" if command.build else command.collect
        return harvest.read_tree(self._open[_TMP], name, most_bytes=most_bytes) if name else {}

    def measure(self, most_entries: int) -> tuple[int, int]:
        """Bytes on disk and entries; counting stops above ``most_entries``, and what cannot be opened is left out."""
        size, entries, pending = 0, 0, ["sandbox", "tmp"]
        while pending and entries <= most_entries:
            below = pending.pop()
            try:
                folder = os.open(below, _FOLDER, dir_fd=self._lock)
            except OSError as error:
                if error.errno == errno.ENAMETOOLONG:
                    return size, most_entries + 1  # so deep that nobody could count it
                continue
            try:
                with os.scandir(folder) as found:
                    for entry in found:
                        info = os.stat(entry.name, dir_fd=folder, follow_symlinks=False)
                        size, entries = size + info.st_blocks * 512, entries + 1
                        if stat.S_ISDIR(info.st_mode):
                            pending.append(f"{below}/{entry.name}")
            except OSError:
                continue
            finally:
                os.close(folder)
        return size, entries


def _clear(top: int) -> None:
    """Empty a folder however deep it is and whatever its modes are.

    Each folder found is moved up to the top, so there are never more than two levels to hold open.
    """
    moved = itertools.count()
    while names := os.listdir(top):
        for name in names:
            with _opened(top, name) as folder:
                for below in os.listdir(folder) if folder >= 0 else ():  # noqa: PTH208 -- by descriptor
                    with _opened(folder, below) as deeper:
                        if deeper >= 0:
                            os.rename(below, f"moved-{next(moved)}", src_dir_fd=folder, dst_dir_fd=top)
                        else:
                            os.unlink(below, dir_fd=folder)
            (os.rmdir if folder >= 0 else os.unlink)(name, dir_fd=top)


@contextlib.contextmanager
def _opened(parent: int, name: str) -> Iterator[int]:
    """A folder, made readable; -1 for anything else. Never follows a link."""
    path = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    try:
        if not stat.S_ISDIR(os.fstat(path).st_mode):
            yield -1
            return
        os.chmod(f"/proc/self/fd/{path}", 0o700)  # noqa: PTH101
        with _descriptor(f"/proc/self/fd/{path}", os.O_RDONLY) as folder:
            yield folder
    finally:
        os.close(path)


@contextlib.contextmanager
def _descriptor(path: str, flags: int) -> Iterator[int]:
    descriptor = os.open(path, flags | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def sweep(parent: str) -> None:
    """Remove the folders of supervisors that are gone: another start time, our own user's, and no lock held."""
    with contextlib.suppress(OSError):
        for name in os.listdir(parent):  # noqa: PTH208
            match = _NAME.fullmatch(name)
            if match is None or cgroups.start_time(int(match[1])) == int(match[2]):
                continue
            with contextlib.suppress(OSError), _descriptor(f"{parent}/{name}", _FOLDER) as folder:
                if os.fstat(folder).st_uid == os.geteuid():
                    fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    _clear(folder)
                    os.rmdir(f"{parent}/{name}")  # noqa: PTH106


def _own_place() -> str:
    """Where an ordinary user's folders go."""
    own = os.environ.get("XDG_RUNTIME_DIR", "")
    return own if own.startswith("/") and os.access(own, os.W_OK | os.X_OK) else _SHARED_PLACE


# --- accounts ---


class DiskMeter:
    """Counts the private folder, never more than a quarter of the time."""

    def __init__(self, private: Private, limits: Limits) -> None:
        """Nothing is counted yet."""
        self.private, self.limits = private, limits
        self.used, self.full, self._next = 0, False, 0.0

    def over(self) -> Reason | None:
        """Count, unless the last count was too recent for what it took."""
        if time.monotonic() < self._next:
            return None
        return Reason.OUT_OF_DISK if self.look(more=True) else None

    def look(self, *, more: bool = False) -> bool:
        """Count now; whether the limit is reached, or with ``more`` passed."""
        begun = time.monotonic()
        self.used, entries = self.private.measure(self.limits.files)
        self._next = begun + 4 * (time.monotonic() - begun)
        self.full = self.full or self.used >= self.limits.disk_bytes or entries >= self.limits.files
        return self.used > self.limits.disk_bytes or entries > self.limits.files if more else self.full


def _too_many(meter: Meter, limits: Limits) -> Reason | None:
    """The tree's meter only notes a process limit that is reached; here nothing else may hold it."""
    over = isinstance(meter, TreeMeter) and meter.processes_peak > limits.processes
    return Reason.TOO_MANY_PROCESSES if over else None


def _accounts(limits: Limits, ending: Ending, *, meter: Meter, disk: DiskMeter) -> tuple[Usage, Reason, int]:
    """What was used, why it ended, and the program's own exit code."""
    disk.look()
    usage, met = meter.final()
    if isinstance(meter, TreeMeter):
        usage = replace(usage, cpu_seconds=max(usage.cpu_seconds or 0.0, ending.cpu_seconds or 0.0),
                        memory_peak_bytes=max(usage.memory_peak_bytes or 0, ending.memory_peak_bytes or 0))
    code = _exit_code(ending.status)
    reason = _reason(ending, code=code, met=met, full=disk.full, limits=limits, cpu=usage.cpu_seconds)
    return replace(usage, disk_bytes=disk.used), reason, code


# --- the request ---


def _refuse(job: Job) -> None:
    if job.network.host or job.network.allow_hosts:
        raise UsageError("network: the restricted level has none (run without, or at the process level)",
                         field="network")
    if job.command.workspace:
        raise UsageError("workspace: the restricted level cannot show one copy-on-write (take the process level)",
                         field="workspace")


@contextlib.contextmanager
def _throw_away() -> Iterator[int | None]:
    """The user that a root caller's program runs as; None for a caller who is not root."""
    if os.geteuid() != 0 or not (outside := _outside_root()):
        yield None
        return
    user = HostUser()
    try:
        if not any(first <= user.uid < first + count for first, _, count in outside):
            raise IsolationUnavailable(f"uid {user.uid} does not exist in this user namespace, and programs never run "
                                       "as root (map more users, or start as an ordinary one)")
        yield user.uid
    finally:
        user.release()


def _outside_root() -> list[tuple[int, ...]]:
    """The map of user ids where uid 0 is root; empty where it is an ordinary user seen from inside a namespace."""
    lines = [tuple(map(int, line.split())) for line in Path("/proc/self/uid_map").read_text().splitlines()]
    if len(lines) == 1 and lines[0][2] == 1 and lines[0][1] != 0:
        return []
    status = Path("/proc/self/status").read_text()
    held = int(re.findall(r"CapEff:\s*([0-9a-f]+)", status)[0], 16)
    if held & _ROOT_NEEDS != _ROOT_NEEDS:
        raise IsolationUnavailable(
            "root without the capabilities to become another user, and programs never run as root "
            "(start as an ordinary user, or with CHOWN, DAC_OVERRIDE, FOWNER, KILL, SETGID and SETUID)")
    return lines


def _request(job: Job, private: Private, *, uid: int | None, grouped: bool) -> dict[str, Any]:
    """What ``confine.py`` must know, all paths as they are on the host."""
    command = job.command
    # Some libraries take a refused settings file for an error, where they would go on without a missing one.
    env = {"HOME": private.tmp, "TMPDIR": private.tmp, "OPENSSL_CONF": "/dev/null"}
    env |= {name: private.located(value) for name, value in command.env.items()}
    root = minimal_root(job.toolchain.paths, host_network=False, certificates=False)
    read = [source for source, _ in root.binds]
    return {
        "uid": uid, "folder": private.path, "env": env, "cwd": private.located(command.cwd),
        "argv": [private.located(part) for part in command.argv],
        "read": [*read, *([private.sandbox] if job.read_only else [])],
        "write": [private.tmp, *([] if job.read_only else [private.sandbox])],
        "limits": _limits(job.limits, uid=uid, grouped=grouped),
    }


def _limits(limits: Limits, *, uid: int | None, grouped: bool) -> Sequence[tuple[int, int]]:
    """Per-process limits; that on processes counts all of a user's, so it is close only for a throw-away one."""
    kept = [pair for pair in rlimits(limits, grouped=grouped) if pair[0] != resource.RLIMIT_NPROC]
    if uid is not None:
        return [*kept, (resource.RLIMIT_NPROC, limits.processes + (64 if grouped else 2))]
    everyone = int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])
    return [*kept, (resource.RLIMIT_NPROC, everyone + limits.processes)]
