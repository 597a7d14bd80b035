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
import os
import platform
import re
import resource
import threading
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from windtunnel.core.effects import Effects
from windtunnel.core.errors import IsolationUnavailable, UsageError
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Job
from windtunnel.core.result import ExecutionResult, Level, Reason, Usage
from windtunnel.sandbox import cgroups, harvest
from windtunnel.sandbox import seccomp as filters
from windtunnel.sandbox.ending import EXIT, at_least, exit_code, reason
from windtunnel.sandbox.identity import HostUser
from windtunnel.sandbox.meter import GroupMeter, Meter, TreeMeter
from windtunnel.sandbox.outside.elsewhere import refuse_outside
from windtunnel.sandbox.private import SHARED_PLACE, DiskMeter, Private, own_place, sweep
from windtunnel.sandbox.request import rlimits
from windtunnel.sandbox.root import minimal_root
from windtunnel.sandbox.shortfalls import shortfalls
from windtunnel.sandbox.slot import remove_soon
from windtunnel.sandbox.stems import landlock_version
from windtunnel.sandbox.syscalls import MACHINES
from windtunnel.sandbox.tree import Tree
from windtunnel.spawn import Ending, Kept, Watched, supervise

_CLOSE_SECONDS, _REMOVE_SECONDS = 20.0, 3.0
_NEWEST_LANDLOCK, _SCOPED_LANDLOCK = 7, 6
_ROOT_NEEDS = 0b11101011
"""CAP_CHOWN, DAC_OVERRIDE, FOWNER, KILL, SETGID and SETUID, by which root becomes a throw-away user."""


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
        for parent in {SHARED_PLACE, own_place()}:
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

    def known_exceptions(self) -> dict[str, str]:
        """Rows of the self-check that this level does not hold on this machine, with their reasons."""
        version = self._known().landlock if self._landlock else 0
        with _throw_away() as uid:
            return shortfalls(
                landlock=version, grouped=self._found_groups() is not None, throw_away=uid is not None)

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
        meter = GroupMeter(tree.group, limits) if tree.group else TreeMeter(tree.init, limits)
        disk = DiskMeter(private, limits)

        def tick() -> Reason | None:
            if self._closing.is_set() or (job.stop is not None and job.stop()):
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
        usage, why, code = _accounts(limits, ending, meter=meter, disk=disk)
        files, omitted = harvest.survey(private.shown(sandbox=not job.read_only))
        return ExecutionResult(
            exit_code=EXIT.get(why, code), reason=why, stdout_bytes=watched.kept_out.value(),
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

    def _found_groups(self) -> cgroups.Groups | None:
        with self._idle:
            if not self._probed:
                self._groups = cgroups.find() if self._use_groups else None
                self._probed = True
            return self._groups

    @contextlib.contextmanager
    def _group(self, limits: Limits) -> Iterator[cgroups.Group | None]:
        groups = self._found_groups()
        if groups is None:
            yield None
            return
        group = groups.make()
        try:
            group.apply(limits)
            yield group
        finally:
            remove_soon(group, seconds=_REMOVE_SECONDS)

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
            self._idle.wait_for(lambda: not self._running, timeout=_CLOSE_SECONDS)
        if self._groups is not None:
            self._groups.close()
        self._begin()


def _close(reference: weakref.ref[Restricted]) -> None:
    sandbox = reference()
    if sandbox is not None:
        sandbox.close()


# --- accounts ---


def _too_many(meter: Meter, limits: Limits) -> Reason | None:
    """The tree's meter only notes a process limit that is reached; here nothing else may hold it."""
    over = isinstance(meter, TreeMeter) and meter.processes_peak > limits.processes
    return Reason.TOO_MANY_PROCESSES if over else None


def _accounts(limits: Limits, ending: Ending, *, meter: Meter, disk: DiskMeter) -> tuple[Usage, Reason, int]:
    """What was used, why it ended, and the program's own exit code."""
    disk.look()
    usage, met = meter.final()
    if isinstance(meter, TreeMeter):
        usage = at_least(usage, ending)
    code = exit_code(ending.status)
    why = reason(ending, code=code, met=met, full=disk.full, limits=limits, cpu=usage.cpu_seconds)
    return replace(usage, disk_bytes=disk.used), why, code


# --- the request ---


def _refuse(job: Job) -> None:
    refuse_outside(job, level=Level.RESTRICTED)
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
    """What ``inside/confine.py`` must know, all paths as they are on the host."""
    command = job.command
    # Some libraries take a refused settings file for an error, where they would go on without a missing one.
    env = {"HOME": private.tmp, "TMPDIR": private.tmp, "OPENSSL_CONF": "/dev/null"}
    tools = (*job.toolchain.paths, job.toolchain.run[0])
    env |= {name: private.located(value, tools=tools) for name, value in command.env.items()}
    root = minimal_root(job.toolchain.paths, host_network=False, certificates=False)
    read = [source for source, _ in root.binds]
    return {
        "uid": uid, "folder": private.path, "env": env, "cwd": private.located(command.cwd),
        "argv": [private.located(part, tools=tools) for part in command.argv],
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
