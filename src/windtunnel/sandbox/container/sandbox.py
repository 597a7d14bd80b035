"""The container level: one throw-away container for each run, by Docker or Podman.

What holds: no network unless asked for, a read-only root, no capability, no new privileges, our system-call filter, an
unprivileged user, limits by the engine's control groups, one small file system for all that the program may write, and
a project that is never written to. What does not hold: the kernel is the host's (take the vm level, or a runtime such
as runsc, against that); refused calls and connections are not recorded, because no engine lets us listen.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
import socket
import threading
import time
import weakref
from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from pathlib import Path

from windtunnel.core.effects import Effects
from windtunnel.core.errors import IsolationUnavailable, SandboxFailure
from windtunnel.core.ports import Job
from windtunnel.core.result import ExecutionResult, Level, Reason, Usage
from windtunnel.sandbox import cgroups, harvest
from windtunnel.sandbox.container.cell import Cell
from windtunnel.sandbox.container.engine import LABEL, Engine, Facts, Spec, State, words
from windtunnel.sandbox.container.guardian import Guardian, clear_folders
from windtunnel.sandbox.container.held import Held, LastMeter
from windtunnel.sandbox.container.images import Chosen, Files
from windtunnel.sandbox.container.kind import Kind, covered, spec_of
from windtunnel.sandbox.container.owner import Owner, caller, owner_of
from windtunnel.sandbox.container.profile import profile
from windtunnel.sandbox.container.way_out import egress_for, serve
from windtunnel.sandbox.egress import Egress
from windtunnel.sandbox.ending import EXIT, reason
from windtunnel.sandbox.identity import HostUser
from windtunnel.sandbox.private import SHARED_PLACE, own_place
from windtunnel.sandbox.request import PROXY
from windtunnel.sandbox.warm import Pool
from windtunnel.spawn import Ending, Kept, Watched, supervise

_LINGER_SECONDS, _END_SECONDS = 5.0, 20.0
_OWN_KERNELS = ("runsc", "kata")
"""Runtimes that do not hand a program's calls to the host's kernel, and so not to our filter either."""
_RUN_ID = 32
"""Letters of a container's id that name its run in the history, so that either finds it."""
_owners = itertools.count(1)


