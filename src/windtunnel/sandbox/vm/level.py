"""The vm level: every run in a machine of its own, with its own kernel, restored from a snapshot and thrown away.

What holds: a program that takes over its kernel is still inside a machine without network, whose disks are read-only
and whose QEMU runs as nobody behind bubblewrap; it dies as a whole when we say so or die ourselves. What does not hold:
what the guest tells of a run (exit status, use, files) is as true as the guest's kernel is whole; where there is no
KVM, programs run many times slower.
"""

from __future__ import annotations

import atexit
import marshal
import os
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from windtunnel.core.effects import Effects
from windtunnel.core.errors import SandboxFailure
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Job
from windtunnel.core.result import ExecutionResult, Level, Reason, Usage
from windtunnel.sandbox import cgroups
from windtunnel.sandbox.ending import EXIT, exit_code, reason
from windtunnel.sandbox.vm.accelerator import EMULATION, Accelerator, find_accelerator
from windtunnel.sandbox.vm.arguments import Hardware
from windtunnel.sandbox.vm.cache import Cache
from windtunnel.sandbox.vm.confine import find_bubblewrap, find_program
from windtunnel.sandbox.vm.course import Course, Left
from windtunnel.sandbox.vm.disks import Roots, empty_disk, project_disk
from windtunnel.sandbox.vm.frames import Told
from windtunnel.sandbox.vm.initramfs import initramfs
from windtunnel.sandbox.vm.kernel import find_kernel
from windtunnel.sandbox.vm.machine import Machine, Parts
from windtunnel.sandbox.vm.pool import Pool
from windtunnel.sandbox.vm.request import (
    check,
    hardware_for,
    host_limits,
    message_for,
    rehearsal_for,
    toolchain_paths,
)
from windtunnel.sandbox.vm.snapshot import snapshot
from windtunnel.spawn import Ending

_TRIAL_SECONDS = 15.0


