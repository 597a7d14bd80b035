"""One run's processes at the restricted level, from the guard to the last of them."""

from __future__ import annotations

import contextlib
import marshal
import os
import socket
from collections.abc import Mapping
from typing import Any, Self

from windtunnel.core.errors import SandboxFailure
from windtunnel.sandbox import cgroups
from windtunnel.sandbox.handover import memory_file, script
from windtunnel.spawn import handles, start
from windtunnel.spawn.supervise import receive

_READY_SECONDS, _END_SECONDS = 20.0, 3.0


class Tree:
    """The guard, init and all below it (see ``inside/confine.py``); on the way out of ``with`` none of them lives."""

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
        given.append(memory_file(marshal.dumps(self.request)))
        try:
            self._guard: handles.Popen[bytes] = start(
                [*script("confine"), str(given[-1])], pass_fds=[inner.fileno(), *given],
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
        except handles.TimeoutExpired:
            self._guard.kill()
            self._guard.wait()
            raise SandboxFailure("processes of a run did not end within 3 seconds of being killed") from None
        finally:
            self._kill_members()

    def _kill_members(self) -> None:
        """Whoever is still in the control group, should both guard and init have been killed by others."""
        for folder in set(self.group.folders.values()) if self.group else ():
            cgroups.kill_members(folder)

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
