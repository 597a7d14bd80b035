"""One run in a container, from the opening of its gate to its result: the deadline is ours, and so is the reason."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from windtunnel.core.effects import Effects
from windtunnel.core.errors import IsolationUnavailable, SandboxFailure
from windtunnel.core.ports import Job
from windtunnel.core.result import ExecutionResult, Level, Reason
from windtunnel.sandbox import harvest
from windtunnel.sandbox.container.cell import Cell
from windtunnel.sandbox.container.engine import State, words
from windtunnel.sandbox.container.held import Held
from windtunnel.sandbox.container.kind import covered
from windtunnel.sandbox.container.starter import FAILED
from windtunnel.sandbox.container.watching import Watch
from windtunnel.sandbox.egress import Egress
from windtunnel.sandbox.ending import EXIT, reason
from windtunnel.spawn import Ending, Kept, Watched, supervise

_LINGER_SECONDS, _END_SECONDS = 5.0, 20.0
_RUN_ID = 32
"""Letters of a container's id that name its run in the history, so that either finds it."""


class Course:
    """The host's side of one run."""

    def __init__(self, job: Job, held: Held, *, egress: Egress | None = None) -> None:
        """The container waits at its gate, with the job's files in place."""
        self.job, self.held, self._egress = job, held, egress
        self._meter, self._room = held.meter(job.limits), _Room(held.cell)
        most, spill = job.limits.output_bytes, Path(job.spill) if job.spill else None
        self._out = Kept(most, sink=job.on_stdout, spill=spill and spill / "stdout")
        self._err = Kept(most, sink=job.on_stderr, spill=spill and spill / "stderr")
        self._watch = Watch(held.starter, first=held.pid, host_network=job.network.host)

    def follow(self, enforced: Callable[..., Mapping[str, str]], *, warm: bool) -> ExecutionResult:
        """Open the gate and watch until everything is dead; ``enforced`` is asked what held."""
        ours, theirs = socket.socketpair()
        last = os.dup(self.held.pidfd)
        stdin, stdout, stderr = self.held.taken()
        watched = Watched(
            channel=ours, pidfd=self.held.pidfd, stdin=stdin, stdout=stdout, stderr=stderr, kept_out=self._out,
            kept_err=self._err, wall_seconds=self.job.limits.wall_seconds, tick=self._tick,
            input=self.job.command.stdin, live_input=self.job.stdin, end=self.held.kill,
            readers={last: self._died, **self._watch.readers()}, linger_seconds=_LINGER_SECONDS)
        try:
            self.held.cell.open_gate()
            ending = supervise(watched)
        finally:
            self._watch.close()
            os.close(last)
            ours.close()
            theirs.close()
        ending, state = self._settled(ending)
        return self._result(ending, state, enforced=enforced(grouped=self._meter.grouped), warm=warm)

    def _tick(self) -> Reason | None:
        if self.job.stop is not None and self.job.stop():
            self.held.cancelled = True
            return Reason.CANCELLED
        self._room.look()
        return self._meter.over() or (Reason.OUT_OF_DISK if self._room.full and not self.held.cell.root else None)

    def _died(self) -> bool:
        self._meter.over()
        return False

    def _settled(self, ending: Ending) -> tuple[Ending, State]:
        """How it ended, as the engine tells, unless we ended it."""
        try:
            state = self.held.ended(seconds=_END_SECONDS)
        except IsolationUnavailable as error:
            if not self.held.cancelled:
                raise SandboxFailure(f"the engine failed during the run: {error}") from error
            state = State(running=False, exit_code=137, out_of_memory=False, pid=0)
        if self.held.cancelled:
            ending = replace(ending, reason=Reason.CANCELLED)
        elif ending.reason is Reason.KILLED:
            ending = replace(ending, reason=Reason.EXITED)  # its own end, which only the engine could tell
        return ending, state

    def _result(
        self, ending: Ending, state: State, *, enforced: Mapping[str, str], warm: bool,
    ) -> ExecutionResult:
        self._room.look()
        usage, met = self._meter.final()
        if state.out_of_memory:
            met = Reason.OUT_OF_MEMORY
        job, held, cell = self.job, self.held, self.held.cell
        why = reason(ending, code=state.exit_code, met=met, full=self._room.full, limits=job.limits,
                     cpu=usage.cpu_seconds)
        if why is Reason.EXITED:
            self._check_begun(state.exit_code)
        return ExecutionResult(
            exit_code=EXIT.get(why, state.exit_code), reason=why, stdout_bytes=self._out.value(),
            stderr_bytes=self._err.value(), stdout_dropped=self._out.dropped, stderr_dropped=self._err.dropped,
            execution_time=ending.wall_seconds, language=job.language.name, level=Level.CONTAINER, limits=job.limits,
            usage=replace(usage, disk_bytes=self._room.used), warm=warm, enforced=enforced,
            artifacts=cell.artifacts(job), layer=cell.layer(job), container=held.id, id=held.id[:_RUN_ID],
            effects=self._effects())

    def _check_begun(self, code: int) -> None:
        """Whatever ended before the program began is our failure, not the program's.

        A starter that came to us tells of the program's end; of another it is known only whether it passed the gate.
        """
        said = words(self._err.value().decode("utf-8", "replace"))
        if self.held.starter is None and not self.held.cell.passed():
            raise SandboxFailure("the container ended before its program began; an engine with files of its own "
                                 f"cannot be used ({said})")
        if self.held.starter is not None and code == FAILED and not self._watch.ended():
            raise SandboxFailure(f"the container's starter failed: {said}")

    def _effects(self) -> Effects:
        cell, watch = self.held.cell, self._watch
        files, omitted = harvest.survey(
            cell.writable(self.job), apart_from=covered(self.held.kind), lower=cell.workspace, copied=cell.copied)
        return Effects(
            files=files, files_omitted=omitted, processes_left=watch.left,
            network=watch.network() + (self._egress.attempts() if self._egress is not None else ()),
            network_omitted=watch.omitted(), blocked=watch.blocked(), watched=watch.watched)


class _Room:
    """Remembers whether the cell was ever full."""

    def __init__(self, cell: Cell) -> None:
        self._cell = cell
        self.used, self.full = 0, False

    def look(self) -> None:
        self.used, full = self._cell.used()
        self.full = self.full or full
