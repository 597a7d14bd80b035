"""One run on a machine, watched from outside: the deadline is ours, and so is the reason."""

from __future__ import annotations

import contextlib
import marshal
import os
import select
import socket
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from windtunnel.core.effects import FileEffect
from windtunnel.core.errors import SandboxFailure
from windtunnel.core.ports import Job
from windtunnel.core.result import Artifact, Reason
from windtunnel.sandbox.harvest import MOST_LAYER_ENTRIES
from windtunnel.sandbox.vm import frames
from windtunnel.sandbox.vm.frames import Confused, Told
from windtunnel.sandbox.vm.machine import Machine
from windtunnel.sandbox.vm.request import message_for
from windtunnel.spawn import Ending, Kept, Watched, supervise

_GRACE_SECONDS = 5.0
"""What the agent has for its report after the deadline; then the machine is switched off."""
_REST_SECONDS = 30.0
_COLLECT_SECONDS = 120.0
_SEND_SECONDS = 120.0
_MOST_FILES = 2 * MOST_LAYER_ENTRIES + 10_000
"""A file of a workspace is told once and read back once; the rest is for the other folders."""


@dataclass(slots=True, kw_only=True)
class Left:
    """What a finished program left, as far as its guest told."""

    files: list[FileEffect] = field(default_factory=list)
    omitted: int = 0
    artifacts: dict[str, Artifact] = field(default_factory=dict)
    layer: dict[str, Artifact | None] = field(default_factory=dict)


def time_now() -> int | None:
    """For a guest whose clock may have gone wrong while it waited, in nanoseconds."""
    return time.time_ns()


class Course:
    """The host's side of one run."""

    def __init__(self, machine: Machine, job: Job) -> None:
        """Nothing is sent yet."""
        self.machine, self.job = machine, job
        self.told: Told | None = None
        self.late = False
        self._feeder: threading.Thread | None = None
        self._stdin_end = -1
        spill = Path(job.spill) if job.spill else None
        most = job.limits.output_bytes
        self.kept_out = Kept(most, sink=job.on_stdout, spill=spill and spill / "stdout")
        self.kept_err = Kept(most, sink=job.on_stderr, spill=spill and spill / "stderr")

    def run(self) -> Ending:
        """Send the program, and watch until it has ended or the machine is dead."""
        machine, limits = self.machine, self.job.limits
        machine.sockets["control"].settimeout(_SEND_SECONDS)
        machine.control.send(b"R", marshal.dumps(message_for(self.job) | {"clock": time_now()}))
        machine.sockets["control"].settimeout(None)
        channel, self._bridge = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._deadline = time.monotonic() + limits.wall_seconds
        with channel, self._bridge:
            ending = supervise(Watched(
                channel=channel, pidfd=machine.pidfd, end=machine.switch_off, stdin=self._stdin(),
                stdout=self._taken("stdout"), stderr=self._taken("stderr"),
                kept_out=self.kept_out, kept_err=self.kept_err,
                wall_seconds=limits.wall_seconds + _GRACE_SECONDS, tick=self._tick, input=self.job.command.stdin,
                live_input=self.job.stdin, readers={machine.control.fileno(): self._hear}))
        if self.told is not None:
            ending = replace(ending, status=self.told.status, left=self.told.left)
        return replace(ending, reason=Reason.TIMEOUT) if self.late else ending

    # --- streams ---

    def _taken(self, name: str) -> int:
        return os.dup(self.machine.sockets[name].fileno())

    def _stdin(self) -> int:
        """Where input is written; the end of live input must be told apart, because a port has none."""
        if self.job.stdin is None:
            return self._taken("stdin")
        self._stdin_end, writer = os.pipe()
        self._feeder = threading.Thread(target=self._feed, name="windtunnel-input", daemon=True)
        self._feeder.start()
        return writer

    def _feed(self) -> None:
        total = 0
        with contextlib.suppress(OSError):
            while data := os.read(self._stdin_end, 1 << 16):
                self.machine.sockets["stdin"].sendall(data)
                total += len(data)
            self.machine.control.send(b"C", b"%d" % total)
        os.close(self._stdin_end)

    def join(self) -> None:
        """Wait for the thread that feeds input; call it when the machine is dead."""
        if self._feeder is not None:
            self._feeder.join()

    # --- watching ---

    def _tick(self) -> Reason | None:
        if self.job.stop is not None and self.job.stop():
            return Reason.CANCELLED
        if not self.late and self.told is None and time.monotonic() >= self._deadline:
            self.late = True
            self.machine.control.send(b"K", b"")
        return None

    def _hear(self) -> bool:
        """Frames up to the report; what comes after it is left for the collection."""
        control = self.machine.control
        if not control.take():
            return False
        while (frame := control.next_frame()) is not None:
            kind, payload = frame
            if kind == b"X":
                self._bridge.send(b"X" + payload)
                return False
            if kind != b"E":
                raise Confused(f"the guest sent a frame of kind {kind!r} while its program ran")
            self.told = frames.told(payload)
            self._take_rest("stdout", self.kept_out, self.told.stdout)
            self._take_rest("stderr", self.kept_err, self.told.stderr)
            traffic = b"" if self.told.read is None else b" %d %d" % (self.told.read, self.told.written or 0)
            self._bridge.send(b"E -1 0 0" + traffic)
            return False
        return True

    def _take_rest(self, name: str, kept: Kept, total: int) -> None:
        """What is still on its way; the program is dead, so there will not be more than was told."""
        sock, deadline = self.machine.sockets[name], time.monotonic() + _REST_SECONDS
        while kept.total < total:
            ready, _, _ = select.select([sock], [], [], max(0.0, deadline - time.monotonic()))
            data = sock.recv(min(1 << 16, total - kept.total)) if ready else b""
            if not data:
                raise Confused(f"the guest told of more {name} than it sent")
            kept.add(data)

    # --- after the end ---

    def collect(self) -> Left:
        """What the program left, every word checked and all of it bounded."""
        left, deadline = Left(), time.monotonic() + _COLLECT_SECONDS
        room = 2 * self.job.limits.disk_bytes
        while True:
            try:
                kind, payload = self.machine.control.receive(deadline)
            except (ConnectionError, TimeoutError) as error:
                raise SandboxFailure(f"what the run left could not be read back ({error})") from error
            room -= len(payload) if kind in b"AL" else 0
            if room < 0 or len(left.files) + len(left.artifacts) + len(left.layer) > _MOST_FILES:
                raise Confused("the guest sent more than a run may leave")
            if kind == b"Z":
                left.omitted = _count(payload)
                return left
            self._keep(kind, payload, left)

    def _keep(self, kind: bytes, payload: bytes, left: Left) -> None:
        if kind == b"F":
            left.files += frames.effects(payload)
        elif kind == b"L" and self.job.command.keep_layer:
            left.layer |= [frames.file(payload)]
        elif kind == b"A" and (self.job.command.build or self.job.command.collect):
            name, file = frames.file(payload)
            if file is not None and (file.is_link or file.is_folder):
                raise Confused("the guest sent something else where a file was asked for")
            left.artifacts |= {name: file} if file is not None else {}
        else:
            raise Confused(f"the guest sent a frame of kind {kind!r} that nobody asked for")


def _count(payload: bytes) -> int:
    if not payload.isdigit():
        raise Confused("the guest did not say how much it left out")
    return int(payload)
