"""Folders that a request may name: those below the roots that the operator gave, and no others.

What holds: a path is followed to where it really leads before it is compared, and the answer is the same for a folder
that is not served and one that is not there. What does not hold: a folder below a root that is replaced by a link while
it is used is for the engine to notice, which opens what it copies without following links.
"""

from __future__ import annotations

import ipaddress
import os
import re
import socket
from dataclasses import dataclass
from pathlib import Path

from windtunnel.core.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """What the operator serves."""

    roots: tuple[Path, ...] = ()
    own: tuple[Path, ...] = ()
    """Served to those who may do everything, where no roots were given."""
    private: tuple[Path, ...] = ()
    """Never served, also below a root: our own folders, where everybody's things lie."""

    def check(self, path: str, *, field: str, admin: bool) -> Path:
        """The folder itself."""
        served = self.roots or (self.own if admin else ())
        if "\0" not in path and path.isprintable():
            real = Path(os.path.realpath(Path(path).expanduser() if path.startswith("~/") else path))
            ours = any(real.is_relative_to(os.path.realpath(folder)) for folder in self.private)
            if not ours and any(real.is_relative_to(os.path.realpath(root)) for root in served) and real.is_dir():
                return real
        hint = f"below {', '.join(map(str, served))}" if served and admin else "below a folder that is served"
        raise UsageError(f"{field}: {path[:200]!r} is not a folder that this server serves (name one {hint}, or create "
                         "a workspace)", field=field)


def check_address(address: str, *, field: str) -> None:
    """Refuse the address of a repository inside our own network, which a caller must not reach by us.

    What does not hold: a name that leads elsewhere a moment later than now is not noticed.
    """
    match = _HOST.match(address)
    try:
        found = socket.getaddrinfo(match[1] if match else "", None, proto=socket.IPPROTO_TCP)
    except (OSError, UnicodeError):
        found = []
    if not found or not all(ipaddress.ip_address(str(one[4][0]).partition("%")[0]).is_global for one in found):
        raise UsageError(f"{field}: not an address that this server fetches from for you", field=field)


_HOST = re.compile(r"(?:[a-z]+://)?(?:[^/@\s]{1,200}@)?\[?([A-Za-z0-9.:-]{1,253}?)\]?(?::[0-9]{1,5})?(?:[:/]|$)")
