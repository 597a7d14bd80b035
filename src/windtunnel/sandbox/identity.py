"""Whose name a sandbox runs under on the host: never root's."""

from __future__ import annotations

import contextlib
import os
import pwd
import socket

from windtunnel.core.errors import SandboxFailure

_FIRST, _LAST = 61184, 65519
"""The range that distributions leave to throw-away users."""


class HostUser:
    """The host user of one kind of sandbox: the caller, or for root a user that exists nowhere else.

    A throw-away user is leased by an abstract socket name, which the kernel frees when we die, however we die.
    """

    def __init__(self) -> None:
        """Lease one when the caller is root."""
        self._lease: socket.socket | None = None
        self.uid = os.geteuid()
        if self.uid == 0:
            self.uid = self._take()

    @property
    def dropped(self) -> bool:
        """Whether this is a throw-away user."""
        return self._lease is not None

    def _take(self) -> int:
        for uid in range(_FIRST, _LAST):
            with contextlib.suppress(KeyError):
                pwd.getpwuid(uid)
                continue
            lease = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            try:
                lease.bind(f"\0windtunnel-uid-{uid}")
            except OSError:
                lease.close()
                continue
            self._lease = lease
            return uid
        raise SandboxFailure("no throw-away user id is free between 61184 and 65519; are other supervisors running?")

    def release(self) -> None:
        """Give it back."""
        if self._lease is not None:
            self._lease.close()
            self._lease = None
