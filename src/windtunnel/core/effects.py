"""What happened besides the program's answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEffect:
    """One file the program left in its private, writable folders."""

    path: str
    kind: Literal["file", "folder", "link", "other"]
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkAttempt:
    """One attempt to reach something outside the program's own loopback."""

    target: str
    """``host:port`` or ``address:port`` as the program asked for it."""
    outcome: Literal["allowed", "refused"]
    rule: str
    """What decided: ``no network``, ``not on the allow-list``, ``private address``, the matching entry …"""
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockedCall:
    """One system call that the filter refused and counted."""

    name: str
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """Side effects of a run, with a statement of what was watched, so that silence means something."""

    files: tuple[FileEffect, ...] = ()
    files_omitted: int = 0
    """How many more there were than the report holds."""
    processes_left: tuple[str, ...] = ()
    """Names of processes still alive when the program ended; they were ended with it."""
    network: tuple[NetworkAttempt, ...] = ()
    network_omitted: int = 0
    """How many attempts went to further targets than the report holds."""
    blocked: tuple[BlockedCall, ...] = ()
    watched: tuple[str, ...] = ()
    """Which of the above were looked at: ``files``, ``processes``, ``network``, ``blocked``."""