class Container:
    """Runs jobs at the container level; safe to use from many threads, and again in a forked child."""

    level = Level.CONTAINER

    def __init__(
        self, engine: Engine, *, image: Callable[[Job], Chosen], pool_size: int = 0, runtime: str = "", gpus: str = "",
        seccomp: Callable[[], str] = profile, egress: Callable[[Job], Egress | None] = egress_for,
    ) -> None:
        """Nothing is started before the first run; ``image`` says which image a job gets.

        ``egress`` makes the way out of a run with an allow-list.
        """
        self.engine, self._image, self.pool_size = engine, image, pool_size
        self._runtime, self._gpus, self._seccomp, self._egress = runtime, gpus, seccomp, egress
        self._begin()
        atexit.register(_close, weakref.ref(self))

    def _begin(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._guardian: Guardian | None = None
        self._lease: HostUser | None = None
        self._facts: Facts | None = None
        self._live: set[Held] = set()
        self._owed: set[str] = set()
        self._seen_volumes: dict[str, tuple[str, ...]] = {}
        self._pool: Pool[Held] = Pool(self.pool_size, self._make_waiting, drop=self._drop)
        started = cgroups.start_time(os.getpid())
        namespace = Path("/proc/self/ns/pid").stat().st_ino
        self.label = f"{LABEL}={namespace}-{os.getpid()}-{started}-{next(_owners)}"

    # --- the run ---

    def run(self, job: Job) -> ExecutionResult:
        """Run one job to its end."""
        if os.getpid() != self._pid:
            self._start_over()
        egress = self._egress(job)
        if egress is None:
            return self._run(job)
        with egress:
            return self._run(job, egress)

    def _run(self, job: Job, egress: Egress | None = None) -> ExecutionResult:
        kind = self._kind(job)
        held = self._pool.take(kind) if self.pool_size and job.warm and kind.waits else None
        warm = held is not None
        if held is None:
            held = self._make(kind)
        held.thread = threading.get_ident()
        try:
            if egress is not None:
                serve(egress, held.pid)
                env = egress.proxy_env(PROXY[1]) | dict(job.command.env)
                job = replace(job, command=replace(job.command, env=env))
            with _own_disk():
                held.cell.place(job, hosts=egress.hosts_file() if egress is not None else b"")
            result = self._watch_over(job, held, warm=warm)
            return result if egress is None else replace(
                result, effects=replace(result.effects, network=egress.attempts()))
        finally:
            self._bury(held)
            if self.pool_size and kind.waits:
                self._pool.refill(kind)

    def warm_up(self, job: Job) -> None:
        """Have containers of this job's kind waiting before it comes."""
        if self.pool_size:
            self._pool.fill(self._kind(job))

    def _kind(self, job: Job) -> Kind:
        facts = self._known()
        if not facts.seccomp:
            raise IsolationUnavailable(
                f"{facts.name} here cannot filter system calls (install libseccomp for it, and start it again)")
        if not facts.init:
            raise IsolationUnavailable(
                f"{facts.name} has no program to be process 1, without which a run could not be stopped or cleared "
                f"away as a whole (apt-get install {'catatonit' if facts.name == 'podman' else 'tini'})")
        chosen = self._image(job)
        return Kind(
            image=chosen.id, files=chosen.files, paths=job.toolchain.paths if chosen.files is Files.HOST else (),
            network="host" if job.network.host else "none", read_only=job.read_only, limits=job.limits,
            workspace=job.command.workspace, volumes=self._volumes(chosen),
            hosts=bool(job.network.allow_hosts))

    def _volumes(self, chosen: Chosen) -> tuple[str, ...]:
        """Of an image that is not ours; asked once for each."""
        if chosen.files is not Files.OWN:
            return ()
        if chosen.id not in self._seen_volumes:
            found = self.engine.image(chosen.id)
            self._seen_volumes[chosen.id] = found.volumes if found is not None else ()
        return self._seen_volumes[chosen.id]

    def _known(self) -> Facts:
        """What the engine is; dead supervisors' containers are removed on the way."""
        with self._lock:
            if self._facts is None:
                facts = self.engine.facts()
                if self._runtime and self._runtime not in facts.runtimes and facts.by == "socket":
                    raise IsolationUnavailable(
                        f"{facts.name} does not know the runtime {self._runtime!r} (it knows "
                        f"{', '.join(facts.runtimes) or 'none'}; add it to the engine's configuration)")
                sweep(self.engine)
                for parent in {SHARED_PLACE, own_place()}:
                    clear_folders(parent)
                self._facts = facts
            return self._facts

    def _owner(self) -> Owner:
        with self._lock:
            uid, group = caller()
            if uid == 0 and self._lease is None:
                self._lease = HostUser()
            return owner_of(self._facts or self.engine.facts(), caller=uid, group=group,
                            throw_away=self._lease.uid if self._lease is not None else None)

    # --- containers ---

    def _make_waiting(self, kind: Hashable) -> Held:
        assert isinstance(kind, Kind)
        return self._make(kind)

    def _make(self, kind: Kind) -> Held:
        self._guard()
        owner = self._owner()
        with _own_disk():
            cell = Cell(kind.limits, uid=owner.uid, workspace=kind.workspace, mapped=owner.mapped)
        held = Held(self.engine, cell, kind=kind, limited=self._known().groups > 0)
        with self._lock:
            self._live.add(held)
        try:
            held.start(self.spec(kind, held.cell, owner))
        except BaseException:
            self._drop(held)
            raise
        self._settle()
        return held

    def spec(self, kind: Kind, cell: Cell, owner: Owner) -> Spec:
        """The container as data."""
        facts = self._known()
        return replace(
            spec_of(kind, cell, owner, facts=facts), labels=dict([self.label.split("=", 1)]), seccomp=self._seccomp(),
            runtime=self._runtime, gpus=self._gpus, fleeting=facts.by == "command line" and not self.pool_size)

    def _guard(self) -> None:
        with self._lock:
            if self._guardian is None:
                place = SHARED_PLACE if os.geteuid() == 0 else own_place()
                self._guardian = Guardian(self.engine.reaper(self.label), parent=place)

    def _bury(self, held: Held) -> None:
        """Remove it off the caller's path."""
        if self.pool_size:
            self._pool.later(lambda: self._drop(held))
        else:
            self._drop(held)

    def _drop(self, held: Held) -> None:
        try:
            held.remove()
        except IsolationUnavailable:  # an engine that is gone; asked again when it is back, or by the guardian
            with self._lock:
                self._owed.add(held.id)
        with self._lock:
            self._live.discard(held)
        held.gone.set()

    def _settle(self) -> bool:
        """Remove what an engine that was gone could not; whether nothing is left of that."""
        with self._lock:
            owed, self._owed = self._owed, set()
        for container in owed:
            try:
                self.engine.remove(container)
            except IsolationUnavailable:
                with self._lock:
                    self._owed.add(container)
        return not self._owed

    # --- watching ---

    def _watch_over(self, job: Job, held: Held, *, warm: bool) -> ExecutionResult:
        meter, full = held.meter(job.limits), _Room(held.cell)
        ours, theirs = socket.socketpair()
        last = os.dup(held.pidfd)

        def tick() -> Reason | None:
            full.look()
            return meter.over() or (Reason.OUT_OF_DISK if full.full and not held.cell.root else None)

        def died() -> bool:
            meter.over()
            return False

        spill = Path(job.spill) if job.spill else None
        stdin, stdout, stderr = held.taken()
        watched = Watched(
            channel=ours, pidfd=held.pidfd, stdin=stdin, stdout=stdout, stderr=stderr,
            kept_out=Kept(job.limits.output_bytes, sink=job.on_stdout, spill=spill and spill / "stdout"),
            kept_err=Kept(job.limits.output_bytes, sink=job.on_stderr, spill=spill and spill / "stderr"),
            wall_seconds=job.limits.wall_seconds, tick=tick, input=job.command.stdin, live_input=job.stdin,
            readers={last: died}, end=held.kill, linger_seconds=_LINGER_SECONDS)
        try:
            held.cell.open_gate()
            ending = supervise(watched)
        finally:
            os.close(last)
            ours.close()
            theirs.close()
        return self._result(job, held, watched, self._settled(held, ending), meter=meter, full=full, warm=warm)

    def _settled(self, held: Held, ending: Ending) -> tuple[Ending, State]:
        try:
            state = held.ended(seconds=_END_SECONDS)
        except IsolationUnavailable as error:
            if held.cancelled:
                state = State(running=False, exit_code=137, out_of_memory=False, pid=0)
            else:
                raise SandboxFailure(f"the engine failed during the run: {error}") from error
        if held.cancelled:
            ending = replace(ending, reason=Reason.CANCELLED)
        elif ending.reason is Reason.KILLED:
            ending = replace(ending, reason=Reason.EXITED)  # its own end, which only the engine could tell
        return ending, state

    def _result(
        self, job: Job, held: Held, watched: Watched, settled: tuple[Ending, State], *, meter: LastMeter, full: _Room,
        warm: bool,
    ) -> ExecutionResult:
        ending, state = settled
        full.look()
        usage, met = meter.final()
        if state.out_of_memory:
            met = Reason.OUT_OF_MEMORY
        code = state.exit_code
        why = reason(ending, code=code, met=met, full=full.full, limits=job.limits, cpu=usage.cpu_seconds)
        cell = held.cell
        if why is Reason.EXITED and not cell.passed():
            raise SandboxFailure("the container ended before its program began; an engine with files of its own "
                                 f"cannot be used ({words(watched.kept_err.value().decode('utf-8', 'replace'))})")
        files, omitted = harvest.survey(
            cell.writable(job), apart_from=covered(held.kind), lower=cell.workspace, copied=cell.copied)
        return ExecutionResult(
            exit_code=EXIT.get(why, code), reason=why, stdout_bytes=watched.kept_out.value(),
            stderr_bytes=watched.kept_err.value(), stdout_dropped=watched.kept_out.dropped,
            stderr_dropped=watched.kept_err.dropped, execution_time=ending.wall_seconds, language=job.language.name,
            level=self.level, limits=job.limits, usage=replace(usage, disk_bytes=full.used), warm=warm,
            enforced=self._enforced(job, held, grouped=meter.grouped), artifacts=cell.artifacts(job),
            layer=cell.layer(job), container=held.id, id=held.id[:_RUN_ID],
            effects=Effects(files=files, files_omitted=omitted, watched=("files",)))

    def _enforced(self, job: Job, held: Held, *, grouped: bool) -> dict[str, str]:
        facts, owner = self._known(), self._owner()
        by = f"cgroup v{facts.groups}, by {facts.name}" if facts.groups and grouped else None
        held_by = {
            "engine": f"{facts.name} {facts.version}, by its {facts.by}", "runtime": self._runtime or facts.runtime,
            **{f"{name} namespace": "own" for name in ("mount", "process", "ipc", "host name")},
            "network": "allow-list" if job.network.allow_hosts else "host" if job.network.host else "none",
            "root": "image, read-only",
            "host user": f"uid {owner.uid}", "capabilities": "none", "no new privileges": "yes",
            "system calls": "allow-list", "memory": by or "supervisor", "processes": by or "supervisor",
            "wall time": "supervisor", "output": "supervisor", "open files": "rlimit",
            "disk": "tmpfs size" if held.cell.root else "supervisor",
            "files": "tmpfs inodes" if held.cell.root else "supervisor",
        }
        if owner.mapped:
            held_by["user namespace"] = "own"
        if not _shares_groups(facts):
            held_by["cgroup namespace"] = "own"
        if (self._runtime or facts.runtime).startswith(_OWN_KERNELS):
            held_by["system calls"] = f"a kernel of its own, by {self._runtime or facts.runtime}"
            if not by:
                del held_by["processes"]  # which the supervisor cannot see
        if held.cell.workspace is not None:
            held_by["workspace"] = "copy" if held.cell.copied else "copy-on-write"
        if by:
            held_by |= {"swap": by, "cores": by, "cpu weight": by}
        if job.limits.cpu_seconds is not None:
            held_by["cpu time"] = by or "supervisor"
        return held_by

    def known_exceptions(self) -> dict[str, str]:
        """Rows of the self-check that this level does not hold with this engine, with their reasons."""
        facts = self._known()
        shared = [*([] if self._owner().mapped else ["user"]), *(["cgroup"] if _shares_groups(facts) else [])]
        found = {"F10": "process 1 is the engine's own, under the program's user, who may lower its own chances"}
        if shared:
            found["K16"] = f"the engine gives no {' and no '.join(shared)} namespace of its own"
        return found

    def usage(self, container: str) -> Usage | None:
        """What a container that is running has used so far; None for any other."""
        with self._lock:
            held = next((one for one in self._live if container and one.id.startswith(container)), None)
        if held is None or not held.pid or held.state is not None:  # it has ended, and is being cleared away
            return None
        usage = held.meter(held.cell.limits).now()
        return usage if usage != Usage() else None

    # --- the end ---

    def flush(self) -> None:
        """Return when nothing of finished runs is left."""
        if self.pool_size:
            self._pool.flush()

    def close(self) -> None:
        """End all that runs and all that waits."""
        if os.getpid() != self._pid:
            return
        with self._lock:
            live = set(self._live)
        for held in live:
            held.cancelled = True
            with contextlib.suppress(IsolationUnavailable, OSError):
                held.kill()
        self._pool.close()
        until = time.monotonic() + _END_SECONDS
        gone = all(_waited(held, until=until) for held in live) and self._settle()
        if self._guardian is not None:
            self._guardian.dismiss() if gone else self._guardian.forget()  # which then clears away itself
        if self._lease is not None:
            self._lease.release()
        self._begin()

    def _start_over(self) -> None:
        """In a forked child: the parent's containers are the parent's."""
        if self._guardian is not None:
            self._guardian.forget()
        self._begin()


class _Room:
    """Remembers whether the cell was ever full."""

    def __init__(self, cell: Cell) -> None:
        self._cell = cell
        self.used, self.full = 0, False

    def look(self) -> None:
        self.used, full = self._cell.used()
        self.full = self.full or full


@contextlib.contextmanager
def _own_disk() -> Iterator[None]:
    """What the host's disk refuses us is our failure."""
    try:
        yield
    except OSError as error:
        raise SandboxFailure(f"the container's folder cannot be filled: {error}") from error


def _waited(held: Held, *, until: float) -> bool:
    """Whether a cancelled run has cleared away; not asked of the thread that runs it, which would wait for itself."""
    return held.gone.wait(0 if held.thread == threading.get_ident() else max(0, until - time.monotonic()))


def _shares_groups(facts: Facts) -> bool:
    """Whether the engine leaves the control groups' namespace as it is, whatever it is asked."""
    return facts.name == "podman" and facts.by == "socket" and facts.groups == 1


def _close(reference: weakref.ref[Container]) -> None:
    sandbox = reference()
    if sandbox is not None:
        sandbox.close()


def sweep(engine: Engine) -> None:
    """Remove the containers of supervisors that are gone; those of another process namespace cannot be judged here."""
    namespace = str(Path("/proc/self/ns/pid").stat().st_ino)
    for container, owner in engine.containers(label=LABEL).items():
        where, pid, started, *_ = [*owner.split("-"), "", "", ""]
        if where == namespace and pid.isdigit() and str(cgroups.start_time(int(pid))) != started:
            engine.remove(container)
