"""A workspace that is kept: a copy of a project that programs may change, owned by whoever made it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

Origin: TypeAlias = Literal["path", "git", "empty"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The files of a workspace at one moment."""

    name: str
    made: datetime
    files: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """One copy, as it is now."""

    id: str
    owner: str
    name: str = ""
    """The session's name that its maker chose; unique among one owner's."""
    origin: Origin = "path"
    source: str = ""
    """The path or address that it was made from; a fork has that of the first."""
    commit: str = ""
    """Of a git repository, the commit that was checked out."""
    path: str = ""
    """The folder of its files on the host; programs never see it, and only we write to it."""
    made: datetime
    used: datetime
    idle_seconds: float
    """Unused for so long, it is removed."""
    life_seconds: float
    """So long after it was made, it is removed."""
    snapshots: tuple[Snapshot, ...] = ()
    files: int = 0
    disk_bytes: int = 0
    """Of its own; what it shares with its snapshots counts once."""
    running: int = 0
    """Programs that run in it now."""
