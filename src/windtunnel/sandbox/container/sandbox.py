"""The container level: one throw-away container for each run, by Docker or Podman.

What holds: no network unless asked for, a read-only root, no capability, no new privileges, our system-call filter, an
unprivileged user, limits by the engine's control groups, one small file system for all that the program may write, and
a project that is never written to. Refused calls, addresses asked for and processes left over are recorded as at the
process level, because our own starter is the first to run in a container. What does not hold: the kernel is the host's
(take the vm level, or a runtime such as runsc, against that); under such a runtime files alone are watched.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import itertools
import os
import threading
import time
import weakref
from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from pathlib import Path

from windtunnel.core.errors import IsolationUnavailable, SandboxFailure
from windtunnel.core.ports import Job
from windtunnel.core.result import ExecutionResult, Level, Usage
from windtunnel.sandbox import cgroups
from windtunnel.sandbox.container.cell import Cell
from windtunnel.sandbox.container.course import Course
from windtunnel.sandbox.container.door import NoListener
from windtunnel.sandbox.container.enforced import enforced, known_exceptions
from windtunnel.sandbox.container.engine import LABEL, Engine, Facts, Spec
from windtunnel.sandbox.container.guardian import Guardian, clear_folders
from windtunnel.sandbox.container.held import Held
from windtunnel.sandbox.container.images import Chosen, Files
from windtunnel.sandbox.container.kind import Kind, spec_of
from windtunnel.sandbox.container.owner import Owner, caller, owner_of
from windtunnel.sandbox.container.profile import profile
from windtunnel.sandbox.container.watching import Sight, own_kernel
from windtunnel.sandbox.container.way_out import egress_for, serve
from windtunnel.sandbox.egress import Egress
from windtunnel.sandbox.identity import HostUser
from windtunnel.sandbox.outside.elsewhere import refuse_outside
from windtunnel.sandbox.private import SHARED_PLACE, own_place
from windtunnel.sandbox.request import PROXY
from windtunnel.sandbox.warm import Pool

_END_SECONDS = 20.0
_owners = itertools.count(1)


class Container:
    """Runs jobs at the container level; safe to use from many threads, and again in a forked child."""

    level = Level.CONTAINER

    def __init__(
        self, engine: Engine, *, image: Callable[[Job], Chosen], pool_size: int = 0, runtime: str = "", gpus: str = "",
        watch: bool = True, egress: Callable[[Job], Egress | None] = egress_for,
    ) -> None:
        """Nothing is started before the first run; ``image`` says which image a job gets.

        ``egress`` makes the way out of a run with an allow-list; without ``watch`` no calls are recorded.
        """
        self.engine, self._image, self.pool_size = engine, image, pool_size
        self._runtime, self._gpus, self._watch, self._egress = runtime, gpus, watch, egress
        self._deaf = False
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
        refuse_outside(job, level=self.level)
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
            return Course(job, held, egress=egress).follow(functools.partial(self._enforced, job, held), warm=warm)
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
        try:
            return self._start(kind)
        except NoListener:  # then the engine's profile refuses all by itself, and the result says what was watched
            self._deaf = True
            return self._start(kind)

    def _start(self, kind: Kind) -> Held:
        owner = self._owner()
        with _own_disk():
            cell = Cell(kind.limits, uid=owner.uid, sight=self._sight(), workspace=kind.workspace, mapped=owner.mapped)
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
            spec_of(kind, cell, owner, facts=facts), labels=dict([self.label.split("=", 1)]),
            seccomp=profile(asks=cell.sight.calls), runtime=self._runtime, gpus=self._gpus,
            fleeting=facts.by == "command line" and not self.pool_size)

    def _sight(self) -> Sight:
        """What can be seen of a run by this engine's runtime."""
        own = own_kernel(self._runtime or self._known().runtime)
        return Sight(processes=not own, calls=self._watch and not own and not self._deaf)

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

    # --- what is told ---

    def _enforced(self, job: Job, held: Held, *, grouped: bool) -> dict[str, str]:
        facts = self._known()
        return enforced(job, held.cell, self._owner(), facts=facts, runtime=self._runtime or facts.runtime,
                        grouped=grouped)

    def known_exceptions(self) -> dict[str, str]:
        """Rows of the self-check that this level does not hold with this engine, with their reasons."""
        return known_exceptions(self._known(), self._owner())

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
