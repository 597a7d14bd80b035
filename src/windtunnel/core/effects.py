"""What happened besides the program's answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEffect:
    """One file the program left in its private, writable folders, or changed or deleted in its workspace."""

    path: str
    kind: Literal["file", "folder", "link", "other"]
    size: int = 0
    act: Literal["made", "changed", "deleted"] = "made"
    mode: int = 0
    """Permission bits; zero where there is nothing any more."""
    hash: str = ""
    """SHA-256 of the content, for files of a workspace."""
    runs_later: str = ""
    """Why it would be executed later by something else: ``git hook``, ``shell start-up``, ``CI`` …; empty if not."""
    litter: str = ""
    """Why it was to be expected: ``bytecode cache``, ``coverage data`` …; empty if it was not."""


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

    def joined(self, other: Effects) -> Effects:
        """Both together; a file that both name counts once, as the other has it."""
        files = {file.path: file for file in (*self.files, *other.files)}
        return Effects(
            files=tuple(files.values()), files_omitted=self.files_omitted + other.files_omitted,
            processes_left=(*self.processes_left, *other.processes_left), network=(*self.network, *other.network),
            network_omitted=self.network_omitted + other.network_omitted, blocked=(*self.blocked, *other.blocked),
            watched=tuple(dict.fromkeys((*self.watched, *other.watched))))

    @property
    def unexpected(self) -> tuple[FileEffect, ...]:
        """Files without the litter that such programs usually leave."""
        return tuple(file for file in self.files if not file.litter)
