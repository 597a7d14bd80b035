"""The process level: every namespace, a minimal root, a system-call filter, Landlock, control groups.

What holds, started as root or not: a program sees only its language's files read-only and its own private
folders; it reaches no host process, socket or address; it has no capability, no way to a new namespace, and no
host uid 0; its whole tree stays within its limits and dies as one. What does not hold: it shares the host's
kernel, so a kernel bug in an allowed call is a way out (take the vm level against that); the time its actions
take can be seen by neighbours.
"""

from __future__ import annotations

import atexit
import os
import socket
import threading
import time
import weakref
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.core.effects import Effects, NetworkAttempt
from windtunnel.core.errors import IsolationUnavailable, SandboxFailure
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Job
from windtunnel.core.result import Artifact, ExecutionResult, Level, Reason
from windtunnel.sandbox import cgroups, harvest, stems
from windtunnel.sandbox.ending import EXIT, at_least, exit_code, reason
from windtunnel.sandbox.meter import GroupMeter, Meter, TreeMeter
from windtunnel.sandbox.outside.outsides import Outsides, Simulated
from windtunnel.sandbox.remedies import remedy
from windtunnel.sandbox.request import kind_of, loads_early, order_for, request_for
from windtunnel.sandbox.slot import Slot, order_slot, remove_soon
from windtunnel.sandbox.warm import Pool
from windtunnel.sandbox.watch import Watcher
from windtunnel.spawn import Ending, Kept, Watched, supervise

if TYPE_CHECKING:
    from windtunnel.sandbox.egress import Egress

_MOST_STEMS = 16
"""Kinds that are kept ready at once; the one that was used longest ago gives way."""
_STEM_RUNS = 512
"""Sandboxes that one stem may make; then a new one, with a new hash seed and address layout, takes its place."""

_LAST_SECONDS = 2.0
"""What runs have, whose programs were ended, to read what they used."""


class _Grown:
    """A stem with the count of what grew from it."""

    def __init__(self, stem: stems.Stem) -> None:
        self.stem = stem
        self.ordered = 0
        self.alive = 0