_UNSEEN = ("F06", "F07", "F08", "F13", "N07", "N08", "K10", "K13", "K14", "K16", "R05", "R06", "R07", "R17")
_BLIND = "the row is judged by looking at the program's process on the host, where a machine shows none"
HASTY = ("R01", "R02", "R12", "R13", "R15")
"""Rows with little time, decided by how fast the host emulates another machine."""
_SLOW = "emulated, the program may not be under way before the row's short time is up; given time, it is held"
_EMULATED_PATIENCE = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What machines that can stand in for each other have in common."""

    parts: Parts
    hardware: Hardware
    rehearsal: bytes
    """The empty program that each of them runs first."""


class VirtualMachine:
    """Runs jobs at the vm level; safe to use from many threads, and again in a forked child."""

    level = Level.VM

    def __init__(
        self, *, cache_dir: Path | str, pool_size: int = 1, snapshots: bool = True, groups: bool = True,
        program: Callable[[], str] = find_program, accelerator: Accelerator | None = None,
    ) -> None:
        """Nothing is started before the first run; without ``snapshots`` every machine boots from its kernel."""
        self.pool_size = pool_size
        self._cache = Cache(Path(cache_dir).absolute())
        self._snapshots, self._use_groups = snapshots, groups
        self._program, self._accelerator = program, accelerator
        self._begin()
        atexit.register(_close, weakref.ref(self))

    def _begin(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._base: tuple[str, Path, Path] | None = None
        self._roots = Roots(self._cache)
        self._groups: cgroups.Groups | None = None
        self._probed = False
        self._running: set[Machine] = set()
        self._cancelled: set[Machine] = set()
        self._pool: Pool[Kind, Machine] = Pool(self.pool_size, self._start_waiting)

    # --- the run ---

    def run(self, job: Job) -> ExecutionResult:
        """Run one job to its end, in a machine that nobody used before and nobody will use again."""
        check(job)
        if os.getpid() != self._pid:
            self._start_over()
        kind = self.kind_of(job)
        machine = self._pool.take(kind) if job.warm and self.pool_size else None
        warm = machine is not None
        machine = machine or self.start(kind)
        course = Course(machine, job)
        with self._lock:
            self._running.add(machine)
        try:
            if machine.group is not None:
                machine.group.apply(host_limits(job.limits, kind.hardware))
            ending = course.run()
            left = course.collect() if course.told is not None else Left()
            return self._result(job, course, ending, left=left, warm=warm)
        finally:
            with self._lock:
                self._running.discard(machine)
                self._cancelled.discard(machine)
            machine.discard()
            course.join()
            self._pool.refill(kind)

    def warm_up(self, job: Job) -> None:
        """Have machines of this job's kind waiting before it comes."""
        check(job)
        self._pool.refill(self.kind_of(job))
        self._pool.flush()

    def _result(
        self, job: Job, course: Course, ending: Ending, *, left: Left, warm: bool,
    ) -> ExecutionResult:
        told = course.told
        if told is None and ending.reason is Reason.KILLED:
            ending = self._killed(course.machine, ending)
        usage = _usage(told)
        met = None if told is None else (
            Reason.OUT_OF_MEMORY if told.oom_kills else Reason.TOO_MANY_PROCESSES if told.refusals else None)
        code = exit_code(ending.status)
        why = reason(ending, code=code, met=met, full=told is not None and told.full, limits=job.limits,
                     cpu=usage.cpu_seconds)
        return ExecutionResult(
            exit_code=EXIT.get(why, code), reason=why, stdout_bytes=course.kept_out.value(),
            stderr_bytes=course.kept_err.value(), stdout_dropped=course.kept_out.dropped,
            stderr_dropped=course.kept_err.dropped, execution_time=ending.wall_seconds, language=job.language.name,
            level=self.level, limits=job.limits, usage=usage, warm=warm, enforced=self._enforced(job, course.machine),
            artifacts=left.artifacts, layer=left.layer,
            effects=_effects(told, left))

    def _killed(self, machine: Machine, ending: Ending) -> Ending:
        """A machine that ended by itself is our failure, unless we were told to end it."""
        if machine in self._cancelled:
            return Ending(status=None, reason=Reason.CANCELLED, wall_seconds=ending.wall_seconds)
        raise SandboxFailure(f"the machine ended during the run: {machine.last_words()}")

    def _enforced(self, job: Job, machine: Machine) -> dict[str, str]:
        inside, group = "guest cgroup v2", machine.group
        by_host = f"cgroup v{group.version}" if group is not None else None
        held = {
            "machine": f"own kernel, {self.accelerator().told}", "network": "none, no device",
            "root": "minimal, read-only disk", "host user": f"uid {machine.user.uid}",
            "machine monitor": "bubblewrap, system-call filter" + (f", {by_host}" if by_host else ""),
            "capabilities": "none", "no new privileges": "yes", "system calls": "allow-list",
            "memory": inside, "processes": inside, "cores": inside, "swap": "none in the guest",
            "wall time": "supervisor", "disk": "tmpfs size", "files": "tmpfs inodes", "open files": "rlimit",
            "output": "supervisor"}
        if by_host and group is not None and "cpu" in group.folders:
            held["cpu weight"] = by_host
        if job.command.workspace:
            held["workspace"] = "copy-on-write over a read-only disk"
        if job.limits.cpu_seconds is not None:
            held["cpu time"] = inside
        return held

    # --- machines ---

    def ready(self) -> str:
        """What a machine is made of here, found without starting one; IsolationUnavailable says what is missing."""
        program, kernel, _ = self._basis()
        return f"{program} with {kernel.parent.name if kernel.name == 'vmlinuz' else kernel.name}"

    def kind_of(self, job: Job) -> Kind:
        """The machine that a job needs, its disks made."""
        program, kernel, archive = self._basis()
        root = self._roots.disk(toolchain_paths(job))
        workspace = job.command.workspace
        project = project_disk(self._cache, workspace) if workspace else empty_disk(self._cache)
        hardware = hardware_for(job.limits, accelerator=self.accelerator().name, processors=os.cpu_count() or 1)
        return Kind(parts=Parts(program=program, kernel=kernel, initramfs=archive, root=root, project=project),
                    hardware=hardware, rehearsal=marshal.dumps(message_for(rehearsal_for(job))))

    def start(self, kind: Kind) -> Machine:
        """A machine that waits for a program: restored where there are snapshots, else booted."""
        state = snapshot(self._cache, kind.parts, kind.hardware, rehearsal=kind.rehearsal) if self._snapshots else None
        machine = Machine(kind.parts, kind.hardware, state=state, group=self._group(kind.hardware))
        try:
            if state is None:
                machine.hello()
            machine.renew()
        except BaseException:
            machine.discard()
            raise
        return machine

    def _start_waiting(self, kind: Kind) -> Machine:
        """One that has rehearsed since it was restored, because what is translated is not part of a snapshot."""
        machine = self.start(kind)
        try:
            machine.rehearse(kind.rehearsal)
        except BaseException:
            machine.discard()
            raise
        return machine

    def accelerator(self) -> Accelerator:
        """What executes the guests, tried once."""
        with self._lock:
            if self._accelerator is None:
                self._accelerator = find_accelerator(self._try_kvm)
            return self._accelerator

    def _try_kvm(self) -> None:
        program, kernel, archive = self._basis()
        root = self._roots.disk(())
        machine = Machine(
            Parts(program=program, kernel=kernel, initramfs=archive, root=root, project=empty_disk(self._cache)),
            Hardware(memory_mib=512, processors=1, accelerator="kvm"))
        try:
            machine.hello(seconds=_TRIAL_SECONDS)
        finally:
            machine.discard()

    def _basis(self) -> tuple[str, Path, Path]:
        """QEMU, the kernel and the first file system: found or made once."""
        with self._lock:
            if self._base is None:
                program = self._program()
                find_bubblewrap()
                kernel = find_kernel(self._cache)
                self._base = program, kernel.image, initramfs(self._cache, kernel)
            return self._base

    def _group(self, hardware: Hardware) -> cgroups.Group | None:
        with self._lock:
            if not self._probed:
                self._groups = cgroups.find() if self._use_groups else None
                self._probed = True
        if self._groups is None:
            return None
        group = self._groups.make()
        group.apply(host_limits(Limits(), hardware))
        return group

    # --- the end ---

    @property
    def patience(self) -> float:
        """How many times the usual seconds the programs of the self-check need here."""
        return _EMULATED_PATIENCE if self.accelerator().name == EMULATION else 1.0

    def known_exceptions(self) -> dict[str, str]:
        """Rows of the self-check that cannot be proven from outside a machine, with their reasons."""
        slow = HASTY if self.accelerator().name == EMULATION else ()
        return dict.fromkeys(_UNSEEN, _BLIND) | dict.fromkeys(slow, _SLOW)

    def flush(self) -> None:
        """Return when nothing of finished runs is left, and what waits is made."""
        self._pool.flush()

    def close(self) -> None:
        """Switch off all machines; runs under way are cancelled."""
        if os.getpid() != self._pid:
            return
        with self._lock:
            self._cancelled |= self._running
            for machine in self._running:
                machine.switch_off()
        self._pool.close()
        if self._groups is not None:
            self._groups.close()
        self._pool = Pool(self.pool_size, self._start_waiting)
        self._groups, self._probed = None, False

    def _start_over(self) -> None:
        """In a forked child: leave the parent's machines to the parent."""
        for machine in (*self._running, *self._pool.waiting()):
            machine.forget()
        self._begin()


def _effects(told: Told | None, left: Left) -> Effects:
    """What the guest told; without a report nothing was watched."""
    if told is None:
        return Effects()
    return Effects(
        files=tuple(left.files), files_omitted=left.omitted, processes_left=told.left, network=told.network,
        network_omitted=told.network_omitted, blocked=told.blocked,
        watched=("files", "processes", "network", "blocked"))


def _usage(told: Told | None) -> Usage:
    if told is None:
        return Usage()
    return Usage(
        cpu_seconds=told.cpu_microseconds / 1e6, memory_peak_bytes=told.memory_peak, processes_peak=told.processes_peak,
        disk_bytes=told.disk, read_bytes=told.read, written_bytes=told.written)


def _close(reference: weakref.ref[VirtualMachine]) -> None:
    sandbox = reference()
    if sandbox is not None:
        sandbox.close()

