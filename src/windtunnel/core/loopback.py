"""Which names and addresses are those of this machine alone."""

from __future__ import annotations

import ipaddress

_NAMES = ("127.0.0.1", "localhost", "[::1]")


def is_loopback(host: str) -> bool:
    """Whether what listens there can be reached from this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_ours(host: str, *, also: tuple[str, ...] = ()) -> bool:
    """Whether a ``Host`` header names loopback, or one of ``also``; each with its port, or without for any port."""
    name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
    return name.lower() in _NAMES or host.lower() in also or name.lower() in also