class Bubblewrap:
    """Runs jobs at the process level; safe to use from many threads, and again in a forked child."""

    level = Level.PROCESS

    def __init__(
        self, *, pool_size: int = 2, landlock: bool = True, watch: bool = True, groups: bool = True,
        egress: Callable[[Job], Egress | None] | None = None,
    ) -> None:
        """Nothing is started before the first run; ``egress`` makes the way out of a run with an allow-list."""
        self._egress = egress or _egress
        self.pool_size = pool_size
        self._landlock, self._watch, self._use_groups = landlock, watch, groups
        self._begin()
        atexit.register(_close, weakref.ref(self))

    def _begin(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._stems: dict[stems.Kind, _Grown] = {}
        self._retired: list[_Grown] = []
        self._orders: dict[stems.Kind, Mapping[str, Any]] = {}
        self._groups: cgroups.Groups | None = None
        self._probed = False
        self._buried: list[cgroups.Group] = []
        self._pool = Pool(self.pool_size, self._make_waiting, drop=self._throw_away)
        self._outsides = Outsides()

    # --- the run ---

    def run(self, job: Job) -> ExecutionResult:
        """Run one job to its end."""
        if os.getpid() != self._pid:
            self._start_over()
        kind, early = kind_of(job), loads_early(job)
        egress = self._egress(job)
        grown, slot, warm = self._slot(job, kind, early=early)
        simulated, ended = None, False
        try:
            if job.network.outside is not None:
                simulated = self._outsides.prepare(job.network.outside)
            gated = bool(slot.order["gate"])
            slot.request(request_for(
                job, interpreter=early and bool(kind.interpreter), egress=egress, grouped=slot.group is not None,
                outside=simulated.ports if simulated is not None else None))
            if not warm:
                slot.settle()
            result = self._watch_over(
                job, slot, egress=egress, simulated=simulated, stem=grown.stem, warm=warm and (early or not gated),
                kind=kind)
            ended = result.reason is Reason.EXITED
            return result
        finally:
            if egress is not None:
                egress.close()
            if simulated is not None:
                simulated.close()
            slot.discard(ended=ended)
            self._let_go(grown, slot)
            if self.pool_size:
                self._pool.refill(kind)

    def waiting(self) -> int:
        """How many sandboxes wait for a program."""
        return self._pool.waiting() if self.pool_size else 0

    def warm_up(self, job: Job) -> None:
        """Have sandboxes of this job's kind waiting before it comes."""
        kind = kind_of(job)
        self._remember(job, kind)
        self._pool.fill(kind)

    def _slot(self, job: Job, kind: stems.Kind, *, early: bool) -> tuple[_Grown, Slot, bool]:
        """A waiting sandbox where one fits, else a new one."""
        self._remember(job, kind)
        if self.pool_size and (early or not kind.waits) and job.warm:
            slot = self._pool.take(kind)
            if slot is not None:
                if slot.group is not None:
                    slot.group.apply(job.limits)
                return self._grown_of(slot), slot, True
        grown = self._grown(kind)
        group = self._group(job.limits)
        order = order_for(kind, job.limits, landlock=self._landlock, watch=self._watch)
        return grown, self._order(grown, order, group), False

    def _watch_over(
        self, job: Job, slot: Slot, *, egress: Egress | None, simulated: Simulated | None, stem: stems.Stem, warm: bool,
        kind: stems.Kind,
    ) -> ExecutionResult:
        meter: Meter = (GroupMeter(slot.group, job.limits) if slot.group is not None
                        else TreeMeter(slot.init(), job.limits, slot.folders[0]))
        full = _DiskWatch(slot.folders[0])
        watchers: list[Watcher] = []

        def tick() -> Reason | None:
            if job.stop is not None and job.stop():
                return Reason.CANCELLED
            if self.pool_size and not full.used:
                self._pool.refill(kind)  # the run takes longer than an instant; others should not wait for its end
            full.look()
            return meter.over()

        def taken(descriptors: list[int]) -> dict[int, Callable[[], object]]:
            return _serve(descriptors, watchers, egress=egress, simulated=simulated, channel=slot.channel,
                          host_network=job.network.host, watch=self._watch)

        spill = Path(job.spill) if job.spill else None
        watched = Watched(
            channel=slot.channel, pidfd=slot.pidfd, stdin=slot.stdin, stdout=slot.stdout, stderr=slot.stderr,
            kept_out=Kept(job.limits.output_bytes, sink=job.on_stdout, spill=spill and spill / "stdout"),
            kept_err=Kept(job.limits.output_bytes, sink=job.on_stderr, spill=spill and spill / "stderr"),
            wall_seconds=job.limits.wall_seconds, tick=tick, input=job.command.stdin,
            live_input=job.stdin, on_descriptors=taken, heard=slot.heard)
        if slot.handed:
            watched.readers = taken(slot.handed)
            slot.handed = None
        slot.stdin = slot.stdout = slot.stderr = -1
        try:
            ending = supervise(watched)
        finally:
            for watcher in watchers:
                watcher.close()
        if ending.status is None and ending.reason is Reason.KILLED:
            if stem.closed:
                ending = replace(ending, reason=Reason.CANCELLED)
            elif stem.gone():
                raise SandboxFailure("the stem of the sandboxes died during the run")
        return self._result(job, slot, watched, ending, meter=meter, full=full, warm=warm, stem=stem,
                            network=_network(watchers, egress=egress, simulated=simulated), watchers=watchers)

    def _result(
        self, job: Job, slot: Slot, watched: Watched, ending: Ending, *, meter: Meter, full: _DiskWatch, warm: bool,
        stem: stems.Stem, watchers: list[Watcher], network: tuple[NetworkAttempt, ...],
    ) -> ExecutionResult:
        full.look()
        usage, met = meter.final()
        if usage.cpu_seconds is None or slot.group is None:
            usage = at_least(usage, ending)
        usage = replace(
            usage, disk_bytes=full.used, read_bytes=ending.read_bytes, written_bytes=ending.written_bytes)
        code = exit_code(ending.status)
        why = reason(ending, code=code, met=met, full=full.full, limits=job.limits, cpu=usage.cpu_seconds)
        files, omitted = harvest.survey(
            _writable(job, slot), apart_from=[*slot.order["kept"], *_alias(slot)],
            lower=job.command.workspace, copied=slot.workspace == "copy")
        return ExecutionResult(
            exit_code=EXIT.get(why, code), reason=why, stdout_bytes=watched.kept_out.value(),
            stderr_bytes=watched.kept_err.value(), stdout_dropped=watched.kept_out.dropped,
            stderr_dropped=watched.kept_err.dropped, execution_time=ending.wall_seconds, language=job.language.name,
            level=self.level, limits=job.limits, usage=usage, warm=warm, enforced=self._enforced(job, slot, stem),
            artifacts=_artifacts(job, slot), layer=_layer(job, slot),
            effects=Effects(
                files=files, files_omitted=omitted, processes_left=ending.left,
                network=network, network_omitted=sum(watcher.omitted for watcher in watchers),
                blocked=tuple(call for watcher in watchers for call in watcher.blocked()),
                watched=("files", "processes", *(("network", "blocked") if self._watch else ()))))

    def _enforced(self, job: Job, slot: Slot, stem: stems.Stem) -> dict[str, str]:
        by = f"cgroup v{slot.group.version}" if slot.group is not None else None
        held = {f"{name} namespace": "own" for name in ("user", "mount", "process", "ipc", "host name", "cgroup")}
        held |= {"network": _network_mode(job), "root": "minimal, read-only", "host user": f"uid {stem.user.uid}",
                 "capabilities": "none", "no new privileges": "yes", "system calls": "allow-list"}
        if self._landlock and stem.landlock:
            held["landlock"] = f"version {stem.landlock}"
        if slot.workspace:
            held["workspace"] = "copy-on-write" if slot.workspace == "overlay" else "copy"
        held |= {"memory": by or "supervisor", "processes": by or "rlimit per user namespace",
                 "wall time": "supervisor", "disk": "tmpfs size", "files": "tmpfs inodes", "open files": "rlimit",
                 "output": "supervisor"}
        if slot.group is not None and by:
            held |= {"swap": by} | ({"cores": by, "cpu weight": by} if "cpu" in slot.group.folders else {})
        if job.limits.cpu_seconds is not None:
            held["cpu time"] = by or "supervisor and rlimit"
        return held

    # --- stems, groups and waiting sandboxes ---

    def _remember(self, job: Job, kind: stems.Kind) -> None:
        if kind not in self._orders:
            gate = pipe = None
            if job.toolchain.warm and job.command.script:
                gate = [part.replace("{source}", job.command.script) for part in job.toolchain.warm]
                pipe = None if kind.gate else job.command.script
            order = order_for(kind, job.limits, landlock=self._landlock, watch=self._watch)
            self._orders[kind] = order | {
                "rehearse": bool(kind.interpreter), "gate": gate, "pipe": pipe, "env": dict(kind.env),
                "limits": job.limits}

    def _make_waiting(self, kind: Hashable) -> Slot:
        assert isinstance(kind, stems.Kind)
        order = dict(self._orders[kind])
        group = self._group(order.pop("limits"))
        grown = self._grown(kind)
        slot = self._order(grown, order, group)
        try:
            slot.settle()
        except BaseException:
            self._throw_away(slot)
            raise
        return slot

    def _throw_away(self, slot: Slot) -> None:
        slot.discard()
        self._let_go(self._grown_of(slot), slot)

    def _order(self, grown: _Grown, order: Mapping[str, Any], group: cgroups.Group | None) -> Slot:
        try:
            slot = order_slot(grown.stem, order, group)
        except BaseException:
            if group is not None:
                self._buried.append(group)
            raise
        with self._lock:
            grown.ordered += 1
            grown.alive += 1
        slot.stem = grown
        return slot

    def _grown_of(self, slot: Slot) -> _Grown:
        assert isinstance(slot.stem, _Grown)
        return slot.stem

    def _grown(self, kind: stems.Kind) -> _Grown:
        with self._lock:
            grown = self._stems.get(kind)
            if grown is not None and (grown.ordered >= _STEM_RUNS or not grown.stem.alive()):
                self._retired.append(self._stems.pop(kind))
                grown = None
            if grown is None:
                grown = _Grown(self._start_stem(kind))
            self._stems.pop(kind, None)
            self._stems[kind] = grown
            idle = list(self._stems)[:-_MOST_STEMS]
            self._retired += [self._stems.pop(old) for old in idle]
        for old in idle:
            self._pool.forget(old)
        return grown

    def _start_stem(self, kind: stems.Kind) -> stems.Stem:
        said = []
        for bubblewrap in stems.candidates():
            try:
                return stems.Stem(kind, bubblewrap=bubblewrap)
            except IsolationUnavailable as error:
                said.append(f"{bubblewrap}: {error}")
        raise IsolationUnavailable(remedy(said))

    def _group(self, limits: Limits) -> cgroups.Group | None:
        with self._lock:
            if not self._probed:
                self._groups = cgroups.find() if self._use_groups else None
                self._probed = True
        if self._groups is None:
            return None
        group = self._groups.make()
        group.apply(limits)
        return group

    def _let_go(self, grown: _Grown, slot: Slot) -> None:
        if slot.group is not None:
            if self.pool_size:
                self._pool.bury(slot.group)
            else:
                self._buried.append(slot.group)
        with self._lock:
            grown.alive -= 1
            done = [old for old in self._retired if not old.alive]
            self._retired = [old for old in self._retired if old.alive]
        for old in done:
            old.stem.close()

    # --- the end ---

    def flush(self) -> None:
        """Return when nothing of finished runs is left."""
        if self.pool_size:
            self._pool.flush()
        self._remove_buried()

    def _remove_buried(self) -> None:
        while self._buried:
            remove_soon(self._buried.pop(), seconds=3)

    def close(self) -> None:
        """End all stems, and with them everything that grew from them."""
        if os.getpid() != self._pid:
            return
        self._pool.close()
        with self._lock:
            grown = [*self._stems.values(), *self._retired]
            self._stems, self._retired = {}, []
        for old in grown:
            old.stem.close()
        until = time.monotonic() + _LAST_SECONDS
        while any(old.alive for old in grown) and time.monotonic() < until:
            time.sleep(_LAST_SECONDS / 1000)
        self._outsides.close()
        self._remove_buried()
        if self._groups is not None:
            self._groups.close()
        self._begin()

    def _start_over(self) -> None:
        """In a forked child: leave the parent's stems to the parent."""
        for grown in (*self._stems.values(), *self._retired):
            grown.stem.forget()
        self._outsides.forget()
        self._begin()


class _DiskWatch:
    """Remembers whether the private file system was ever full."""

    def __init__(self, folder: int) -> None:
        self.folder = folder
        self.full = False
        self.used = 0

    def look(self) -> None:
        room = os.fstatvfs(self.folder)
        self.used = (room.f_blocks - room.f_bfree) * room.f_frsize
        self.full = self.full or room.f_bfree == 0 or room.f_ffree == 0


def _close(reference: weakref.ref[Bubblewrap]) -> None:
    sandbox = reference()
    if sandbox is not None:
        sandbox.close()


def _egress(job: Job) -> Egress | None:
    if not job.network.allow_hosts:
        return None
    from windtunnel.sandbox.egress import Egress, parse_hosts  # noqa: PLC0415 -- most runs have no network

    return Egress(parse_hosts(job.network.allow_hosts))


def _serve(
    descriptors: list[int], watchers: list[Watcher], *, egress: Egress | None, simulated: Simulated | None,
    channel: socket.socket, host_network: bool, watch: bool,
) -> dict[int, Callable[[], object]]:
    """Put what the sandbox handed out to use: the watcher's listener first, then the sockets of a way out."""
    readers: dict[int, Callable[[], object]] = {}
    if watch and descriptors:
        watcher = Watcher(descriptors.pop(0), refuse_network=not host_network)
        watchers.append(watcher)
        readers[watcher.fileno()] = watcher.handle
    if egress is not None and descriptors:
        egress.serve_proxy(socket.socket(fileno=descriptors.pop(0)))
        for descriptor, (_, port, host) in zip(descriptors, egress.direct_ports(), strict=True):
            egress.serve_direct(socket.socket(fileno=descriptor), host=host, port=port)
    if simulated is not None:
        simulated.begin(descriptors, told=channel)
    return readers


def _network(
    watchers: list[Watcher], *, egress: Egress | None, simulated: Simulated | None,
) -> tuple[NetworkAttempt, ...]:
    """What the program asked for, and what the way out made of it."""
    asked = tuple(attempt for watcher in watchers for attempt in watcher.network())
    if simulated is not None:
        return simulated.attempts(asked)
    return asked + (egress.attempts() if egress is not None else ())


def _network_mode(job: Job) -> str:
    network = job.network
    simulated = "simulated" if network.outside is not None else "none"
    return "allow-list" if network.allow_hosts else "host" if network.host else simulated


def _writable(job: Job, slot: Slot) -> dict[str, int]:
    """The folders that the program could write to; of a workspace, the layer that holds what it changed."""
    temporary, memory, given, *upper = slot.folders
    folders = {"/tmp": temporary, "/dev/shm": memory}  # noqa: S108 -- inside the sandbox
    if not job.read_only:
        folders["/sandbox"] = given
    return folders | ({"/workspace": upper[0]} if upper else {})


def _artifacts(job: Job, slot: Slot) -> dict[str, Artifact]:
    name = "build" if job.command.build else (job.command.collect or "").rstrip("/")
    return harvest.read_tree(slot.folders[0], name, most_bytes=job.limits.disk_bytes) if name else {}


def _layer(job: Job, slot: Slot) -> dict[str, Artifact | None]:
    if not job.command.keep_layer or not job.command.workspace:
        return {}
    return harvest.layer_of(job, slot.folders[-1], job.command.workspace, copied=slot.workspace == "copy")


def _alias(slot: Slot) -> list[str]:
    return [slot.order["alias"]] if slot.order["alias"] else []
