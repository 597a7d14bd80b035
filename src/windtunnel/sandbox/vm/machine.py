"""One machine: a confined QEMU, its sockets, and the guest's agent at the other end of them."""

from __future__ import annotations

import contextlib
import os
import secrets
import select
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from windtunnel.core.errors import SandboxFailure
from windtunnel.sandbox import cgroups
from windtunnel.sandbox.identity import HostUser
from windtunnel.sandbox.slot import remove_soon
from windtunnel.sandbox.vm import arguments
from windtunnel.sandbox.vm.arguments import PORTS, Hardware
from windtunnel.sandbox.vm.confine import end, start_confined, switch_off
from windtunnel.sandbox.vm.frames import Control
from windtunnel.spawn import handles

BOOT_SECONDS = 120.0
RESTORE_SECONDS = 60.0
_END_SECONDS = 5.0
_MOST_SAID = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The files of a machine; all of them are only ever read."""

    program: str
    kernel: Path
    initramfs: Path
    root: Path
    project: Path

    def files(self) -> dict[str, Path]:
        """As QEMU finds them."""
        return {"kernel": self.kernel, "initramfs": self.initramfs, "root": self.root, "project": self.project}


class Machine:
    """A running machine, used for one program and switched off. It dies with us."""

    def __init__(
        self, parts: Parts, hardware: Hardware, *, state: Path | None = None, monitored: bool = False,
        group: cgroups.Group | None = None,
    ) -> None:
        """Start it from a saved state, or from the kernel; only a monitored one can be saved."""
        self.group = group
        self.user = HostUser()
        names = (*PORTS, "console", *(["monitor"] if monitored else []))
        pairs = {name: socket.socketpair() for name in names}
        self.sockets = {name: ours for name, (ours, _) in pairs.items()}
        self.control = Control(self.sockets["control"])
        self._said, output = os.pipe()
        given = [theirs.fileno() for _, theirs in pairs.values()]
        words = arguments.guest(hardware, {name: theirs.fileno() for name, (_, theirs) in pairs.items()})
        if monitored:
            words = arguments.monitored(words, pairs["monitor"][1].fileno())
        opened = os.open(state, os.O_RDONLY | os.O_CLOEXEC) if state is not None else -1
        try:
            if state is not None:
                words = arguments.restored(words, opened)
                given.append(opened)
            self.process: handles.Popen[bytes] = start_confined(
                parts.program, words, files=parts.files(), descriptors=given, output=output, user=self.user,
                group=group, kvm=hardware.accelerator == "kvm")
            self.pidfd = os.pidfd_open(self.process.pid)
        except BaseException:
            self._let_go()
            if group is not None:
                remove_soon(group, seconds=_END_SECONDS)
            raise
        finally:
            for _, theirs in pairs.values():
                theirs.close()
            for descriptor in (output, *([opened] if opened >= 0 else [])):
                os.close(descriptor)

    def hello(self, *, seconds: float = BOOT_SECONDS) -> None:
        """Wait until the agent of a booting guest speaks."""
        self._await(b"H", lambda payload: not payload, seconds=seconds)

    def renew(self) -> None:
        """Give the guest random numbers and the time, and wait until it has them; what it had were the snapshot's."""
        nonce = secrets.token_bytes(16)
        self.control.send(b"P", nonce + secrets.token_bytes(64) + struct.pack(">Q", time.time_ns()))
        self._await(b"P", lambda payload: payload == nonce, seconds=RESTORE_SECONDS)

    def rehearse(self, message: bytes) -> None:
        """Have the guest run an empty program, so that the real one finds everything in memory."""
        self.control.send(b"W", message)
        self._await(b"W", lambda payload: not payload, seconds=BOOT_SECONDS)

    def _await(self, kind: bytes, fits: Callable[[bytes], bool], *, seconds: float) -> None:
        try:
            found, payload = self.control.receive(time.monotonic() + seconds)
        except (ConnectionError, TimeoutError) as error:
            raise SandboxFailure(f"the machine did not start ({error}): {self.last_words()}") from error
        if found == b"X":
            raise SandboxFailure(f"the guest could not be made ready: {payload.decode('utf-8', 'replace')}")
        if found != kind or not fits(payload):
            raise SandboxFailure("the guest did not answer as a fresh one does")

    def last_words(self) -> str:
        """What QEMU and the guest's console said, cut short; only good for a message to a person."""
        parts = []
        for descriptor in (self._said, self.sockets["console"].fileno()):
            os.set_blocking(descriptor, False)
            with contextlib.suppress(OSError):
                parts.append(os.read(descriptor, 1 << 16)[-_MOST_SAID:].decode("utf-8", "replace").strip())
        return " / ".join(part for part in parts if part) or "it said nothing"

    def alive(self) -> bool:
        """Whether it still runs."""
        return not select.select([self.pidfd], [], [], 0)[0]

    def switch_off(self) -> None:
        """Hard, and without waiting."""
        switch_off(self.process, self.pidfd)

    def discard(self) -> None:
        """Switch it off, and return when nothing of it is left."""
        end(self.process, self.pidfd)
        self._let_go()
        if self.group is not None:
            remove_soon(self.group, seconds=_END_SECONDS)

    def forget(self) -> None:
        """In a forked child: let go of the descriptors without ending what the parent still uses."""
        self.process.returncode = 0
        self._let_go()

    def _let_go(self) -> None:
        for sock in self.sockets.values():
            sock.close()
        for name in ("_said", "pidfd"):
            descriptor = getattr(self, name, -1)
            if descriptor >= 0:
                os.close(descriptor)
                setattr(self, name, -1)
        self.user.release()
